"""The keys of the JSON in `"schema": 1`, written by hand: what a program may rely on.

`keys("a b?", c=…)`: keys `a`, `b` (which may be missing) and `c`, whose value (or, of a list, each entry) has keys of its own.
`MAP`: an object with names of the text as keys.
"""

from typing import Any

Keys = dict[str, Any]
MAP: Keys = {"*": None}


def keys(plain: str, **nested: Keys) -> Keys:
    """Return the keys of an object."""
    return {**dict.fromkeys(plain.split()), **nested}


FIX = keys("title text collectives bytes_received time executed safe")
FINDING = keys("code severity message hint line column end_line end_column file?", fixes=FIX)
QUANTITY = keys("formula value unit shortened?")
WHOLE = keys("formula value unit")
TOP = keys("schema ok", diagnostics=FINDING)
PARTIAL = {**TOP, "partial": None}
TIMES = dict.fromkeys(("t_math", "t_comms", "t_hbm", "t_vmem?", "t_pcie?"), QUANTITY)
PRICES = {**TIMES, **dict.fromkeys(("flops", "t_comms_sum", "t_lower", "t_upper", "memory"), QUANTITY)}

CHECK_STEP = keys("kind axes dims text bytes_received")
CHECK_ALTERNATIVE = keys("wins_when best_when compared_by", steps=CHECK_STEP, example=MAP)
CHECK = {
    **TOP,
    "statements": keys("line output file?", steps=CHECK_STEP, alternatives=CHECK_ALTERNATIVE),
    **{name: keys("line code title executed file?") for name in ("fixed?", "not_fixed?")},
    "texts?": keys("text file?"),
}

DIMENSION = keys("name size axes")
ARRAY = keys("role name dtype unreduced pending", dims=DIMENSION)
PARSE = {**TOP, "statements": keys("line kind canonical op axes dims local file?", arrays=ARRAY)}

COST_STEP = keys("kind text", bytes=QUANTITY, time=QUANTITY)
COST = {
    **PARTIAL,
    "assume?": None,
    "total": PRICES,
    "statements": {**PRICES, **keys("line output", steps=COST_STEP)},
    "symbols": MAP,
}

WHY = keys("kind text why", flops=QUANTITY, bytes=QUANTITY, bytes_received=QUANTITY, time=QUANTITY)
OTHER = {**TIMES, **keys("name compared_by wins_when best_when faster_when", example=MAP, steps=WHY)}
EXPLAIN = {
    **COST,
    "statements": {**PRICES, **keys("line output text", steps=WHY, alternatives=OTHER)},
    "conditions": keys("between condition holds"),
    "conventions": keys("model roofs comms axes"),
}

CROSSING = keys(
    "for between relation formula value exact here holds_here consistent requires requires_hold requires_for steps assumes "
    "otherwise? shortened?",
    **{"until?": keys("formula value"), "requires_bounds?": keys("relation value until")},
)
LEFT = keys("between when holds longer steps")
CROSSOVER = {**PARTIAL, **keys("of? assume?", crossovers=CROSSING, uncrossed=LEFT)}

PLACE = keys("kind formula value exact clipped by_numbers shortened?", rest=keys("of formula value"), objective=WHOLE)
SPLIT = keys("value slower uneven formula agrees", sizes=MAP, wiring=MAP)
OPTIMUM = {
    **PARTIAL,
    **keys("assume? for? of? problem? assumes? slower_than not_priced"),
    "split?": keys("axes", devices=keys("formula value")),
    "optimum": PLACE,
    "conditions?": keys("between condition holds"),
    "splits": SPLIT,
    "left_out": MAP,
    "crossovers": CROSSING,
    "uncrossed": LEFT,
}

AMOUNT = dict.fromkeys(
    ("elements", "elements_per_device", "bytes_per_device", "bytes_one_copy", "bytes_all_devices"), WHOLE
)
HELD = keys("line array name dtype role resident", local_shape=WHOLE, pieces=WHOLE)
MEMORY = {
    **PARTIAL,
    **keys("fits share", devices=WHOLE, capacity=WHOLE, resident=AMOUNT, symbols=MAP),
    "arrays": {**HELD, **AMOUNT},
    "peak": {**WHOLE, **keys("line step", alive=keys("array", bytes_per_device=WHOLE))},
    "limits": keys("of for relation formula value exact whole divisible replanned_bytes requires requires_hold"),
}

LEVEL = keys("roof binds", time=QUANTITY, intensity=QUANTITY, needed=QUANTITY)
BOUND = keys("formula value")
RANGE = {**keys("roof exact requires"), "from": BOUND, "to": BOUND}
LINE = keys("binds", flops=QUANTITY, levels=LEVEL, when=keys("roof conditions"), ranges=RANGE)
ROOFLINE = {
    **PARTIAL,
    **keys("for assume?", total=LINE, statements={**LINE, **keys("line output")}, symbols=MAP),
}

BLOCK = keys("ok should holds", device=MAP)
BROKEN = keys("case step text array message alternative", blocks=BLOCK)
RUN = keys("case sent received value", devices=keys("sent received", device=MAP))
VERIFY = {
    "schema": None,
    "ok": None,
    "diagnostics": {name: value for name, value in FINDING.items() if name != "file?"},
    "cases": {"mesh": MAP, "sizes": MAP},
    "statements": keys(
        "line output ok reason others", steps=keys("kind text ok received sent formula", runs=RUN), broken=BROKEN
    ),
}

LEG = keys("network axes hops ports", rate=WHOLE)
SEND = {
    **TOP,
    **keys("array hops ports assumptions", bytes=WHOLE, first_byte=WHOLE, through=WHOLE, time=WHOLE),
    "from": MAP,
    "to": MAP,
    "legs": LEG,
    "symbols": MAP,
}

FIGURE = keys("name symbol value unit convention source")
CHIP = keys("id name kind vendor source conflicts", figures=FIGURE, notes=keys("name value unit"))
HARDWARE = keys("schema ok", hardware={**CHIP, "derived?": FIGURE})

CODE = keys("schema ok code severity title page")

SCHEMAS = {
    "check": CHECK,
    "code": CODE,
    "cost": COST,
    "crossover": CROSSOVER,
    "explain": EXPLAIN,
    "hardware": HARDWARE,
    "memory": MEMORY,
    "optimum": OPTIMUM,
    "parse": PARSE,
    "roofline": ROOFLINE,
    "send": SEND,
    "verify": VERIFY,
}
