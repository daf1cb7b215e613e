"""Files taken apart and put together by hand, with checksums that are right."""

import json

from rosenblatt.persist import container


def split(path):
    """Return the table, the header and the bytes of the arrays of a file."""
    raw = path.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    table = json.loads(raw[8 : 8 + length])
    header = json.loads(table.pop("__metadata__")["rosenblatt"])
    return table, header, raw[8 + length :]


def join(path, table, header, data, sealed=True):
    """Write a file of these parts, with the header's checksum made anew."""
    if sealed:
        header = {**header, "crc32": container._checksum(header)}
    front = json.dumps({**table, "__metadata__": {"rosenblatt": json.dumps(header)}}).encode()
    path.write_bytes(len(front).to_bytes(8, "little") + front + data)
