"""A lab with one screen, made for tests: it is slow, dies, and answers nonsense when told to.

``python trying.py`` is the process of a tab; ``python trying.py serve PORT TOKEN LIMIT`` is a
server whose tabs have such processes. Nothing large is loaded, so both start at once.
"""

import os
import sys
import time
from types import ModuleType

from rosenblatt.lab.calls import call


class Trying:
    """A screen with a memory, and with all faults."""

    def __init__(self):
        self.memory = None

    @call
    def echo(self, value=None):
        return value

    @call
    def keep(self, value):
        self.memory = value

    @call
    def kept(self):
        return self.memory

    @call
    def process(self):
        return os.getpid()

    @call
    def parts(self, count, pause=0.0):
        for k in range(count):
            time.sleep(pause)
            yield k
        return count

    @call
    def sleep(self, seconds):
        time.sleep(seconds)
        return seconds

    @call
    def spin(self):
        yield "begun"
        while True:
            pass

    @call
    def die(self):
        os._exit(3)

    @call
    def hoard(self, size):
        return len(bytearray(size))

    @call
    def refuse(self):
        raise ValueError("row 3 has no label; give it one")

    @call
    def fail(self):
        raise KeyError("nobody thought of this")

    @call
    def overflow(self, number):
        return float(number)

    @call
    def nan(self):
        return float("nan")

    @call
    def strange(self):
        return object()

    @call
    def chatter(self):
        print("this is no answer")
        os.write(1, b"=nor is this\n")
        return "an answer"

    @call
    def endless(self, size):
        return "x" * size

    def hidden(self):
        return "not for pages"

    def _private(self):
        return "not for pages"


def main():
    screens = ModuleType("rosenblatt.lab.screens")
    screens.SCREENS = {"trying": Trying}
    sys.modules["rosenblatt.lab.screens"] = screens
    from rosenblatt.lab import worker

    worker.warm_up = lambda: None
    worker.main()


def serve(port, token, limit):
    from rosenblatt.lab.serve import Lab, listen

    def ready(url):
        print(url, flush=True)

    command = (sys.executable, "-P", __file__)
    Lab(listen(int(port)), token, float(limit), command, ready).serve_until_stopped()
    print("closed", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        serve(*sys.argv[2:])
    else:
        main()
