"""From a change in a text to its findings, as an editor has it: the median may be at most 200 ms.

    python tests/bench/lsp_latency.py     (with `pip install -e '.[dev]'`)

Two texts: five hundred lines that are each a statement, and a dozen statements over four mesh axes, whose plans take long
to search. Each round changes a name in the middle, waits for the findings of that version, then for a completion and the
colours. The delay for letters that follow one another is part of the figure. The server's CPU time is told too, as other
programs slow the clock.
"""

import asyncio
import statistics
import sys
import time

from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.tools.lsp.session import CONFIG, Text, position, start

LIMIT = 0.2
ROUNDS = 25
LINES = [
    "mesh X=4, Y=2",
    "let B = 4096, D = 8192, F = 4*D",
    "hardware tpu-v5p",
    *(
        line
        for i in range(124)
        for line in (
            f"H{i}[B_X, F_Y] = In{i}[B_X, D] · W{i}[D, F_Y]",
            f"G{i}[B_X, F_Y] = gelu(H{i}[B_X, F_Y])",
            f"O{i}[B_X, D] = G{i}[B_X, F_Y] · V{i}[F_Y, D]",
            f"AllGather_X(O{i}[B_X, D]) -> O{i}[B, D]",
        )
    ),
    "",
]
SEARCHED = [
    "mesh X=4, Y=4, Z=4, V=2",
    "let B = 4096, D = 8192, F = 4*D, K = 128",
    *(
        f"H{60 * i + j}[B_X, K] = A{i}[B_{x}, D_Y] · W{i}[D_{y}, F_Y] · V{60 * i + j}[F_Z, K_X]"
        for i, x in enumerate("YZV")
        for j, y in enumerate("XZV")
    ),
    "",
]
TEXTS = {"five hundred lines": LINES, "long searches": SEARCHED}


async def main() -> int:
    """Measure, print, and return 0 if the medians are within the limit."""
    client = await CONFIG.start()
    await start(client)
    medians = [await _measure(client, what, lines) for what, lines in TEXTS.items()]
    await client.shutdown_session()
    await client.stop()
    return 0 if max(medians) <= LIMIT else 1


async def _measure(client: LanguageClient, what: str, lines: list[str]) -> float:
    """Print the figures of one text, and return the median from a change to its findings, in seconds."""
    before = _cpu(client)
    text = Text(client, "\n".join(lines)).open()
    while text.uri not in client.diagnostics:
        await asyncio.sleep(0.001)
    print(f"{what} ({len(lines) - 1}): first check {1000 * (_cpu(client) - before):.0f} ms of CPU time")
    changes, completions, colours = [], [], []
    before, name = _cpu(client), "H60"
    for number in range(ROUNDS):
        began = time.perf_counter()
        at = text.text.index(f"{name}[")
        text.edit(at, at + len(name), f"K{number}")
        name = f"K{number}"
        while text.uri not in client.diagnostics:
            await asyncio.sleep(0.001)
        changes.append(time.perf_counter() - began)
        began = time.perf_counter()
        place = position(text.text, text.text.index("V60["))
        await client.text_document_completion_async(types.CompletionParams(text.identifier, place))
        completions.append(time.perf_counter() - began)
        began = time.perf_counter()
        await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(text.identifier))
        colours.append(time.perf_counter() - began)
    used = (_cpu(client) - before) / ROUNDS
    for of, times in (("findings", changes), ("completion", completions), ("colours", colours)):
        print(f"  {of}: median {1000 * statistics.median(times):.0f} ms, worst {1000 * max(times):.0f} ms")
    print(f"  CPU time of the server, a round: {1000 * used:.0f} ms")
    return statistics.median(changes)


def _cpu(client: LanguageClient) -> float:
    """Return the seconds of CPU that the server has used."""
    with open(f"/proc/{client._server.pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
