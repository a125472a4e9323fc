"""Numbers for people: four digits and an engineering prefix."""

_PREFIXES = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_SMALL = ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p"))


def quantity(value: float, unit: str) -> str:
    """Return `value` in `unit` with a prefix: `372.8 µs`, `33.55 MB`, `459 TFLOP/s`.

    `unit` is one of `s`, `bytes`, `FLOPs`, `bytes/s`, `FLOPs/s`, or empty for a plain number.
    Prefixes are SI (1 MB = 10^6 bytes).
    """
    symbol = {"bytes": "B", "FLOPs": "FLOP", "bytes/s": "B/s", "FLOPs/s": "FLOP/s"}.get(unit, unit)
    if not symbol:
        return plain_number(value)
    if value == 0:
        return f"0 {symbol}"
    if value != value or value in (float("inf"), float("-inf")):
        return f"{value} {symbol}"
    table = _SMALL if unit == "s" else _PREFIXES
    size = abs(value)
    scale, prefix = next(((scale, prefix) for scale, prefix in table if size >= scale * 0.99995), table[-1])
    return f"{_digits(value / scale)} {prefix}{symbol}"


def plain_number(value: float) -> str:
    """Return a number with four digits, whole where it is whole: `2550`, `1.333`, `6.1e+09`."""
    size = abs(value)
    if size < 1e7 and value == int(value):
        return str(int(value))
    if 1e4 <= size < 1e7:
        return f"{value:.0f}"
    return f"{value:.1f}" if 1e3 <= size < 1e4 else f"{value:.4g}"


def _digits(value: float) -> str:
    if abs(value) >= 999.95:
        return f"{value:.0f}" if abs(value) < 1e6 else f"{value:.3e}"
    return f"{value:.4g}"
