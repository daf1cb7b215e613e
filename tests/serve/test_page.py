"""The page of the service, in a browser."""

from random import Random

import pytest

from rosenblatt import OnlineClassifier, SequenceTagger
from rosenblatt.serve.states import Settings
from tests.lab.conftest import browser, launch  # noqa: F401
from tests.serve.conftest import learned_alone, serving

TOKEN = "0123456789abcdef"


def stream(count, changed=False, seed=0):
    """Return examples that a weight explains, and after a change its opposite."""
    draw = Random(seed)
    found = []
    for _ in range(count):
        x = {"a": draw.gauss(0, 1), "site": draw.choice("pqr"), "<b>": 1}
        found.append((x, "yes" if (x["a"] > 0) != changed else "no"))
    return found


@pytest.fixture
def errors():
    """What the page complained of."""
    return []


@pytest.fixture
def page(browser, errors):  # noqa: F811
    """A page whose complaints are noted."""
    made = browser.new_page(viewport={"width": 1280, "height": 720})
    made.set_default_timeout(20_000)
    made.on("pageerror", lambda error: errors.append(str(error)))
    made.on("console", lambda one: errors.append(one.text) if one.type == "error" else None)
    yield made
    made.close()


def shown(page, asking, name=""):
    page.goto(f"http://127.0.0.1:{asking.port}/{name}")
    page.locator("body[data-state=ready]").wait_for()
    return page


@pytest.mark.quick
def test_what_is_known_is_shown(page, errors, tmp_path):
    tagger = SequenceTagger().fit([["the", "dog"]] * 3, [["D", "N"]] * 3)
    models = {"clicks": OnlineClassifier(), "tags": tagger}
    settings = Settings(snapshot_examples=1_000)
    with serving(tmp_path / "data", models, settings=settings) as asking:
        asking.learn(*stream(1_000), model="clicks")
        asking.learn(*stream(500, changed=True), model="clicks")
        shown(page, asking)
        facts = page.locator("#facts").inner_text()
        assert "1,500" in facts
        assert "classes: no, yes" in facts
        assert "has left its band" in page.locator("#alert").inner_text()
        rows = page.locator("#largest tbody tr").all_inner_texts()
        assert any(row.startswith("a\t") for row in rows)
        assert any(row.startswith("<b>\t") for row in rows)  # a name is never markup
        assert "position 1,000" in page.locator("#changed-text").inner_text()
        assert page.locator("#curve svg").count() == 1
        page.locator("nav a", has_text="tags").click()
        page.locator("#facts", has_text="D, N").wait_for()
        assert page.locator("#curve").is_hidden()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.set_viewport_size({"width": 390, "height": 844})
        shown(page, asking, "#clicks")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert errors == []


def test_a_phone_and_a_model_without_errors(page, errors, tmp_path):
    tagger = SequenceTagger().fit([["the", "dog"]] * 3, [["D", "N"]] * 3)
    examples = [({"a": 1}, "x"), ({"b": 1}, "y")] * 3
    models = {"m": learned_alone(examples), "tags": tagger}
    with serving(tmp_path / "data", models) as asking:
        asking.learn(*examples, model="m")
        page.set_viewport_size({"width": 390, "height": 844})
        shown(page, asking)
        assert page.locator("#curve svg text").first.inner_html() == "0.0%"
        ticks = page.locator("#curve svg text[text-anchor=end]").all_text_contents()
        assert len(ticks) == len(set(ticks))
        apart = """() => {
            const at = [...document.querySelectorAll("#curve svg text, #facts dd")]
                .map((one) => {
                    const range = document.createRange();
                    range.selectNodeContents(one);
                    return range.getBoundingClientRect();
                });
            return at.every((a, k) => at.slice(k + 1).every((b) =>
                a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top));
        }"""
        assert page.evaluate(apart)
        page.locator("nav a", has_text="tags").click()
        page.locator("#facts", has_text="D, N").wait_for()
        assert page.evaluate(apart)
    assert errors == []


def test_a_token_is_asked_for(page, errors, tmp_path):
    with serving(tmp_path / "data", {"clicks": OnlineClassifier()}, token=TOKEN) as asking:
        page.goto(f"http://127.0.0.1:{asking.port}/")
        page.locator("#token").fill("not the token at all")
        page.get_by_role("button", name="Show").click()
        page.get_by_text("This is not the token.").wait_for()
        page.locator("#token").fill(TOKEN)
        page.get_by_role("button", name="Show").click()
        page.locator("body[data-state=ready]").wait_for()
        assert "Nothing has been learned" in page.locator("#curve-text").inner_text()
    assert all("401" in one for one in errors)
