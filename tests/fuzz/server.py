"""The server of docs/tools/server.md in a process of its own, asked by many clients at once.

`python -m tests.fuzz.server N SEED [ROUNDS [PATH]]` asks N hostile requests at the same time, round after round, and
prints the memory of the server after each; with the path `/cost` the texts are priced.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.docs.sessions import fences
from tests.fuzz.texts import numbered

ROOT = Path(__file__).parents[2]
_START = """
running = make_server(0)
print(running.server_port, flush=True)
running.serve_forever()
"""


class Running(NamedTuple):
    """A server: where it listens, and its process."""

    port: int
    process: "subprocess.Popen[str]"

    @property
    def megabytes(self) -> float:
        """The memory that the process has now (resident set)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text("ascii")
        (line,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) / 1024


@contextmanager
def server() -> Iterator[Running]:
    """Run the program of the page."""
    page = (ROOT / "docs" / "tools" / "server.md").read_text("utf-8")
    (fence,) = fences(page, "python")
    program = fence.text.replace('if __name__ == "__main__":\n    make_server().serve_forever()\n', _START)
    assert _START in program
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield Running(int(process.stdout.readline()), process)
        finally:
            process.kill()


def request(number: int, seed: int, path: str = "/") -> bytes:
    """Return one request as bytes: a hostile text, or something that is no request at all."""
    random = Random(f"request {seed}/{number}")
    body = numbered(seed, number).text.encode("utf-8", "surrogatepass")
    kind = random.randrange(20)
    if kind == 0:
        body = random.randbytes(2_000)
    elif kind == 1:
        body = (b"A[I_X, J] -> A[I, J]\n", b"[" * 90_000, b"A[I_X, J_X]\n" * 8_000, b"\xe2\x80\xae" * 6_000)[
            number % 4
        ] * 1
    elif kind == 2:  # a search that takes until the time is over
        body = b"A[I_{XYZW}, J_{VUT}] -> A[I_{TUV}, J_{WZYX}]\n" * 150
    elif kind == 3:
        length = random.choice((b"-1", b"", b"abc", b"9" * 5_000, b"1000000000", "٣".encode()))
        return b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + length + b"\r\n\r\n" + body
    elif kind == 4:
        return random.choice((b"\x00" * 100 + b"\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"POST /\r\n\r\n", b"\r\n\r\n"))
    return b"POST %s HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % (path.encode(), len(body)) + body


async def _ask(port: int, data: bytes) -> str:
    """Send a request; return the status of the answer, and look at it if it is a report."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(data)
        await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
        answer = await reader.read()
    except ConnectionError:  # the server refuses a body that it does not read
        return "refused"
    finally:
        writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    words = head.split(None, 2)
    if len(words) < 2 or not words[0].startswith(b"HTTP/"):
        return "no status"
    if words[1] == b"200":
        report = json.loads(body)
        assert report["ok"] == all(finding["severity"] != "error" for finding in report["diagnostics"])
    return words[1].decode()


async def _all(port: int, requests: list[bytes]) -> list[str]:
    return await asyncio.gather(*(_ask(port, data) for data in requests))


def ask_at_once(port: int, requests: list[bytes]) -> Counter[str]:
    """Return how many answers there were of each status, to requests that are all made at the same time."""
    return Counter(asyncio.run(_all(port, requests)))


def main(count: int, seed: int = 0, rounds: int = 4, path: str = "/") -> None:
    """Ask, and print what comes of it."""
    with server() as running:
        print(f"{running.megabytes:.0f} MB at the start")
        for turn in range(rounds):
            started = time.monotonic()
            answers = ask_at_once(running.port, [request(turn * count + n, seed, path) for n in range(count)])
            seconds = time.monotonic() - started
            print(
                f"{count} requests at once in {seconds:.1f} s: {dict(answers)}; {running.megabytes:.0f} MB", flush=True
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]), *sys.argv[4:])
