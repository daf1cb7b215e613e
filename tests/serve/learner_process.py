"""Asks a service in several threads until it dies; notes what was acknowledged.

python -m tests.serve.learner_process URL SEED
"""

import json
import sys
import threading
from http.client import HTTPException
from random import Random

from rosenblatt.client import Client, ServiceError

THREADS = 4


def ask(url, seed, thread, out):
    """Learn and predict until there is no answer; print what was learned, each with its mark."""
    draw, number = Random(f"{seed} {thread}"), 0
    client = Client(url, timeout=20)
    while True:
        size = draw.choice((1, 1, 1, 5, 40))
        marks = [f"{seed}-{thread}-{number + k}" for k in range(size)]
        number += size
        instances = [{"x": draw.random(), draw.choice("abcdef"): 1, "mark": one} for one in marks]
        labels = [draw.choice(("yes", "no")) for _ in marks]
        try:
            if draw.random() < 0.2:
                ids = client.predict_many("m", instances, keep=True)["ids"]
                answer = client.learn_later("m", ids, labels)
            else:
                answer = client.learn_many("m", instances, labels)
            client.predict("m", instances[0])
        except ServiceError as error:  # an id whose prediction was not on disk yet
            if error.status == 404:
                continue
            raise
        except (OSError, HTTPException):
            return
        with out:
            print(json.dumps([answer["position"], answer["learned"], marks]), flush=True)


def main():
    lock = threading.Lock()
    threads = [
        threading.Thread(target=ask, args=(sys.argv[1], sys.argv[2], k, lock))
        for k in range(THREADS)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()


if __name__ == "__main__":
    main()
