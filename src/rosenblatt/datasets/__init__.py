"""Real data sets by name: from a folder on this machine, else from their public homes."""

from rosenblatt.datasets.loading import DataSet, load, names, table

__all__ = ["DataSet", "load", "names", "table"]
