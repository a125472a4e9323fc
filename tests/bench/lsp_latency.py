"""From a change in a text of five hundred lines to its findings, as an editor has it: the median may be at most 200 ms.

    python tests/bench/lsp_latency.py     (with `pip install -e '.[dev]'`)

Every line is a statement. Each round changes a name in the middle, waits for the findings of that version, then for a
completion and the colours. The delay for letters that follow one another is part of the figure. The server's CPU time is
told too, as other programs slow the clock.
"""

import asyncio
import statistics
import sys
import time

from lsprotocol import types

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


async def main() -> int:
    """Measure, print, and return 0 if the median is within the limit."""
    client = await CONFIG.start()
    await start(client)
    source = "\n".join(LINES)
    text = Text(client, source).open()
    await text.findings()
    changes, completions, colours = [], [], []
    before = _cpu(client)
    for number in range(ROUNDS):
        began = time.perf_counter()
        text.change(source.replace("H60[", f"K{number}["))
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
    await client.shutdown_session()
    await client.stop()
    for what, times in (("findings", changes), ("completion", completions), ("colours", colours)):
        print(f"{what}: median {1000 * statistics.median(times):.0f} ms, worst {1000 * max(times):.0f} ms")
    print(f"CPU time of the server, a round: {1000 * used:.0f} ms; {len(LINES) - 1} lines")
    return 0 if statistics.median(changes) <= LIMIT else 1


def _cpu(client: object) -> float:
    """Return the seconds of CPU that the server has used."""
    with open(f"/proc/{client._server.pid}/stat") as file:  # type: ignore[attr-defined]
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
