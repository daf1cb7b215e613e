"""What a round on a cluster costs: a model of it, and what it says of clusters we do not have.

``python benchmarks/cluster_costs.py`` prints the tables of ``docs/cluster-costs.md`` that go beyond
this machine. ``benchmarks/cluster.py`` measures the rates and compares the model with real rounds.
"""

from dataclasses import dataclass, replace
from math import ceil, log2


@dataclass
class Rates:
    """What was measured, in seconds and bytes.

    ``read`` is bytes of text a second and worker, ``learn`` entries of rows a second and worker,
    ``mix`` bytes of changes that are mixed in a second, ``network`` bytes a second between two
    workers. ``fixed`` and ``each`` are the seconds that Dask takes for a round, and for each shard.
    """

    read: float = 0.8e9
    learn: float = 0.4e9
    mix: float = 0.43e9
    network: float = 1.3e9
    fixed: float = 0.022
    each: float = 0.0026


@dataclass
class Job:
    """Data, and what they are learned with.

    ``row_bytes`` and ``row_entries`` are those of one example, as text and in memory. ``columns``
    have ``column_bytes`` in a state, and a shard's changes take ``changed`` bytes.
    """

    examples: float
    row_bytes: float
    row_entries: float
    columns: float
    column_bytes: float
    changed: float

    @property
    def state(self) -> float:
        """The bytes of the learner's state."""
        return self.columns * self.column_bytes


@dataclass
class Costs:
    """The seconds of the parts of a round, and of reading before the first."""

    reading: float
    learning: float
    publishing: float
    mixing: float
    scheduling: float

    @property
    def round(self) -> float:
        """The seconds of a round."""
        return self.learning + self.publishing + self.mixing + self.scheduling


def costs(job: Job, rates: Rates, workers: int, shards: int) -> Costs:
    """Say what reading and a round cost.

    The slowest worker has ``ceil(shards / workers)`` shards. The state goes to one worker and from
    there on to the others, twice as many at a time. Each level of the tree mixes pairs, as many at
    a time as there are workers, and half of each pair comes from another worker.
    """
    shard_examples = job.examples / shards
    turns = ceil(shards / workers)
    message = min(job.changed, job.state)
    mixing, level = 0.0, shards
    while level > 1:
        pairs, level = level // 2, ceil(level / 2)
        mixing += ceil(pairs / workers) * (2 * message / rates.mix + message / rates.network)
        message = min(1.5 * message, job.state)  # two shards change some of the same columns
    hops = ceil(log2(workers)) + 2  # from the client to the scheduler, and to the first worker
    return Costs(
        reading=turns * shard_examples * job.row_bytes / rates.read,
        learning=turns * shard_examples * job.row_entries / rates.learn,
        publishing=hops * job.state / rates.network,
        mixing=mixing,
        scheduling=rates.fixed + rates.each * shards,
    )


# The text of benchmarks/files.py, as large as the web: 57 words a row, 800 bytes.
WEB = Job(1e11, 800, 57, 2**24, 12, 2**24 * 12)


def table(rows: list[tuple[str, Job, Rates, int, int]]) -> None:
    """Print what some clusters would take."""
    print("case | workers | shards | read | learn | publish | mix | Dask | a round | memory")
    for name, job, rates, workers, shards in rows:
        found = costs(job, rates, workers, shards)
        memory = 8 * job.row_entries * job.examples / workers + 3 * job.state
        parts = (found.learning, found.publishing, found.mixing, found.scheduling, found.round)
        told = " | ".join(f"{seconds:,.1f} s" for seconds in parts)
        print(
            f"{name} | {workers:,} | {shards:,} | {found.reading:,.0f} s | {told} | "
            f"{memory / 1e9:,.1f} GB"
        )


def main() -> None:
    """Print the tables of the page."""
    many = Rates(network=1.25e9)  # ten gigabit a second
    wide = replace(WEB, columns=1e9, changed=12e9)
    table(
        [
            ("one a worker", WEB, many, 1000, 1000),
            ("four a worker", WEB, many, 1000, 4000),
            ("1 GiB each", WEB, many, 1000, round(WEB.examples * WEB.row_bytes / 2**30)),
            ("2^18 columns", replace(WEB, columns=2**18, changed=2**18 * 12), many, 1000, 1000),
            ("10^9 columns", wide, many, 1000, 1000),
            ("100 workers", WEB, many, 100, 100),
        ]
    )


if __name__ == "__main__":
    main()
