"""Training on a Dask cluster (extra ``cluster``): `fit` takes data in shards.

- `fitting`: which learner distributes in which way
- `mixing`: rounds over shards, and the tree in which their results are mixed
- `sums`: closed forms and batches, for which sums over all rows are enough
- `deltas`: the changed entries of a state, which is what travels
- `files`, `stream` and `file_fitting`: files as shards, and an `OnlineClassifier` on them
- `estimator_files`: files as matrices in shards, for estimators
- `tagger`, `tagger_prediction` and `tagged_files`: a `SequenceTagger`, and CoNLL files for it
- `prediction`: `predict` and `evaluate` over shards
- `sources` and `arrays`: where shards come from, and what they have in common
- `cluster`: tasks on Dask, and errors in one line
- `checkpoint`: the state after each round, on disk
"""

from rosenblatt.distributed.bound import MixingBound, mixing_bound
from rosenblatt.distributed.cluster import ClusterError
from rosenblatt.distributed.fitting import fit, rounds_of
from rosenblatt.distributed.local import local_client
from rosenblatt.distributed.prediction import evaluate, predict

__all__ = [
    "ClusterError",
    "MixingBound",
    "evaluate",
    "fit",
    "local_client",
    "mixing_bound",
    "predict",
    "rounds_of",
]
