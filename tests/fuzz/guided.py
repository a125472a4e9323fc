"""Texts that are steered to code that no text has reached yet, with atheris, which is installed for it alone.

    pip install atheris
    python -m tests.fuzz.guided FOLDER [-max_total_time=600] [-runs=N] [-rss_limit_mb=N] …

FOLDER keeps the texts that reached something new; in an empty one the examples are put first. The options are those of libFuzzer. A text
with a problem is written to `crash-…` in the folder of the call, and `python -m tests.fuzz.guided crash-…` runs it again.
"""

import sys
from hashlib import sha256
from pathlib import Path
from types import ModuleType

KINDS = (None, "markdown", "latex", "html", "text", "python")
LONGEST = 1_500  # bytes: what is wrong shows in short texts, and more of them are tried


def text_of(data: bytes) -> tuple[str, str | None]:
    """Return what some bytes stand for: the first is the kind of document, the others are the text."""
    return data[1:].decode("utf-8", "replace"), KINDS[data[0] % len(KINDS)] if data else None


def bytes_of(text: str, kind: str | None) -> bytes:
    """Return the bytes that stand for a text."""
    return bytes([KINDS.index(kind)]) + text.encode("utf-8", "replace")


def try_one(data: bytes) -> None:
    """Put a text through the stages. Raises AssertionError for a problem."""
    from tests.fuzz.judge import judge
    from tests.fuzz.texts import Text

    text = Text(*text_of(data))
    outcome = judge(text, sha256(data).hexdigest())
    assert outcome.problems == (), "\n".join((ascii(text), *outcome.problems))


def sow(folder: Path) -> None:
    """Write the examples into an empty folder, and beside it the words of the notation that mutations put in."""
    from tests.fuzz.texts import all_examples
    from tests.oracles.nonsense import PIECES

    folder.mkdir(parents=True, exist_ok=True)
    if not any(folder.iterdir()):
        for number, text in enumerate(all_examples()):
            (folder / f"example-{number}").write_bytes(bytes_of(text, None)[:LONGEST])
    words = ("".join(f"\\x{byte:02x}" for byte in piece.encode("utf-8", "replace")) for piece in PIECES)
    folder.with_suffix(".dict").write_text("".join(f'"{word}"\n' for word in words if word), "ascii")


def main(arguments: list[str]) -> int:
    """Run until the options say, or a problem is found."""
    try:
        import atheris
    except ImportError:
        print("atheris is not installed: pip install atheris", file=sys.stderr)
        return 2
    paths = [Path(word) for word in arguments if not word.startswith("-")]
    if not paths:
        print(__doc__, file=sys.stderr)
        return 2
    options = [word for word in arguments if word.startswith("-")]
    if not paths[0].is_file():
        sow(paths[0])
        options += [f"-dict={paths[0].with_suffix('.dict')}", f"-max_len={LONGEST}"]
    _instrument(atheris)
    atheris.Setup([sys.argv[0], *options, *map(str, paths)], try_one)
    atheris.Fuzz()
    return 0


def _instrument(atheris: ModuleType) -> None:
    """Load what is tested so that atheris sees which lines a text reaches."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "shardlang" or name == "tests.fuzz.stages"]:
        del sys.modules[name]
    with atheris.instrument_imports(include=["shardlang"]):
        import tests.fuzz.stages as stages

    # What is otherwise loaded at its first use, and would then not be seen.
    with atheris.instrument_imports(include=["shardlang"]):
        from random import Random

        from tests.fuzz.texts import Text

        for kind in KINDS:
            for stage in stages.STAGES:
                list(
                    stage(
                        Text("mesh X=2\n`A[I_X, J] -> A[I, J]`" if kind else "mesh X=2\nA[I_X, J] -> A[I, J]", kind),
                        Random(1),
                    )
                )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
