"""Real data sets by name: from a folder on this machine, else downloaded from public sites."""

from rosenblatt.datasets.loading import DataSet, fetch, load, names, status, table

__all__ = ["DataSet", "fetch", "load", "names", "status", "table"]
