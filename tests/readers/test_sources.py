"""Files, patterns and pipes; plain, gzip and zstd give the same bytes, and damage is an error."""

import gzip
import io
import os
import random
import subprocess
import sys
import textwrap
import threading
import time
import zlib
from pathlib import Path

import pyarrow as pa
import pytest

from rosenblatt.readers import sources
from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.sources import Source, arrow, expand, open_stream
from tests.conftest import first_quick

LINES = b"".join(b"%d 1:%d 7:0.5\n" % (k % 2, k) for k in range(60_000))
EMPTY_FRAME = b"\x5a\x2a\x4d\x18\x03\0\0\0abc"  # for others than us


def zstd(content):
    return pa.compress(content, codec="zstd", asbytes=True)


def halves(pack, content):
    middle = len(content) // 2
    return pack(content[:middle]) + pack(content[middle:])


PACKED = {
    "plain": LINES,
    "gzip": gzip.compress(LINES),
    "gzip members": halves(gzip.compress, LINES) + gzip.compress(b""),
    "gzip, filled up": gzip.compress(LINES) + b"\0" * 300_000,
    "zstd": zstd(LINES),
    "zstd frames": EMPTY_FRAME + halves(zstd, LINES) + EMPTY_FRAME,
}


def written(folder, content, name="lines"):
    path = Path(folder) / name
    path.write_bytes(content)
    return path


def everything(stream, how="read", size=70_001):
    pieces = []
    while True:
        if how == "read":
            piece = stream.read(size)
        else:
            buffer = bytearray(size)
            piece = bytes(buffer[: stream.readinto(buffer)])
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)


@pytest.mark.parametrize("how", ["read", "readinto"])
@pytest.mark.parametrize("kind", PACKED)
def test_packed_and_plain_are_the_same(kind, how, tmp_path):
    path = written(tmp_path, PACKED[kind])
    with open_stream(expand([path])[0]) as stream:
        assert stream.packed == (kind != "plain")
        assert stream.seekable == (kind == "plain")
        assert stream.peek(50_000) == LINES[:50_000]
        assert stream.read(3) == LINES[:3]
        assert stream.peek(9) == LINES[3:12]
        assert everything(stream, how) == LINES[3:]
        assert stream.consumed == len(PACKED[kind])
        assert stream.peek(5) == stream.read(5) == b""


@pytest.mark.parametrize("kind", PACKED)
@pytest.mark.parametrize("size", [1, 2, 5, 4096])
def test_pieces_of_any_size(kind, size, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_PACKED", 5)
    monkeypatch.setattr(sources, "_PIECE", 7)
    content = LINES[:2000]
    pack = {"p": bytes, "g": gzip.compress, "z": zstd}[kind[0]]
    path = written(tmp_path, halves(pack, content))
    with open_stream(expand([path])[0]) as stream:
        assert everything(stream, "readinto", size) == content


def test_read_gives_all_it_can(tmp_path):
    with open_stream(expand([written(tmp_path, PACKED["gzip"])])[0]) as stream:
        assert stream.read(1 << 40) == LINES


def test_peek_has_a_limit(tmp_path):
    with open_stream(expand([written(tmp_path, LINES)])[0]) as stream:
        assert len(stream.peek(1 << 16)) == 1 << 16
        with pytest.raises(ValueError, match="at most 65536"):
            stream.peek((1 << 16) + 1)


@pytest.mark.parametrize("content", [b"", b"\x1f", b"1", b"\x28\xb5", b"\n"])
def test_tiny_files(content, tmp_path):
    with open_stream(expand([written(tmp_path, content)])[0]) as stream:
        assert stream.peek(10) == content
        assert everything(stream) == content


DAMAGED = {
    "gzip cut": (PACKED["gzip"][:-20], "gzip archive is truncated"),
    "gzip cut in its header": (PACKED["gzip"][:5], "gzip archive is truncated"),
    "gzip header only": (b"\x1f\x8b\x08", "gzip archive is truncated"),
    "gzip second cut": (PACKED["gzip members"][:-5], "gzip archive is truncated"),
    "gzip checksum": (PACKED["gzip"][:-8] + b"\0" * 8, "gzip archive is damaged"),
    "gzip content": (PACKED["gzip"][:5000] + b"\xff" * 99 + PACKED["gzip"][5099:], "is damaged"),
    "gzip and more": (PACKED["gzip"] + b"and more", "gzip archive is damaged"),
    "zstd cut": (PACKED["zstd"][:-20], "zstd archive is damaged or truncated"),
    "zstd header only": (PACKED["zstd"][:5], "zstd archive is damaged or truncated"),
    "zstd content": (PACKED["zstd"][:12] + b"\xff" * 99 + PACKED["zstd"][111:], "is damaged"),
    "zstd and more": (PACKED["zstd"] + b"and more", "zstd archive is damaged"),
}


@pytest.mark.parametrize("how", ["read", "readinto"])
@pytest.mark.parametrize("kind", DAMAGED)
def test_damaged_archives(kind, how, tmp_path):
    content, message = DAMAGED[kind]
    with open_stream(expand([written(tmp_path, content, "some.svm")])[0]) as stream:
        for _ in range(2):  # it stays an error
            with pytest.raises(DataError, match=rf"some\.svm: .*{message}.*get the file again"):
                everything(stream, how)


def test_any_damage_is_a_data_error_or_the_right_bytes(tmp_path):
    """Flip bytes anywhere: what comes out is the content, or an error; never other bytes."""
    content, chance = LINES[:3000], random.Random(5)
    for packed in (gzip.compress(content), zstd(content)):
        for _ in range(150):
            bad = bytearray(packed)
            for _ in range(chance.randint(1, 3)):
                bad[chance.randrange(4, len(bad))] ^= 1 << chance.randrange(8)
            stream = open_stream(expand([written(tmp_path, bytes(bad))])[0])
            with stream:
                try:
                    found = everything(stream)
                except DataError:
                    continue
                # zstd as packed here has no checksum, so that it cannot tell.
                assert found == content or packed[0] == 0x28


@pytest.mark.parametrize(
    ("start", "tool"),
    [
        (b"\xfd7zXZ\x00\x00", "xz -dc"),
        (b"BZh91AY&SY", "bzip2 -dc"),
        (b"PK\x03\x04\x14", "unzip -p"),
        (b"\x04\x22\x4d\x18", "lz4 -dc"),
    ],
)
def test_other_archives_are_named(start, tool, tmp_path):
    with pytest.raises(DataError, match=f"archive cannot be read; unpack it with {tool}"):
        open_stream(expand([written(tmp_path, start + b"\0" * 50)])[0])


def test_zstd_needs_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'rosenblatt\[data\]'"):
        arrow("Parquet")
    with (
        open_stream(expand([written(tmp_path, PACKED["zstd"])])[0]) as stream,
        pytest.raises(ModuleNotFoundError, match=r"zstd archives needs pyarrow: pip install"),
    ):
        stream.read(1)


def unpackers():
    return [thread for thread in threading.enumerate() if thread.name == "unpacking"]


def test_closing_early_ends_the_thread(tmp_path):
    before = set(unpackers())
    path = written(tmp_path, gzip.compress(bytes(60_000_000), 1))
    with open_stream(expand([path])[0]) as stream:
        mine = set(unpackers()) - before
        assert len(mine) == 1
        assert stream.read(10) == bytes(10)
    stream.close()
    until = time.monotonic() + 20
    while mine & set(unpackers()) and time.monotonic() < until:
        time.sleep(0.01)
    assert not mine & set(unpackers())


def test_errors_of_the_system_stay_what_they_are(tmp_path, monkeypatch):
    path = written(tmp_path, PACKED["zstd"])

    class Failing(io.BytesIO):
        def read(self, n):
            if self.tell() > 0:
                raise OSError(5, "Input/output error")
            return super().read(min(n, 4096))

    monkeypatch.setattr(Path, "open", lambda *_, **__: Failing(PACKED["zstd"]))
    with (
        open_stream(Source("x", path, 5)) as stream,
        pytest.raises(OSError, match="Input/output error"),
    ):
        everything(stream)


# --- memory ---------------------------------------------------------------------------------------

MEMORY = """
    import resource, sys
    from rosenblatt.readers.sources import expand, open_stream
    source = expand([sys.argv[1]])[0]
    with open_stream(source) as stream:
        stream.peek(1 << 16)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        buffer, size = bytearray(1 << 20), 0
        while got := stream.readinto(buffer):
            size += got
    print(size, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize("kind", first_quick(["gzip", "zstd"], 1))
def test_memory_is_bounded(kind, tmp_path):
    """A file of 300 MB that is packed a thousandfold takes a few MB."""
    content = b"1 7:0.5 9:1\n" * 25_000_000
    if kind == "zstd":
        packed = zstd(content)
    else:
        packer = zlib.compressobj(1, zlib.DEFLATED, 31)
        packed = packer.compress(content) + packer.flush()
    path = written(tmp_path, packed)
    command = [sys.executable, "-c", textwrap.dedent(MEMORY), str(path)]
    size, kilobytes = map(int, subprocess.check_output(command).split())
    assert size == len(content)
    assert kilobytes < 40_000


# --- pipes ----------------------------------------------------------------------------------------

COPY = """
    import sys
    from rosenblatt.readers.sources import expand, open_stream
    with open_stream(expand(["-"])[0]) as stream:
        start = stream.peek(100)
        content = stream.read(1 << 40)
    assert content.startswith(start)
    sys.stdout.write(f"{stream.source.name} {stream.packed} {stream.consumed} {hash(content)}")
"""


@pytest.mark.parametrize("kind", first_quick(PACKED, 2))
def test_standard_input_is_a_pipe(kind):
    command = [sys.executable, "-c", textwrap.dedent(COPY)]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    asked = subprocess.run(
        command, input=PACKED[kind], capture_output=True, env=environment, check=True
    )
    plain = subprocess.run(command, input=LINES, capture_output=True, env=environment, check=True)
    packed, size = kind != "plain", len(PACKED[kind])
    assert asked.stdout.startswith(b"standard input %s %d " % (str(packed).encode(), size))
    assert asked.stdout.split()[-1] == plain.stdout.split()[-1]


EARLY = """
    import sys
    from rosenblatt.readers.sources import expand, open_stream
    with open_stream(expand(["-"])[0]) as stream:
        print(stream.read(3))
"""


@pytest.mark.parametrize("kind", first_quick(["plain", "gzip", "zstd"], 1))
def test_a_pipe_that_says_no_more_can_be_left(kind):
    """Reading stops although the writer neither writes nor closes: nobody waits for ever."""
    # pyarrow waits for a whole piece.
    start = LINES[:400]
    packed = {"plain": start, "gzip": gzip.compress(start), "zstd": zstd(5000 * start)}
    command = [sys.executable, "-c", textwrap.dedent(EARLY)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(packed[kind])
        process.stdin.flush()
        assert process.stdout.read() == b"%a\n" % LINES[:3]
        assert process.wait(60) == 0
        process.stdin.close()


def test_a_named_pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(PACKED["gzip"],))
    writer.start()
    source = expand([path])[0]
    assert source.size is None
    with open_stream(source) as stream:
        assert everything(stream) == LINES
        assert not stream.seekable
    writer.join()


def test_standard_input_of_other_kinds(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PACKED["gzip"])))
    with open_stream(expand(["-"])[0]) as stream:
        assert everything(stream) == LINES
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(OSError, match=r"standard input \(-\) is closed; name a file"):
        open_stream(expand(["-"])[0])


def test_a_pipe_that_does_not_wait(monkeypatch):
    ends = os.pipe()
    os.set_blocking(ends[0], False)
    with open(ends[0], "rb") as reading, open(ends[1], "wb", buffering=0) as writing:  # noqa: PTH123
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(reading))
        later = threading.Timer(0.1, lambda: (writing.write(LINES[:999]), writing.close()))
        later.start()
        with open_stream(expand(["-"])[0]) as stream:
            assert everything(stream, "readinto") == LINES[:999]
        later.join()
        sys.stdin.detach()


# --- names ----------------------------------------------------------------------------------------


def test_expand(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("b.gz", "a.gz", "c.txt", "deep/er/d.gz", "odd[1].txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"12345")
    (tmp_path / "folder.gz").mkdir()
    names = [source.name for source in expand(["c.txt", "*.gz", "-", "odd[1].txt", "**/*.gz"])]
    assert names == [
        *("c.txt", "a.gz", "b.gz", "standard input", "odd[1].txt"),
        *("a.gz", "b.gz", "deep/er/d.gz"),
    ]
    assert expand([tmp_path / "c.txt"]) == [Source(str(tmp_path / "c.txt"), tmp_path / "c.txt", 5)]
    assert expand(["-"]) == [Source("standard input", None, None)]
    assert expand([]) == []


@pytest.mark.parametrize(
    ("files", "error", "message"),
    [
        (["nothing.svm"], FileNotFoundError, "there is no file nothing.svm; check"),
        (["*.nothing"], FileNotFoundError, r"no file matches \*.nothing; check the pattern"),
        (["."], IsADirectoryError, r"\. is a folder; name the files in it, such as \*"),
        (["-", "-"], ValueError, "standard input"),
    ],
)
def test_expand_says_what_is_wrong(files, error, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=message):
        expand(files)


def test_names_that_are_no_text(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.svm")
    try:
        Path(path).write_bytes(b"1\n")
    except OSError:
        pytest.skip("this file system has no such names")
    assert expand([path])[0].name.endswith(r"\xff.svm")
