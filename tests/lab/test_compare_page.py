"""Learners side by side, in a real browser."""

import json
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.lab.running import Running
from tests.lab.watching import Watch, wait_for_function

PROJECTOR = {"width": 1280, "height": 720}
SVG = "{http://www.w3.org/2000/svg}"
Show = Callable[..., Page]
PATIENCE = 20_000
turns = count()


@pytest.fixture(scope="module")
def shared(browser: Browser, lab: Running) -> Iterator[Page]:
    """One page for all tests here: a state is shown by its address."""
    watch = Watch({lab.origin})
    page = browser.new_page(viewport=PROJECTOR)
    page.set_default_timeout(PATIENCE)
    watch.over(page)
    page.goto(f"{lab.url}#/compare")
    page.wait_for_selector(".card .tally output", timeout=60_000)
    yield page
    page.close()
    assert not watch.faults(), "\n".join(watch.faults())


@pytest.fixture
def show(shared: Page) -> Iterator[Show]:
    """Show a state, and wait until its learners are there."""

    def open_(state: str = "", ready: str = ".tally output") -> Page:
        shared.evaluate(
            """state => {
              for (const card of document.querySelectorAll('.card')) card.dataset.old = true;
              location.hash = `#/compare?${state}`;
            }""",
            f"{state}&turn={next(turns)}",
        )
        shared.locator(f".card:not([data-old]) {ready}").first.wait_for(state="attached")
        quiet(shared)
        return shared

    yield open_
    shared.set_viewport_size(PROJECTOR)


def learners(page: Page) -> list[str]:
    return page.locator(".card").evaluate_all("all => all.map((one) => one.dataset.learner)")


def told(page: Page, name: str) -> list[int]:
    """Return a number of each card that has it."""
    outputs = page.locator(f".card [data-is={name}]")
    return outputs.evaluate_all("all => all.map((one) => Number(one.dataset.value))")


def models(page: Page) -> list[Any]:
    """Return w and b of each card."""
    found = page.locator(".card .model").evaluate_all(
        "all => all.map((one) => [one.dataset.w, one.dataset.b])"
    )
    return [[json.loads(w), json.loads(b)] for w, b in found]


def facts(page: Page, name: str) -> list[str]:
    """Return a column of the table."""
    cells = page.locator(f"[data-fact={name}]")
    return cells.evaluate_all("all => all.map((one) => one.dataset.value ?? '')")


def press(page: Page, *keys: str) -> None:
    page.evaluate("() => document.activeElement.blur()")
    for key in keys:
        page.keyboard.press(key)


def at(page: Page, step: int) -> None:
    """Wait until a step is shown."""
    number = page.locator("#step-count")
    expect(number).to_have_attribute("data-value", str(step), timeout=PATIENCE)


def quiet(page: Page) -> None:
    """Wait until nothing is asked any more."""
    wait_for_function(page, "import('./js/wire.js').then(({wire}) => !wire.pending.size)")


def done(page: Page, number: int) -> None:
    """Wait until so many say that they are done."""
    expect(page.locator(".state .badge")).to_have_count(number, timeout=PATIENCE)


def to_end(page: Page) -> None:
    page.click("#go-end")
    done(page, len(learners(page)))


def places(page: Page, number: int) -> list[Any]:
    """Return where a point is drawn in each plane."""
    shapes = page.locator(f"[data-point='{number}']")
    return shapes.evaluate_all("all => all.map((one) => one.getAttribute('transform'))")


def address(page: Page) -> dict[str, str]:
    """Return what the address tells, once it is written."""
    page.evaluate("() => import('./js/address.js').then((address) => address.flush())")
    told = parse_qs(page.url.partition("?")[2])
    return {name: values[0] for name, values in told.items()}


@pytest.mark.quick
def test_three_planes_in_step(show: Show) -> None:
    page = show()
    assert learners(page) == ["centroid", "perceptron", "kernel"]
    expect(page.locator(".plane")).to_have_count(3)
    assert len(places(page, 0)) == 3
    press(page, "ArrowRight", "ArrowRight", "ArrowRight")
    at(page, 3)
    assert told(page, "step") == [3, 3]  # the centroid has no steps
    after = models(page)
    press(page, "ArrowLeft")
    at(page, 2)
    assert told(page, "step") == [2, 2]
    press(page, "ArrowRight")
    at(page, 3)
    assert models(page) == after
    expect(page.locator("#preset")).to_have_value("outlier")
    expect(page.locator(".tabs a").nth(1)).to_have_text("Compare")


def test_xor_is_for_kernels(show: Show) -> None:
    page = show("preset=xor&learners=centroid;perceptron,passes:10;kernel")
    to_end(page)
    at(page, 40)
    centroid, perceptron, kernel = told(page, "wrong")
    assert centroid > 0
    assert perceptron > 0
    assert kernel == 0
    steps = told(page, "step")
    assert steps[0] == 40
    assert steps[1] < 40  # it was done before, and keeps its last frame
    assert facts(page, "errors") == [str(centroid), str(perceptron), "0"]
    expect(page.locator("[data-fact=errors] .best")).to_have_text(["0"])
    expect(page.locator("[data-card='1'] .state")).to_contain_text("10 passes are over")
    expect(page.locator("[data-card='2'] .state")).to_contain_text("converged")
    assert int(page.get_attribute("[data-support]", "data-support") or 0) == 4
    page.fill("#position", "3")
    at(page, 3)
    assert told(page, "step") == [3, 3]
    done(page, 1)


def test_the_table_of_and(show: Show) -> None:
    page = show("preset=and")
    assert facts(page, "result") == ["always the same", "can differ", "can differ"]
    assert facts(page, "optimisation")[:2] == ["closed form", "SGD"]
    assert facts(page, "errors") == ["0", "0", "0"]
    to_end(page)
    assert told(page, "wrong") == [0, 0, 0]
    assert told(page, "mistakes") == [int(made) for made in facts(page, "mistakes")[1:]]


def test_another_order_shows_what_differs(show: Show) -> None:
    page = show("preset=deck-e")
    page.click("#again")  # from the start: first to the end, then again
    expect(page.locator(".unusual").nth(1)).to_have_text("shuffled each pass")
    done(page, 3)
    page.click("#again")
    expect(page.locator(".unusual").nth(1)).to_have_text("shuffled each pass, seed 1")
    expect(page.locator(".unusual").first).to_have_text("")
    done(page, 3)
    earlier = page.locator("[data-fact=mistakes] .earlier")
    assert len(set(earlier.nth(1).inner_text().split(", "))) == 2
    ghosts = page.locator("[data-card='1'] .ghost").evaluate_all(
        "all => all.map((one) => one.getAttribute('d'))"
    )
    assert len(set(ghosts)) == 2
    same = page.locator("[data-card='0'] .ghost, [data-card='0'] .line.bold")
    assert len(set(same.evaluate_all("all => all.map((one) => one.getAttribute('d'))"))) == 1
    told_ = address(page)["learners"]
    assert told_ == "centroid;perceptron,order:shuffled,seed:1;kernel,order:shuffled,seed:1"


def test_learners_come_and_go(show: Show) -> None:
    page = show("preset=deck-e")
    page.click("#add-learner")
    expect(page.locator(".card .tally")).to_have_count(4)
    assert learners(page)[3] == "logistic"
    expect(page.locator("#add-learner")).to_be_disabled()
    expect(page.locator(".facts tbody tr")).to_have_count(4)
    press(page, "ArrowRight")
    at(page, 1)
    assert told(page, "step") == [1, 1, 1]
    for left in (3, 2):
        page.locator("[data-card='1'] .head button").click()
        expect(page.locator(".facts tbody tr")).to_have_count(left)
    assert learners(page) == ["centroid", "logistic"]
    expect(page.locator(".head button").first).to_be_disabled()
    page.select_option("[data-card='1'] .head > select", "svm")
    expect(page.locator(".facts tbody th").nth(1)).to_contain_text("Support vector machine")
    page.click("[data-card='1'] summary")
    expect(page.locator("[data-card='1'] #set-bias")).to_be_checked()
    page.fill("[data-card='1'] #set-passes", "7")
    page.keyboard.press("Enter")
    expect(page.locator(".unusual").nth(1)).to_have_text("passes at most 7")
    assert address(page)["learners"] == "centroid;svm,passes:7"


@pytest.mark.quick
def test_a_point_moves_in_all_planes(show: Show) -> None:
    page = show("preset=deck-e")
    to_end(page)
    before, was = models(page), places(page, 2)
    assert len(set(was)) == 1
    box = page.locator("[data-card='1'] [data-point='2']").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] - 30, steps=3)
    moved = places(page, 2)
    page.mouse.up()
    assert len(moved) == 3
    assert len(set(moved)) == 1
    assert moved[0] != was[0]
    expect(page.locator("#preset")).to_have_value("own")
    first = page.locator("[data-card='0'] .model")
    expect(first).not_to_have_attribute("data-w", json.dumps(before[0][0], separators=(",", ":")))
    done(page, 3)  # learned to the end once more
    page.locator("[data-card='2'] .plane .front").click(position={"x": 90, "y": 60})
    expect(page.locator("[data-point='4']")).to_have_count(3)
    page.keyboard.press("Control+z")
    expect(page.locator("[data-point='4']")).to_have_count(0)


def test_a_link_shows_the_same(show: Show, shared: Page, lab: Running) -> None:
    page = show("preset=and&learners=perceptron,order:shuffled,seed:3;averaged;voted&step=9")
    at(page, 9)
    page.locator("[data-card='0'] .plane .front").click(position={"x": 300, "y": 40})
    expect(page.locator("#preset")).to_have_value("own")
    done(page, 0)
    press(page, "ArrowRight", "ArrowRight")
    at(page, 2)
    was, here = models(page), address(page)
    assert here["step"] == "2"
    assert here["learners"] == "perceptron,order:shuffled,seed:3;averaged;voted"
    url = page.url
    page.goto("about:blank")
    page.goto(url)
    page.wait_for_selector("body[data-state=ready]", state="attached", timeout=60_000)
    at(page, 2)
    assert models(page) == was
    assert address(page) == here
    page.locator("[data-card='1'] .head a").click()
    page.wait_for_selector("#step[data-value='2']", state="attached")
    assert json.loads(page.get_attribute("#w", "data-value") or "") == was[1][0]
    page.go_back()
    at(page, 2)
    assert models(page) == was


def test_a_link_of_the_playground(show: Show) -> None:
    page = show("preset=or&learner=svm&with=passes:3&step=2")
    at(page, 2)
    assert learners(page) == ["svm", "centroid", "perceptron"]
    expect(page.locator(".unusual").first).to_have_text("passes at most 3")
    page = show("preset=none-such")
    expect(page.locator("#data-error")).to_contain_text("there is no preset of that name")
    assert learners(page) == ["centroid", "perceptron", "kernel"]


def test_a_learner_that_cannot(show: Show) -> None:
    page = show("preset=iris&learners=regression;centroid", ".plane")
    expect(page.locator("#data-error")).to_contain_text("Least squares is for two classes")
    page.select_option("[data-card='0'] .head > select", "discriminant")
    expect(page.locator("#data-error")).to_be_hidden()
    done(page, 2)
    page.click("#clear")
    expect(page.locator("#data-error")).to_contain_text("need points of two classes")


def test_a_phone_has_all_in_one_column(show: Show) -> None:
    page = show("preset=deck-e&step=4")
    page.set_viewport_size({"width": 390, "height": 844})
    wait_for_function(page, "document.documentElement.scrollWidth === 390")
    lefts = page.locator(".card").evaluate_all("all => all.map((one) => one.offsetLeft)")
    assert len(set(lefts)) == 1
    expect(page.locator("#go-step")).to_be_in_viewport()
    page.click("#go-step")
    at(page, 5)
    assert told(page, "step") == [5, 5]


def test_the_code_comes_to_the_same(show: Show) -> None:
    page = show("preset=deck-e&learners=centroid;perceptron;averaged;logistic&step=7")
    at(page, 7)
    page.click("#take")
    page.click("[data-take=code]")
    code = page.locator("#taken-text").inner_text()
    page.keyboard.press("Escape")
    with redirect_stdout(StringIO()) as printed:
        exec(code, {})
    said = printed.getvalue().splitlines()
    lines = [line.split(" = ") for line in said if line.startswith(("w =", "b ="))]
    numbers = [json.loads(number) for _, number in lines]
    assert list(zip(numbers[::2], numbers[1::2], strict=True)) == [tuple(m) for m in models(page)]


def test_pictures_and_points(show: Show, tmp_path: Path) -> None:
    page = show("preset=deck-e")
    saved = {}
    for kind in ("svg", "csv"):
        page.click("#take")
        with page.expect_download() as download:
            page.click(f"[data-take={kind}]")
        saved[kind] = tmp_path / download.value.suggested_filename
        download.value.save_as(saved[kind])
    drawing = ElementTree.parse(saved["svg"]).getroot()
    assert len(drawing.findall(f"{SVG}svg")) == 3
    texts = [text.text for text in drawing.findall(f"{SVG}text")]
    assert texts[::2] == ["Nearest centroid", "Perceptron", "Kernel perceptron"]
    assert texts[1] == "wrong 1 of 4"
    assert saved["csv"].name == "compare.csv"
    assert len(saved["csv"].read_text().splitlines()) == 5


def test_it_goes_on_after_the_lab_was_gone(show: Show) -> None:
    page = show("preset=and&step=5")
    at(page, 5)
    was = models(page)
    page.evaluate("() => import('./js/wire.js').then(({wire}) => wire.socket.close())")
    page.wait_for_selector("body:not([data-state=ready])", state="attached")
    page.wait_for_selector("body[data-state=ready]", state="attached", timeout=60_000)
    quiet(page)
    press(page, "End")
    done(page, 3)
    press(page, "Home", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight")
    at(page, 5)
    assert models(page) == was
