"""Files in the folder of data sets are what the table says, or are refused."""

import gzip
import hashlib

import pytest

from rosenblatt.datasets import files
from rosenblatt.datasets.files import File, folder, read

GOOD = b"1,2,a\n3,4,b\n"
FILE = File("toy.csv", len(GOOD), hashlib.sha256(GOOD).hexdigest())


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("toy.csv", GOOD[:-1], "has 11 bytes unpacked, not 12"),
        ("toy.csv", GOOD.replace(b"a", b"b"), "has the SHA-256"),
        ("toy.csv.gz", gzip.compress(GOOD, mtime=0)[:-9], "is broken"),
        ("toy.csv.gz", GOOD, "is broken"),
        ("toy.csv.gz", gzip.compress(bytes(10_000_000)), "has 13 bytes unpacked, not 12"),
    ],
)
def test_a_broken_file_in_the_folder_is_refused(tmp_path, name, content, reason):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=f"{reason}.*delete it, and load again"):
        read(tmp_path, FILE)


@pytest.mark.parametrize("name", ["toy.csv", "toy.csv.gz"])
def test_a_file_is_read_as_it_is_or_unpacked(tmp_path, name):
    (tmp_path / name).write_bytes(GOOD if name == "toy.csv" else gzip.compress(GOOD))
    assert read(tmp_path, FILE) == GOOD


def test_the_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("ROSENBLATT_DATA", str(tmp_path))
    assert folder() == tmp_path
    monkeypatch.delenv("ROSENBLATT_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert folder() == tmp_path / "cache" / "rosenblatt" / "data"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert folder() == tmp_path / "home" / ".cache" / "rosenblatt" / "data"
    monkeypatch.setenv("ROSENBLATT_DATA", "~nobody-of-this-name/data")
    with pytest.raises(FileNotFoundError, match="set ROSENBLATT_DATA"):
        files.folder()
