"""Downloads that break off go on where they were, and never end with a wrong file."""

import gzip
import threading
import time

import pytest

from rosenblatt.datasets import download

DATE = "Wed, 22 Jul 2026 10:00:00 GMT"


@pytest.mark.parametrize(
    ("marks", "condition"),
    [
        ({}, None),
        ({"etag": '"a"', "modified": DATE}, '"a"'),
        ({"etag": 'W/"a"', "modified": DATE}, DATE),
        ({"etag": 'W/"a"'}, None),
    ],
)
def test_what_breaks_off_goes_on_in_the_same_call(site, cache, waits, marks, condition):
    site.says({"cut": 50_000, **marks}, {"cut": 70_000, **marks}, marks)
    assert site.get() == site.content
    assert site.asked == [None, "bytes=50000-", "bytes=120000-"]
    assert site.conditions == [None, condition, condition]
    assert waits == [0.5, 1.0]
    assert [path.name for path in (cache / "toy").iterdir()] == ["toy.csv"]


@pytest.mark.parametrize(
    "how", [{"reset": True}, {"length": False}, {"length": False, "chunked": True}]
)
def test_other_ways_to_break_off(site, cache, waits, how):
    site.says({"cut": 50_000, **how}, {})
    assert site.get() == site.content
    assert len(site.asked) == 2


def test_after_a_few_tries_it_says_so_and_the_next_call_goes_on(site, cache, part, waits):
    site.says({"cut": 30_000})
    with pytest.raises(
        OSError, match=r"broke off after 120000 of 200000 .*\(the downloaded part is kept\)"
    ):
        site.get()
    assert waits == [0.5, 1.0, 2.0]
    assert part.read_bytes() == site.content[:120_000]
    assert not (cache / "toy" / "toy.csv").exists()
    site.says({})
    assert site.get() == site.content
    assert site.asked[-2:] == ["bytes=90000-", "bytes=120000-"]


def test_a_server_without_ranges_sends_it_again_from_the_start(site, cache, waits):
    site.says({"cut": 50_000}, {"ranges": False})
    assert site.get() == site.content
    assert site.asked == [None, "bytes=50000-"]


def test_a_server_may_send_only_a_piece_of_the_rest(site, cache, waits):
    piece = {"cut": 50_000, "place": "bytes 50000-99999/*", "length": False}
    site.says({"cut": 50_000}, piece, {})
    assert site.get() == site.content
    assert site.asked == [None, "bytes=50000-", "bytes=100000-"]


def test_what_is_beyond_the_place_that_was_told_is_not_taken(site, cache, waits):
    site.says({"cut": 50_000}, {"place": "bytes 50000-99999/200000", "length": False}, {})
    assert site.get() == site.content
    assert site.asked == [None, "bytes=50000-", "bytes=100000-"]


def test_a_changed_file_starts_over(site, cache, waits):
    old = bytes(len(site.content))
    site.says({"content": old, "etag": '"old"', "cut": 50_000}, {"etag": '"new"'})
    assert site.get() == site.content
    assert site.asked == [None, "bytes=50000-"]
    assert site.conditions == [None, '"old"']


@pytest.mark.parametrize("mark", ["etag", "modified"])
def test_a_changed_file_starts_over_without_the_servers_help(site, cache, waits, mark):
    old = bytes(len(site.content))
    new = {mark: f'"{DATE}"' if mark == "etag" else DATE, "conditions": False}
    before = {mark: '"old"' if mark == "etag" else DATE.replace("22", "21")}
    site.says({"content": old, "cut": 50_000, **before}, new)
    assert site.get() == site.content
    assert site.asked == [None, "bytes=50000-", None]
    assert waits == [0.5, 1.0]  # it was seen at once, and not by the checksum


def test_the_rest_need_not_repeat_the_etag(site, cache, waits):
    rest = {"cut": 50_000, "modified": DATE, "conditions": False}
    site.says({"cut": 50_000, "etag": '"a"'}, rest, {"etag": '"a"'})
    assert site.get() == site.content
    assert site.asked == [None, "bytes=50000-", "bytes=100000-"]
    assert site.conditions == [None, '"a"', '"a"']


def test_a_changed_file_that_nothing_tells_apart_starts_over(site, cache, waits):
    site.says({"content": bytes(len(site.content)), "cut": 50_000}, {})
    assert site.get() == site.content
    assert site.asked == [None, "bytes=50000-", None]
    assert waits == [0.5]


@pytest.mark.parametrize(
    "place",
    [
        "bytes 0-149999/200000",
        "bytes 50001-199999/200000",
        "bytes 50000-49999/200000",
        "bytes 50000-",
        "lines 50000-199999/200000",
        "",
    ],
)
def test_a_wrong_content_range_starts_over(site, cache, waits, place):
    site.says({"cut": 50_000}, {"place": place}, {})
    assert site.get() == site.content
    assert site.asked == [None, "bytes=50000-", None]


def test_a_rest_of_something_else_is_refused(site, cache, part, waits):
    site.says({"cut": 50_000}, {"place": "bytes 50000-299999/300000"})
    with pytest.raises(OSError, match="it has 300000 bytes there, not 200000"):
        site.get()
    assert part.read_bytes() == site.content[:50_000]


def test_a_stale_part_starts_over(site, cache, part, waits):
    packed = gzip.compress(site.content)
    part.parent.mkdir(parents=True)
    part.write_bytes(packed + b"more")
    site.says({"content": packed})
    assert site.get("/toy.gz") == site.content
    assert site.asked == [f"bytes={len(packed) + 4}-", None]
    assert waits == [0.5]


def test_a_refused_range_starts_over(site, cache, waits):
    site.says({"cut": 50_000}, {"status": 416}, {})
    assert site.get() == site.content
    assert site.asked == [None, "bytes=50000-", None]


@pytest.mark.parametrize(("path", "asked"), [("/toy", []), ("/toy.gz", 1)])
def test_a_whole_part_is_not_downloaded_again(site, cache, part, path, asked):
    content = gzip.compress(site.content) if path.endswith(".gz") else site.content
    part.parent.mkdir(parents=True)
    part.write_bytes(content)
    site.says({"content": content})
    assert site.get(path) == site.content
    assert site.asked == (asked and [f"bytes={len(content)}-"])


@pytest.mark.parametrize("size", [10, 200_000, 200_001])
def test_a_part_of_something_else_is_thrown_away(site, cache, part, waits, size):
    part.parent.mkdir(parents=True)
    part.write_bytes(bytes(size))
    assert site.get() == site.content
    assert site.asked == (["bytes=10-"] if size == 10 else []) + [None]


def test_wrong_twice_is_wrong(site, cache, part, waits):
    part.parent.mkdir(parents=True)
    part.write_bytes(b"12345")
    site.says({"content": bytes(len(site.content))})
    with pytest.raises(OSError, match=r"the download has the SHA-256 .*, and was deleted"):
        site.get()
    assert site.asked == ["bytes=5-", None]
    assert not list(cache.rglob("*"))


def test_wrong_in_pieces_twice_is_wrong(site, cache, waits):
    site.says({"content": bytes(len(site.content)), "cut": 150_000})
    with pytest.raises(OSError, match=r"the download has the SHA-256 .*, and was deleted"):
        site.get()
    assert site.asked == [None, "bytes=150000-"] * 2
    assert not list(cache.rglob("*"))


def test_what_came_in_one_piece_is_wrong_at_once(site, cache, part, waits):
    part.parent.mkdir(parents=True)
    part.write_bytes(b"12345")
    site.says({"content": bytes(len(site.content)), "ranges": False})
    with pytest.raises(OSError, match=r"the download has the SHA-256 .*, and was deleted"):
        site.get()
    assert site.asked == ["bytes=5-"]
    assert not list(cache.rglob("*"))


def test_silence_is_a_broken_connection(site, cache, waits, monkeypatch):
    monkeypatch.setattr(download, "_SECONDS", 0.2)
    held = threading.Event()
    site.says({"cut": 50_000, "hold": held}, {})
    start = time.monotonic()
    assert site.get() == site.content
    assert time.monotonic() - start < 20  # with the usual patience it would be half a minute
    assert site.asked == [None, "bytes=50000-"]
    held.set()


def test_silence_for_ever_is_an_error(site, cache, waits, monkeypatch):
    monkeypatch.setattr(download, "_SECONDS", 0.1)
    held = threading.Event()
    site.says({"cut": 0, "hold": held})
    with pytest.raises(OSError, match=r"broke off after 0 bytes .*timed out"):
        site.get()
    assert len(site.asked) == 4
    held.set()


@pytest.mark.parametrize(("status", "tries"), [(503, 4), (429, 4), (404, 1), (403, 1), (204, 1)])
def test_which_answers_are_worth_another_try(site, cache, waits, status, tries):
    site.says({"status": status})
    with pytest.raises(OSError, match=str(status)) as caught:
        site.get()
    assert "the downloaded part is kept" not in str(caught.value)
    assert len(site.asked) == tries
    assert not list(cache.rglob("*"))


def test_a_server_that_does_better_soon(site, cache, waits):
    site.says({"status": 503}, {"cut": 50_000}, {"status": 500}, {})
    assert site.get() == site.content
    assert site.asked == [None, None, "bytes=50000-", "bytes=50000-"]


def test_no_way_to_the_server(site, cache, part, waits):
    part.parent.mkdir(parents=True)
    part.write_bytes(site.content[:5])
    site.shutdown()
    site.server_close()
    with pytest.raises(
        OSError, match=r"refused; try again online \(the downloaded part is kept\), or set"
    ):
        site.get()
    assert not waits
    assert part.read_bytes() == site.content[:5]
