"""Training on a Dask cluster (extra ``cluster``): `fit` takes data in shards.

- `fitting`: which learner distributes in which way
- `mixing`: rounds over shards, and the tree in which their results are mixed
- `sums`: closed forms and batches, for which sums over all rows are enough
- `deltas`: the changed entries of a state, which is what travels
- `sources` and `arrays`: where shards come from, and what they have in common
- `cluster`: tasks on Dask, and errors in one line
- `checkpoint`: the state after each round, on disk
"""

from rosenblatt.distributed.bound import MixingBound, mixing_bound
from rosenblatt.distributed.cluster import ClusterError
from rosenblatt.distributed.fitting import fit, rounds_of

__all__ = ["ClusterError", "MixingBound", "fit", "mixing_bound", "rounds_of"]
