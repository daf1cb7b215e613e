"""The disk cache never runs old code, and finds a folder it can use."""

import ast
import os
import pickle
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from rosenblatt.kernels import compile_cache, machine_code, signatures, sources
from rosenblatt.kernels import jit as module
from rosenblatt.kernels.jit import make_jit
from rosenblatt.kernels.overflow import finite
from tests.conftest import first_quick

CALLER = """
from compiled import jit
from package.callee import CONSTANT, inner

@jit
def outer(x):
    return inner(x) + CONSTANT
"""
CALLEE = """
from compiled import jit

CONSTANT = {constant}

@jit
def inner(x):
    return {factor} * x
"""
COMPILED = """
from pathlib import Path
from rosenblatt.kernels.jit import make_jit

jit = make_jit(Path(__file__).parent / "package", (".",))
"""
MAIN = """
from package.caller import outer
print(outer(10), "compiled" if outer.n_compiled else "cached")
"""


@pytest.fixture
def project(tmp_path):
    """A little package whose compiled caller and callee are in two files."""
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").touch()
    (tmp_path / "compiled.py").write_text(COMPILED)
    (tmp_path / "package" / "caller.py").write_text(CALLER)
    (tmp_path / "main.py").write_text(MAIN)
    write_callee(tmp_path)
    return tmp_path


def write_callee(project, factor=2, constant=1):
    text = CALLEE.format(factor=factor, constant=constant)
    (project / "package" / "callee.py").write_text(text)


def run(project, *arguments, **environment):
    result = subprocess.run(
        [sys.executable, "-B", "main.py", *arguments],
        cwd=project,
        env={**os.environ, "NUMBA_CACHE_DIR": "", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout.split()


def entries_of(project):
    """Return what is on disk of the compiled functions of the package."""
    return sorted(compile_cache.beside(project / "package").glob("*.code"))


def test_nothing_is_kept_in_the_package(project):
    """So nothing is left of it that could be imported when pip has removed its files."""
    package = project / "package"
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "caller.outer-0-1.code").touch()  # of an earlier version
    before = {*package.rglob("*.py")}
    assert run(project) == ["21", "compiled"]
    assert {path for path in package.rglob("*") if path.is_file()} == before
    assert entries_of(project)
    assert run(project) == ["21", "cached"]


@pytest.mark.slow
def test_an_edited_callee_is_noticed(project):
    assert run(project) == ["21", "compiled"]
    assert run(project) == ["21", "cached"]
    write_callee(project, factor=3)
    assert run(project) == ["31", "compiled"]
    assert run(project) == ["31", "cached"]
    write_callee(project, factor=3, constant=5)
    assert run(project) == ["35", "compiled"]
    write_callee(project)
    assert run(project) == ["21", "compiled"]
    assert len(entries_of(project)) == 1  # no old entries


def test_a_damaged_entry_is_compiled_anew(project):
    run(project)
    entries = entries_of(project)
    assert entries
    for entry in entries:
        entry.write_bytes(entry.read_bytes()[:100])
    assert run(project) == ["21", "compiled"]
    assert run(project) == ["21", "cached"]


@pytest.mark.slow
def test_a_read_only_package_uses_the_users_cache(project, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    # A file where the folder would be: as good as read-only, even for root.
    (project / "__pycache__").write_text("in the way")
    assert run(project, XDG_CACHE_HOME=str(home)) == ["21", "compiled"]
    assert run(project, XDG_CACHE_HOME=str(home)) == ["21", "cached"]
    assert list(home.glob("rosenblatt-*/*.code"))


@pytest.mark.slow
def test_with_no_home_it_uses_a_private_temporary_folder(project, tmp_path_factory):
    temporary = tmp_path_factory.mktemp("temporary")
    (project / "__pycache__").write_text("in the way")
    nowhere = {"XDG_CACHE_HOME": "/dev/null", "TMPDIR": str(temporary)}
    assert run(project, **nowhere) == ["21", "compiled"]
    assert run(project, **nowhere) == ["21", "cached"]
    (folder,) = temporary.glob("rosenblatt-*")
    assert folder.stat().st_mode & 0o077 == 0
    folder.chmod(0o777)  # anyone could put code there now
    assert run(project, **nowhere) == ["21", "compiled"]


@pytest.mark.slow
def test_with_nowhere_to_write_it_still_runs(project):
    (project / "__pycache__").write_text("in the way")
    # No temporary folder to be had, as on a read-only disk.
    (project / "sitecustomize.py").write_text(
        "import tempfile\ntempfile._candidate_tempdir_list = lambda: ['/dev/null/nowhere']\n"
    )
    nowhere = {"XDG_CACHE_HOME": "/dev/null", "PYTHONPATH": str(project)}
    assert run(project, **nowhere) == ["21", "compiled"]
    assert run(project, **nowhere) == ["21", "compiled"]


@pytest.mark.slow
def test_a_user_without_a_home_can_compile(project):
    (project / "sitecustomize.py").write_text(
        "import pathlib\n"
        "def nobody(self): raise RuntimeError('Could not determine home directory.')\n"
        "pathlib.Path.expanduser = nobody\n"
    )
    homeless = {"PYTHONPATH": str(project), "XDG_CACHE_HOME": ""}
    assert run(project, **homeless) == ["21", "compiled"]
    assert run(project, **homeless) == ["21", "cached"]


@pytest.mark.slow
def test_a_folder_that_goes_away_is_no_error(project):
    (project / "main.py").write_text(
        "import shutil\nfrom package.caller import outer\nouter(10)\n"
        "shutil.rmtree('__pycache__')\n"
        "print(outer(10.5), 'compiled')\n"
    )
    assert run(project) == ["22.0", "compiled"]


@pytest.mark.slow
def test_two_functions_of_one_name(project):
    (project / "package" / "caller.py").write_text(
        "from compiled import jit\n"
        "class A:\n    @jit\n    def f(x): return x + 1\n"
        "class B:\n    @jit\n    def f(x): return x + 1000\n"
    )
    (project / "main.py").write_text("from package.caller import A, B\nprint(A.f(1), B.f(1))\n")
    for _ in range(2):
        assert run(project) == ["2", "1001"]


def test_code_out_of_reach_of_the_digest_is_refused(tmp_path):
    with pytest.raises(TypeError, match="outside of kernels"):
        make_jit(tmp_path, ("kernels",))(lambda x: x)


def test_each_file_is_keyed_by_itself_and_what_it_imports(tmp_path):
    package = Path(module.__file__).parents[1]
    copy = tmp_path / "rosenblatt"
    for folder in module.REACHABLE:
        shutil.copytree(package / folder, copy / folder, ignore=lambda *_: ["__pycache__"])
    kernels = sorted((copy / "kernels").rglob("*.py"))

    def digests():
        sources.source_digest.cache_clear()
        sources.imported.cache_clear()
        return {path: sources.source_digest(path, copy) for path in kernels}

    before, reached = digests(), {path: reached_by_parsing(path, copy) for path in kernels}
    for path in kernels:
        original = package / path.relative_to(copy)
        assert before[path] == sources.source_digest(original, package)
    for path in sorted(copy.rglob("*.py")):
        text = path.read_bytes()
        path.write_bytes(text + b"# a comment\n")
        after = digests()
        changed = {each for each in kernels if after[each] != before[each]}
        assert changed == {each for each in kernels if path in reached[each]}
        path.write_bytes(text)
    assert not any(copy / "data" / "checks.py" in files for files in reached.values())


def reached_by_parsing(source, package):
    """What `reached` finds by searching the text, found by parsing it."""
    found, new = set(), [source]
    while new:
        path = new.pop()
        if path in found:
            continue
        found.add(path)
        names = []
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0
                names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            first, *parts = name.split(".")
            if first == "rosenblatt" and parts:
                tried = [
                    package.joinpath(*parts[:k], "__init__.py") for k in range(1, len(parts) + 1)
                ]
                tried.append(package.joinpath(*parts).with_suffix(".py"))
                new += [each for each in tried if each.is_file()]
    return found


@pytest.mark.parametrize(
    "text",
    [
        "import package.inner",
        "import sys, package.inner as i  # inner",
        "from package import inner",
        "from package import (\n    other,  # not this, but\n    inner,\n)",
        "from package.inner import A",
        "from . import inner",
        "from .inner import A",
        "def f():\n    from package.inner import A",
    ],
)
def test_every_way_to_import_is_noticed(tmp_path, text):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "inner.py").touch()
    source = tmp_path / "package" / "outer.py"
    source.write_text(f"'''A module.'''\n{text}\n")
    files = {path.name for path in sources.reached(source, tmp_path / "package")}
    assert files == {"outer.py", "inner.py"}


class Two(NamedTuple):
    """Two numbers."""

    a: float
    b: float


def test_the_order_of_a_tuples_fields_is_part_of_the_name(monkeypatch):
    types = tuple(signatures.spell(signatures.key_of(x)) for x in ((Two(1.0, 2.0), 3), 4))
    assert signatures.fields_of(["tuple", *types]) == [[[("a", "b"), [], []], []], []]
    name = finite.entry_name(types)
    assert finite.entry_name(types) == name
    monkeypatch.setattr(signatures, "_fields", lambda name: ("b", "a"))
    assert finite.entry_name(types) != name


# An entry with other code than it should have, in a folder that another user makes only after the
# package was imported.
ATTACK = """
import os, pathlib, sys
from package.caller import outer
from rosenblatt.kernels import compile_cache

names = []
read = compile_cache.read
compile_cache.read = lambda source, name: names.append(name) or read(source, name)
if sys.argv[1] == "look":
    print(outer(10), names[0])
    sys.exit()
name, who = sys.argv[2:]
source = pathlib.Path("package").resolve()
folder = compile_cache.candidates(source)[-1]
assert not folder.exists()
folder.mkdir(mode=0o755)
content = pathlib.Path("code").read_bytes()
(folder / name).write_bytes(compile_cache.sealed(name, content))
if who == "folder of another":
    os.chown(folder, 12345, 12345)
elif who == "file of another":
    os.chown(folder / name, 12345, 12345)
elif who == "open folder":
    folder.chmod(0o777)
elif who == "open file":
    (folder / name).chmod(0o666)
elif who == "linked folder":
    folder.rename("elsewhere")
    folder.symlink_to(pathlib.Path("elsewhere").resolve())
elif who == "linked file":
    (folder / name).rename("elsewhere")
    (folder / name).symlink_to(pathlib.Path("elsewhere").resolve())
print(outer(10), name in names)
"""
NEEDS_ROOT = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away"
)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
@pytest.mark.parametrize(
    "who",
    first_quick(
        [
            "own",
            "open folder",
            pytest.param("folder of another", marks=NEEDS_ROOT),
            pytest.param("file of another", marks=NEEDS_ROOT),
            "open file",
            "linked folder",
            "linked file",
        ],
        1,
    ),
)
def test_nobody_elses_code_is_run(project, tmp_path_factory, who):
    # The attacker's code is that of another source.
    write_callee(project, factor=7)
    assert run(project) == ["71", "compiled"]
    (entry,) = entries_of(project)
    content = compile_cache._checked(entry.name, entry.read_bytes())
    (project / "code").write_bytes(content)
    write_callee(project)
    shutil.rmtree(project / "__pycache__")
    (project / "__pycache__").write_text("in the way")
    (project / "main.py").write_text(ATTACK)
    place = tmp_path_factory.mktemp("temporary")
    environment = {"XDG_CACHE_HOME": "/dev/null", "TMPDIR": str(place)}
    _, name = run(project, "look", **environment)
    shutil.rmtree(next(place.iterdir()))
    result, looked_for = run(project, "attack", name, who, **environment)
    assert looked_for == "True"
    # Which shows that the attack works where it can.
    assert result == ("71" if who == "own" else "21")


@pytest.mark.slow
def test_flipped_bits_are_noticed_before_use_fuzz(project):
    """Two thousand damaged entries; more with `make fuzz`."""
    run(project)
    source = project / "package"
    rng = random.Random(1)
    entries = entries_of(project)
    assert len(entries) == 1
    for path in entries:
        whole = path.read_bytes()
        assert compile_cache.read(source, path.name) is not None
        for _ in range(max(2_000, int(os.environ.get("ROSENBLATT_FUZZ", "0")))):
            damaged = bytearray(whole)
            for _ in range(rng.choice((1, 1, 1, 2, 8))):
                damaged[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
            if rng.random() < 0.1:
                damaged = damaged[: rng.randrange(len(whole))]
            path.write_bytes(damaged)
            assert damaged == whole or compile_cache.read(source, path.name) is None
    assert run(project) == ["21", "compiled"]


def test_an_entry_under_anothers_name_is_none(project):
    (project / "main.py").write_text("from package.caller import outer\nouter(10), outer(10.0)\n")
    run(project)
    source = project / "package"
    one, other = entries_of(project)
    other.write_bytes(one.read_bytes())
    assert compile_cache.read(source, one.name) is not None
    assert compile_cache.read(source, other.name) is None


@pytest.mark.slow
def test_what_killed_processes_left_is_cleaned_up(project):
    run(project)
    folder = entries_of(project)[0].parent
    name = next(folder.glob("caller*.code")).name
    old, new = folder / f"{name}.1.tmp", folder / f"{name}.2.tmp"
    for path in old, new:
        path.touch()
    os.utime(old, (1, 1))
    write_callee(project, factor=3)
    run(project)
    assert not old.exists()
    assert new.exists()  # somebody may be writing it


LOADED = """
import sys
from package.caller import {names}
print({code}, "with" if "numba" in sys.modules else "without")
"""
USES = {
    "a number": ("def f(x):\n    return x + 1\n", "f(1)", "2"),
    "a default": ("def f(x, y=3):\n    return x + y\n", "f(1)", "4"),
    "allocated memory": (
        "def f(x):\n    y = np.ones(x)\n    for i in range(x): y[i] += i\n    return y.sum()\n",
        "f(3)",
        "6.0",
    ),
    "logarithms": ("def f(x):\n    return np.log1p(np.exp(x))\n", "round(f(0.0), 3)", "0.693"),
    "a tuple": ("def f(x):\n    return x, 2.5\n", "sum(f(1))", "3.5"),
}


@pytest.mark.parametrize("use", first_quick(USES, 3))
def test_what_is_on_disk_runs_without_numba(project, use):
    function, call, expected = USES[use]
    start = "import numpy as np\nfrom compiled import jit\n\n@jit\n"
    (project / "package" / "caller.py").write_text(start + function)
    (project / "main.py").write_text(LOADED.format(names="f", code=call))
    assert run(project) == [expected, "with"]
    assert run(project) == [expected, "without"]


@pytest.mark.slow
def test_an_array_that_is_returned_has_its_type(project):
    (project / "package" / "caller.py").write_text(
        "import numpy as np\nfrom compiled import jit\n\n"
        "@jit\ndef f(n):\n    return np.zeros(n, np.float32)\n"
    )
    (project / "main.py").write_text(LOADED.format(names="f", code="f(2).dtype, f.n_compiled"))
    assert run(project)[:2] == ["float32", "1"]
    assert run(project)[:2] == ["float32", "0"]


@pytest.mark.slow
def test_an_error_is_raised_as_it_is_by_code_that_was_just_compiled(project):
    (project / "package" / "caller.py").write_text(
        "from compiled import jit\n\n"
        "@jit\ndef f(x):\n    if x > 1:\n        raise ValueError('too large')\n    return x\n"
    )
    (project / "main.py").write_text(
        "from package.caller import f\n"
        "try:\n    f(2)\nexcept ValueError as error:\n    print(f(1), error, f.n_compiled)\n"
    )
    assert run(project) == ["1", "too", "large", "1"]
    assert run(project) == ["1", "too", "large", "0"]


def test_a_constant_that_is_no_dtype_is_not_stored():
    with pytest.raises(TypeError, match="constants that cannot be stored"):
        machine_code.pack("wrapper", [("environment", [object()])], b"")


def test_the_number_of_arguments_is_checked():
    with pytest.raises(TypeError, match="finite takes 1 arguments, not 2"):
        finite(1.0, 2.0)
    assert pickle.loads(pickle.dumps(finite)) is finite


@pytest.mark.slow
def test_a_source_that_changed_since_it_was_imported_is_not_stored(project):
    """What is compiled is then not what is on disk."""
    (project / "main.py").write_text(
        "import sys, time\nfrom package.caller import outer\n"
        "if len(sys.argv) > 1:\n"
        "    time.sleep(0.05)\n"
        "    path = 'package/callee.py'\n"
        "    text = open(path).read()\n"
        "    open(path, 'w').write(text.replace('2 *', '3 *'))\n"
        "print(outer(10), 'compiled' if outer.n_compiled else 'cached')\n"
    )
    assert run(project, "edit") == ["21", "compiled"]
    assert run(project) == ["31", "compiled"]
    assert run(project) == ["31", "cached"]


def test_a_wrong_argument_is_an_error_without_numba_too(project):
    (project / "package" / "caller.py").write_text(
        "from compiled import jit\n\n@jit\ndef f(x):\n    return x.sum()\n"
    )
    (project / "main.py").write_text(
        "import sys\nimport numpy as np\nfrom package.caller import f\n"
        "function = f.ready(np.ones(2))\n"
        "try:\n    function('text')\n"
        "except TypeError:\n    print('refused', 'numba' in sys.modules)\n"
    )
    assert run(project) == ["refused", "True"]
    assert run(project) == ["refused", "False"]
