"""Vowpal Wabbit's formats in shards: the namespaces that are read, and n-grams."""

import json

import numpy as np
import pytest

from rosenblatt.distributed.files import cut_files, read_shard
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.reader import Reader


def write(folder, kind):
    """Write a file in which a namespace is only in the first lines."""
    rng, lines = np.random.default_rng(0), []
    for k in range(200):
        words, rare = rng.choice(list("abcdef"), 3).tolist(), k < 5
        if kind == "vw":
            more = " |rare x:2" if rare else ""
            lines.append(f"{k % 2} '{k} |user {' '.join(words)} :{k} at:home{more} |ad id{k % 7}")
        else:
            user = {"_text": " ".join(words), "n": k}
            row = {"_label": k % 2, "_tag": str(k), "user": user, "ad": [1, k]}
            lines.append(json.dumps({**row, "rare": {"x": 2}} if rare else row))
    path = folder / f"rows.{kind}"
    path.write_text("\n".join(lines) + "\n")
    return path


def named(names, rows):
    """Return the features of each row."""
    ends = zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True)
    return [
        [(names.name(int(rows.indices[k])), float(rows.values[k])) for k in range(start, stop)]
        for start, stop in ends
    ]


@pytest.mark.parametrize("kind", ["vw", "vwjson"])
@pytest.mark.parametrize("options", [{}, {"drop": ("rare",)}, {"keep": ("user", "rare")}])
def test_shards_have_the_rows_of_the_file(kind, options, tmp_path):
    path = write(tmp_path, kind)
    ngrams = 2 if kind == "vw" else 1
    reading = Reading(dtype="float64", labelled=True, ngrams=ngrams, **options)
    whole = Reader([path], reading)
    rows = [row for block in whole for row in named(whole.names, block.rows)]
    assert len(rows) == 200
    assert any("rare^x" in dict(row) for row in rows) == ("drop" not in options)
    cut = cut_files([path], reading, None, 1500)
    assert len(cut.shards) > 4
    parts = [read_shard(shard, cut.reading, cut.names) for shard in cut.shards]
    assert [row for part in parts for row in named(part.names, part.rows)] == rows
