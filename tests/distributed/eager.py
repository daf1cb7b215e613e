"""A cluster that does each task at once, in this process: for the logic, which is most of it."""

import pickle

import cloudpickle

from rosenblatt.distributed.cluster import Cluster


class Eager(Cluster):
    """Runs a task when it is submitted; its arguments and its result travel as they would."""

    def __init__(self):
        self.token = "eager"
        self.client = None
        self.done = []

    threads = 2

    def submit(self, name, function, *args):
        self.done.append(name)
        return pickle.loads(cloudpickle.dumps(function(*pickle.loads(cloudpickle.dumps(args)))))

    later = submit

    def start(self, described):
        return list(described)

    def results(self, futures, what, tick=None):
        return list(futures)
