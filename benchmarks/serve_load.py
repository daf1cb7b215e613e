"""Asks a service from a process of its own: requests that are ready, and how long answers take.

python benchmarks/serve_load.py PORT KIND CONNECTIONS SECONDS [RATE] prints one line of JSON.
Without a rate each connection asks again as soon as it is answered; with one, requests begin at
that many a second, whatever becomes of the answers, and what they take is counted from when they
should have begun.
"""

import asyncio
import json
import sys
from random import Random
from time import perf_counter

FEATURES = 57


def example(draw):
    """Return a dict of 57 numbers, and a label that depends on them."""
    x = {f"feature {k}": round(draw.gauss(0, 1), 4) for k in range(FEATURES)}
    return x, "yes" if sum(list(x.values())[:8]) + draw.gauss(0, 1) > 0 else "no"


def bodies(kind, seed=0):
    """Return the path and some bodies, which come in turn, and how many instances each has."""
    draw = Random(seed)
    call, _, size = kind.partition("-")
    size = int(size or 1)
    found = []
    for _ in range(200 if size == 1 else 20):
        pairs = [example(draw) for _ in range(size)]
        body = {"instances": [x for x, _ in pairs]}
        if call == "learn":
            body["labels"] = [y for _, y in pairs]
        found.append(json.dumps(body).encode())
    return f"/v1/models/m:{call}", found, size


class Connection(asyncio.Protocol):
    """Sends one request at a time."""

    def __init__(self):
        self.rest, self.waiting = b"", None

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.rest += data
        head, found, body = self.rest.partition(b"\r\n\r\n")
        if not found:
            return
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        if len(body) >= length:
            self.rest = b""
            self.waiting.set_result(int(head[9:12]))

    def ask(self, request):
        self.waiting = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return self.waiting


async def measure(port, kind, connections, seconds, rate):
    """Return the requests answered a second, and what they took."""
    path, ready, size = bodies(kind)
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    requests = [f"{head}Content-Length: {len(b)}\r\n\r\n".encode() + b for b in ready]
    loop = asyncio.get_running_loop()
    made = [
        (await loop.create_connection(Connection, "127.0.0.1", port))[1] for _ in range(connections)
    ]
    took, wrong, number = [], 0, 0
    start = perf_counter()

    async def closed(one):
        nonlocal wrong, number
        while perf_counter() - start < seconds:
            number += 1
            begun = perf_counter()
            wrong += await one.ask(requests[number % len(requests)]) != 200
            took.append(perf_counter() - begun)

    async def opened(one):
        nonlocal wrong, number
        while (begun := start + number / rate) - start < seconds:
            number += 1
            own = number
            if (early := begun - perf_counter()) > 0:
                await asyncio.sleep(early)
            wrong += await one.ask(requests[own % len(requests)]) != 200
            took.append(perf_counter() - begun)

    await asyncio.gather(*(opened(one) if rate else closed(one) for one in made))
    spent = perf_counter() - start
    took.sort()
    return {
        "rate": size * len(took) / spent,
        "median": took[len(took) // 2],
        "p99": took[int(len(took) * 0.99)],
        "wrong": wrong,
    }


def main():
    port, kind, connections, seconds = sys.argv[1:5]
    rate = float(sys.argv[5]) if len(sys.argv) > 5 else None
    found = asyncio.run(measure(int(port), kind, int(connections), float(seconds), rate))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
