"""Nonsense texts, and a child process that checks them under limits of memory and time.

`python -m tests.oracles.nonsense NAME` checks the texts of one family and prints a line for each that raised, took too
long, or ended in something that is no report.
"""

import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

SECONDS_A_TEXT = 5.0
MEMORY_BYTES = 2_000_000_000
_WORDS = """
A[I_X, J] B[J, K] C[] -> = · ⊙ @ * + - / ( ) [ ] { } {U_X} {max_X} _ ^ , ; : # $ \\ \\text{ \\cdot \\\\ & <sub> </sub>
AllGather_X ReduceScatter_{X,J} AllReduce AllToAll_{X->B} sum_J max_ gelu softmax_J take_V ? … 2 9**9 0 -1 1e999
mesh X=4 let B= dtype hardware explicit rules ` ' | ~ ** // é 中 🙂
"""
PIECES = (*_WORDS.split(), '"', "\t", "\n", "\r", "\u202e", "\u200b", "\u00a0", "\x00")


def random_bytes() -> Iterator[str]:
    """Seeded random bytes, read as Latin-1 and as UTF-8 with what does not decode replaced."""
    draw = random.Random(1)
    for length in range(400):
        data = draw.randbytes(draw.randint(0, length))
        yield data.decode("latin-1")
        yield data.decode("utf-8", "replace")


def random_pieces() -> Iterator[str]:
    """Seeded random sequences of pieces of the notation."""
    draw = random.Random(2)
    for _ in range(3000):
        glue = draw.choice(("", " "))
        yield glue.join(draw.choices(PIECES, k=draw.randint(1, 25)))


def mutated_examples() -> Iterator[str]:
    """Examples with a few characters deleted, doubled or exchanged."""
    draw = random.Random(3)
    for text in examples():
        for _ in range(30):
            letters = list(text)
            for _ in range(draw.randint(1, 4)):
                at = draw.randrange(len(letters))
                letters[at] = draw.choice(("", letters[at] * 2, draw.choice(letters), draw.choice(PIECES)))
            yield "".join(letters)


def prefixes() -> Iterator[str]:
    """Every prefix of every example."""
    for text in examples():
        for end in range(len(text)):
            yield text[:end]


def extremes() -> Iterator[str]:
    """Depth, width, exponents, invisible and foreign characters, duplicates, empty texts."""
    for left, right in ("()", "[]", "{}", "$$"):
        yield left * 10_000
        yield left * 10_000 + "A[I]" + right * 10_000
        yield f"A[I_{left * 10_000}X{right * 10_000}]"
    yield "A[I] = " + "-" * 10_000 + "B[I]"
    yield "A[I] = " + "gelu(" * 10_000 + "B[I]" + ")" * 10_000
    yield "C[I] = " + " + ".join(["A[I]"] * 10_000)
    yield "C[I] = " + " · ".join(f"A{n}[D{n}, D{n + 1}]" for n in range(1000))
    yield "let B = " + "(" * 10_000 + "1" + ")" * 10_000
    yield "let B = 9**9**9"
    yield "let B = 9**9**9**9\nmesh X=9**9**9\nA[B_X]"
    yield "let B = 2**100000, D = " + "9" * 100_000 + "\nA[B, D] · W[D, F] -> C[B, F]"
    yield "let B = 1/0\nlet C = 0 // 0\nlet D = -5\nlet E = 0.3\nlet F = 1e400\nA[B, C]"
    yield "let A = B, B = A\nlet C = C + 1\nX[A_X, B]"
    yield "mesh X=0\nmesh Y=-1\nmesh Z=1.5\nA[I_X, J_Y]"
    yield "mesh X=4\nmesh X=8, X=2\nlet B = 1\nlet B = 2\ndtype bf16\ndtype f32\nhardware tpu-v5p\nhardware nothing\nA: f32[B]\nA: bf16[B]"
    yield "mesh " + ", ".join(f"X{n}=2" for n in range(3000)) + "\nA[I_X1]"
    yield "A[" + ", ".join(f"I{n}" for n in range(5000)) + "]"
    yield "A[I_{" + ",".join(f"x{n}" for n in range(5000)) + "}]"
    yield "A[I_X, J_Y, K_Z, L_W] · B[I_Y, J_Z, K_W, L_X] -> C[I_Z, J_W, K_X, L_Y]"
    yield "A[I_{XYZWVUTS}, J_{ABCDEFGH}] -> A[I_{HGFEDCBA}, J_{STUVWZYX}]"
    yield "A[I]\x00 -> B[I]\x00"
    yield "\x00" * 1000
    yield "\u202eA[I_X] · B[X_I]\u202c -> C\u2066[I]\u2069"
    yield "\ufeffA[I_X, J]\u200b -> \u00ad\u2060A[I, J_X]"
    yield "א[ב_ג] · ד[ב, ה] -> ו[ה]"
    yield "Ａ[Ｉ_Ｘ, Ｊ] · Ｂ[Ｊ] → Ｃ[Ｉ]"
    yield "A[İ_ß] -> A[i̇]"
    yield "A[I\u0301_X] -> B[Í]"
    yield "\r\r\r\n\n\r;;;;\t\f\v\x1c\x85\u2028\u2029A[I]"
    yield ""
    yield " \t\n" * 1000
    yield "#" * 100_000
    yield ";" * 100_000
    yield "\n".join(["A[I_X, J] · B[J, K] -> C[I_X, K]"] * 2000)
    yield "\n".join(["A[I_X, J · B[J, K -> C[I_X"] * 2000)
    yield "A[I" * 20_000
    yield "$" * 20_001 + "\\begin{align}" * 1000
    yield "<sub>" * 20_000
    yield "\\text{" * 20_000
    yield "AllGather_" * 20_000
    yield "A" * 5_000_000
    yield "A[I_X, J] · " * 420_000
    yield "A[" + "I, " * 1_700_000 + "J]"


def crowded() -> Iterator[str]:
    """Statements with many axes, operands and dimensions: every search has a bound."""
    axes = "mesh " + ", ".join(f"{axis}=2" for axis in "XYZWVU") + "\n"
    sizes = axes + "let I = 64, J = 64, K = 64, L = 64, M = 64\n"
    for head in ("", axes, sizes):
        yield head + "A[I_X, J_Y, K_Z, L_W] · B[I_Y, J_Z, K_W, L_X] -> C[I_Z, J_W, K_X, L_Y]"
        yield head + "A[I_{XYZW}, J] · B[I, J_{WZYX}] -> C[I_{ZX}, J_{YW}]"
        yield head + "A[I_{XYV}, J_{ZW}] · B[J_{XZV}, K_{YW}]"
        yield head + "A[I_{XYV}, J_{ZW}] · B[J_{XZV}, K_{YW}] -> C[K_{XYZ}, I_{WV}]"
        yield (
            head
            + "A[I_{XYV}, J_{ZW}] · B[J_{XZV}, K_{YW}] · C[K_{XYZ}, L_{WV}] · D[L_{VWXYZ}, M] -> E[I_{ZYX}, M_{VW}]"
        )
        yield head + "A[I_{XYZ}, J_{WVU}] -> A[I_{UVW}, J_{ZYX}]"
        yield (
            head
            + "Z[I_X, J_Y] = gelu(A[I_X, J_Y] + B[I_Y, J_X] ⊙ C[I_{XY}, J] - D[I, J_{XY}]) ⊙ E[I_X, J] + F[I, J]{U_{XY}}"
        )
        yield head + "Z[I_X] = " + " + ".join(f"A{n}[I_{'XYZWVU'[n % 6]}]" for n in range(40))
    yield "A[I_{XYZWVUTS}, J_{ABCDEFGH}] -> A[I_{HGFEDCBA}, J_{STUVWZYX}]"
    yield "C[] = " + " · ".join(f"A{n}[I_{{XY}}]" for n in range(20))


def examples() -> list[str]:
    """Return the plans and documents among the examples."""
    root = Path(__file__).parents[2] / "docs" / "examples"
    return [path.read_text("utf-8") for path in sorted(root.rglob("*")) if path.suffix in (".shard", ".md")]


FAMILIES: dict[str, Callable[[], Iterator[str]]] = {
    family.__name__: family for family in (random_bytes, random_pieces, mutated_examples, prefixes, extremes, crowded)
}


def _judge(text: str) -> str | None:
    from shardlang import check

    start = time.process_time()
    try:
        report = check(text)
        report.to_dict()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    seconds = time.process_time() - start
    if seconds > SECONDS_A_TEXT:
        return f"{seconds:.1f} s"
    severities = {finding.severity for finding in report.diagnostics}
    if report.ok == ("error" in severities):
        return f"ok is {report.ok} with findings of {severities}"
    return None


def main(name: str) -> int:
    """Check a family of texts; return 1 if one of them is wrong."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    wrong = count = 0
    for text in FAMILIES[name]():
        count += 1
        problem = _judge(text)
        if problem:
            wrong += 1
            shown = text if len(text) <= 120 else f"{text[:80]}… ({len(text)} characters)"
            print(f"{shown!r}: {problem[:300]}", flush=True)
    print(f"{count} texts, {wrong} wrong")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
