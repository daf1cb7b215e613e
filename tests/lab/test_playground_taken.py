"""What is taken along from the playground: a link, the code, the picture."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.lab.playground import Open, points, press, save, settled, shows, value


def test_a_link_shows_the_same(open_page: Open, new_page: Callable[..., Page]) -> None:
    page = open_page("#/playground?preset=moons")
    settled(page)
    page.select_option("#learner", "averaged")
    page.select_option("#set-order", "shuffled")
    page.check("#show-margin")
    page.mouse.click(640, 320)
    expect(page.locator("[data-point]")).to_have_count(121)
    for k in range(1, 8):
        press(page, "ArrowRight")
        shows(page, "step", k)
    shown = [value(page, name) for name in ("w", "b", "mean", "mistakes", "looked")]
    page.click("#take")
    page.click("[data-take=link]")
    link = page.inner_text("#taken-text")
    page.keyboard.press("Escape")
    other = open_page(link, page=new_page())
    shows(other, "step", 7)
    assert [value(other, name) for name in ("w", "b", "mean", "mistakes", "looked")] == shown
    assert other.is_checked("#show-margin")
    assert other.input_value("#set-order") == "shuffled"
    assert points(other) == points(page)


@pytest.mark.parametrize("state", ["?preset=iris&step=40", "?preset=deck-b&step=3"])
def test_the_code_gives_the_weights_shown(
    state: str, open_page: Open, tmp_path: Path, monkeypatch, capsys
) -> None:
    page = open_page(f"#/playground{state}")
    settled(page)
    shows(page, "step", int(state.rpartition("=")[2]))
    monkeypatch.chdir(tmp_path)
    save(page, "csv").save_as(tmp_path / "playground.csv")
    page.click("#take")
    page.click("[data-take=code]")
    code = page.inner_text("#taken-text")
    exec(compile(code, "taken.py", "exec"), {"__name__": "__main__"})
    text = capsys.readouterr().out
    weights = next(line for line in text.splitlines() if line.startswith("w = "))
    assert json.loads(weights[4:]) == value(page, "w")


def test_the_picture_has_all_points(open_page: Open) -> None:
    page = open_page("#/playground?preset=moons&step=30")
    settled(page)
    shows(page, "step", 30)
    picture = ET.parse(save(page, "svg").path()).getroot()
    name = "{http://www.w3.org/2000/svg}"
    fills = [mark.get("fill") for mark in picture.iter(f"{name}path") if mark.get("transform")]
    assert len([fill for fill in fills if fill and fill.startswith("rgb")]) >= 120
    assert picture.find(f".//{name}image").get("href").startswith("data:image/png")
