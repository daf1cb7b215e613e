"""The disk cache never runs old code, and finds a folder it can use."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rosenblatt.kernels import jit as module
from rosenblatt.kernels.jit import make_jit

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

jit = make_jit(Path(__file__).parent, ("package",))
"""
MAIN = """
from package.caller import outer
print(outer(10), "cached" if outer.stats.cache_hits else "compiled")
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


def run(project, **environment):
    result = subprocess.run(
        [sys.executable, "-B", "main.py"],
        cwd=project,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout.split()


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
    assert len(list((project / "package" / "__pycache__").glob("*.nbc"))) == 2  # no old entries


def test_a_damaged_entry_is_compiled_anew(project):
    run(project)
    entries = list((project / "package" / "__pycache__").glob("*.nbc"))
    assert entries
    for entry in entries:
        entry.write_bytes(entry.read_bytes()[:100])
    assert run(project) == ["21", "compiled"]
    assert run(project) == ["21", "cached"]


def test_a_read_only_package_uses_the_users_cache(project, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    # A file where the folder would be: as good as read-only, even for root.
    (project / "package" / "__pycache__").write_text("in the way")
    assert run(project, XDG_CACHE_HOME=str(home)) == ["21", "compiled"]
    assert run(project, XDG_CACHE_HOME=str(home)) == ["21", "cached"]
    assert list(home.glob("rosenblatt-*/*.nbc"))


def test_with_no_home_it_uses_a_private_temporary_folder(project, tmp_path_factory):
    temporary = tmp_path_factory.mktemp("temporary")
    (project / "package" / "__pycache__").write_text("in the way")
    nowhere = {"XDG_CACHE_HOME": "/dev/null", "TMPDIR": str(temporary)}
    assert run(project, **nowhere) == ["21", "compiled"]
    assert run(project, **nowhere) == ["21", "cached"]
    (folder,) = temporary.glob("rosenblatt-*")
    assert folder.stat().st_mode & 0o077 == 0
    folder.chmod(0o777)  # anyone could put code there now
    assert run(project, **nowhere) == ["21", "compiled"]


def test_with_nowhere_to_write_it_still_runs(project):
    (project / "package" / "__pycache__").write_text("in the way")
    # No temporary folder to be had, as on a read-only disk.
    (project / "sitecustomize.py").write_text(
        "import tempfile\ntempfile._candidate_tempdir_list = lambda: ['/dev/null/nowhere']\n"
    )
    nowhere = {"XDG_CACHE_HOME": "/dev/null", "PYTHONPATH": str(project)}
    assert run(project, **nowhere) == ["21", "compiled"]
    assert run(project, **nowhere) == ["21", "compiled"]


def test_a_user_without_a_home_can_compile(project):
    (project / "sitecustomize.py").write_text(
        "import pathlib\n"
        "def nobody(self): raise RuntimeError('Could not determine home directory.')\n"
        "pathlib.Path.expanduser = nobody\n"
    )
    homeless = {"PYTHONPATH": str(project), "XDG_CACHE_HOME": ""}
    assert run(project, **homeless) == ["21", "compiled"]
    assert run(project, **homeless) == ["21", "cached"]


def test_a_folder_that_goes_away_is_no_error(project):
    (project / "main.py").write_text(
        "import shutil\nfrom package.caller import outer\nouter(10)\n"
        "shutil.rmtree('package/__pycache__')\n"
        "print(outer(10.5), 'compiled')\n"
    )
    assert run(project) == ["22.0", "compiled"]


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


def test_every_source_that_kernels_import_is_in_the_digest(tmp_path):
    package = Path(module.__file__).parents[1]
    before = module.source_digest(package, module.REACHABLE)
    copy = tmp_path / "rosenblatt"
    for folder in module.REACHABLE:
        (copy / folder).mkdir(parents=True)
        for path in (package / folder).glob("*.py"):
            (copy / folder / path.name).write_bytes(path.read_bytes())
    assert module.source_digest(copy, module.REACHABLE) == before
    for path in sorted(copy.rglob("*.py")):
        text = path.read_bytes()
        path.write_bytes(text + b"\n")
        assert module.source_digest(copy, module.REACHABLE) != before
        path.write_bytes(text)
