"""Where there is no browser, tests that need one are skipped; in CI they fail."""

import pytest

from tests.lab import conftest


@pytest.fixture
def nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in conftest.NEEDED:
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_skipped_with_what_to_do(nothing):
    with pytest.raises(pytest.skip.Exception, match="apt-get install chromium"):
        conftest.find_chromium(str(nothing / "none"))


@pytest.mark.parametrize("name", conftest.NEEDED)
def test_a_failure_in_ci(nothing, monkeypatch, name):
    monkeypatch.setenv(name, "1")
    with pytest.raises(pytest.fail.Exception, match="apt-get install chromium"):
        conftest.find_chromium(str(nothing / "none"))


def test_the_machine_s_own_comes_first(nothing):
    own, other = nothing / "google-chrome", nothing / "playwright-chrome"
    other.write_text("")
    assert conftest.find_chromium(str(other)) == str(other)
    own.write_text("")
    own.chmod(0o755)
    assert conftest.find_chromium(str(other)) == str(own)
