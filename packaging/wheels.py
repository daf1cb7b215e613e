"""Build the wheels: ``make wheel``, or ``python packaging/wheels.py``.

There are two, in ``dist``: one for every platform, and one for this one, which also contains the
compiled code of the common signatures (``src/rosenblatt/kernels/common.json``) for the levels of
processors that are sold today. To compile for a level this processor need not have it. The code is
used with the versions of Python, Numba and llvmlite that it was compiled with; with others it is
ignored, and the loops are compiled when they are used.
"""

import base64
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
os.environ.setdefault("PYTHONHASHSEED", "0")  # Numba puts sets into names

from rosenblatt.kernels import compile_cache, warm_up  # noqa: E402

LEVELS = {
    "x86_64": ("x86-64-v3", "x86-64-v4"),
    "amd64": ("x86-64-v3", "x86-64-v4"),
    "aarch64": ("generic",),
    "arm64": ("generic",),
}
MOST = 25_000_000  # bytes
_EPOCH = (1980, 1, 1, 0, 0, 0)  # so that the same content is the same file
_COMPILED = "rosenblatt/kernels/compiled"


def build_pure(folder: Path) -> Path:
    """Build the wheel for every platform."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(folder)]
    subprocess.run([*command, str(ROOT)], check=True)
    (wheel,) = folder.glob("rosenblatt-*-py3-none-any.whl")
    return wheel


def compiled(levels: tuple[str, ...]) -> dict[str, bytes]:
    """Compile the common signatures for levels; return the entries by their names."""
    known = warm_up.common().signatures
    entries = {}
    for level in levels:
        environment = {"NUMBA_CPU_NAME": level, "PYTHONHASHSEED": "0"}
        names = warm_up.warm_up(range(len(known)), **environment)
        if len(names) < len(known):
            failed = [known[k].function for k in range(len(known)) if k not in names]
            raise RuntimeError(f"for {level}, these could not be compiled: {', '.join(failed)}")
        for number, name in names.items():
            content = compile_cache.read(known[number].loop().source.parent, name)
            if content is None:
                raise RuntimeError(f"{name} was compiled, but could not be kept on disk")
            entries[name] = compile_cache.sealed(name, content)
    return entries


def tag() -> str:
    """Return what the wheel with compiled code is for: this Python, and this platform."""
    name = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if name.startswith("linux_"):  # its code uses nothing of the system's
        name = f"manylinux_2_17_{platform.machine()}"
    return f"cp{sys.version_info.major}{sys.version_info.minor}-none-{name}"


def add_entries(pure: Path, entries: dict[str, bytes], tag: str) -> Path:
    """Write the wheel for this platform: the one for every platform, and entries."""
    made = pure.with_name(pure.name.replace("py3-none-any", tag))
    with zipfile.ZipFile(pure) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        files = {name: old.read(name) for name in old.namelist() if not name.endswith("/")}
        for name, content in files.items():
            source = ROOT / "src" / name
            if source.is_file() and source.read_bytes() != content:
                raise RuntimeError(f"{name} changed while the wheel was built: build it again")
        record = next(name for name in files if name.endswith(".dist-info/RECORD"))
        about = record.replace("RECORD", "WHEEL")
        kept = [
            line
            for line in files[about].decode().splitlines()
            if line and not line.startswith(("Tag:", "Root-Is-Purelib:"))
        ]
        text = "\n".join([*kept, "Root-Is-Purelib: true", f"Tag: {tag}", ""])
        files[about] = text.encode()
        files |= {f"{_COMPILED}/{name}": content for name, content in sorted(entries.items())}
        del files[record]
        lines = []
        for name, content in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            lines.append(f"{name},sha256={digest.decode()},{len(content)}")
        files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
        for name, content in files.items():
            info = zipfile.ZipInfo(name, _EPOCH)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            new.writestr(info, content)
    return made


def main(dist: Path) -> None:
    """Build both."""
    dist.mkdir(exist_ok=True)
    levels = LEVELS.get(platform.machine().lower(), ())
    with tempfile.TemporaryDirectory() as folder:
        pure = build_pure(Path(folder))
        made = {pure: ""}
        if levels:
            entries = compiled(levels)
            brings = f", with {len(entries)} compiled loops for {' and '.join(levels)}"
            made[add_entries(pure, entries, tag())] = brings
        for wheel, brings in made.items():
            size = wheel.stat().st_size
            if size > MOST:
                raise SystemExit(f"{wheel.name} is {size / 1e6:.1f} MB, more than {MOST / 1e6:.0f}")
            shutil.move(wheel, dist / wheel.name)
            print(f"{dist / wheel.name}: {size / 1e6:.1f} MB{brings}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "dist")
