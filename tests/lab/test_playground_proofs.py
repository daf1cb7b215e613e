"""The playground in a real browser: certificates, R and γ, and settings that go together."""

import pytest
from playwright.sync_api import expect

from rosenblatt.lab.plane.points import as_points
from rosenblatt.lab.plane.presets import preset
from rosenblatt.lab.plane.verdicts import verdict
from tests.lab.playground import Open, press, settled, shows


@pytest.mark.parametrize("bias", [True, False])
def test_lengths_are_labelled_with_what_they_are(open_page: Open, bias: bool) -> None:
    told = preset("deck-b")
    bound = verdict(as_points(told["points"], told["classes"]), bias)["bound"]
    page = open_page(f"#/playground?preset=deck-b&show=bound&learner=perceptron&with=bias:{bias:d}")
    settled(page, "separable")
    for name, key, place in (("R", "radius", "radius"), ("γ", "margin", "gap")):
        text = page.locator(f"text.label.{place}")
        words = f"{name} = {bound[key]:.3g}"
        if bias:  # the circle and the bracket are drawn in the plane
            words = f"{bound['drawn'][key]:.3g}; {words} in (x, 1)"
        expect(text).to_have_text(words)


def test_the_certificate_of_a_class_against_the_rest(open_page: Open) -> None:
    page = open_page("#/playground?preset=iris&show=regions,certificate")
    settled(page, "many")
    each = verdict(as_points(preset("iris")["points"], preset("iris")["classes"]), True)["each"]
    expect(page.locator("[data-against='1']")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-meets]")).to_have_count(len(each[1]["points"]))
    expect(page.locator("[data-meeting]")).to_have_count(1)
    page.click("[data-against='0']")
    expect(page.locator("[data-against='0']")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-support]")).to_have_count(len(each[0]["support"]))
    expect(page.locator("[data-meeting]")).to_have_count(0)
    expect(page.locator("#verdict-text")).to_contain_text("setosa against the rest")


def test_boxes_that_would_draw_nothing_say_why(open_page: Open) -> None:
    page = open_page("#/playground?preset=iris")
    settled(page, "many")
    for name in ("bound", "margin", "normal", "update"):
        expect(page.locator(f"#show-{name}")).to_be_disabled()
        label = page.locator("label", has=page.locator(f"#show-{name}"))
        assert "only where two classes" in str(label.get_attribute("title"))
    expect(page.locator("#show-certificate")).to_be_enabled()
    page.select_option("#preset", "deck-b")
    for name in ("bound", "margin", "normal", "update"):
        expect(page.locator(f"#show-{name}")).to_be_enabled()


@pytest.mark.quick
def test_the_margin_is_the_library_s(open_page: Open) -> None:
    page = open_page("#/playground?preset=deck-b&show=margin")
    settled(page)
    expect(page.locator(".ground.margin")).to_have_count(0)
    press(page, "End")
    shows(page, "errors", 0)
    expect(page.locator(".ground.margin")).to_have_count(1)
    expect(page.locator("[data-nearest='0']")).to_have_count(1)


def test_the_best_step_needs_all_points_a_move(open_page: Open) -> None:
    page = open_page("#/playground?preset=deck-b&learner=logistic&with=batch:1,rate:line_search")
    settled(page)
    page.click(".more summary")
    best = page.locator("#set-rate option[value=line_search]")
    expect(page.locator("#set-rate")).to_have_value("auto")
    expect(best).to_have_count(0)
    page.select_option("#set-batch", "all")
    page.select_option("#set-rate", "line_search")
    press(page, "ArrowRight")
    shows(page, "step", 1)
    page.select_option("#set-batch", "4")
    expect(page.locator("#set-rate")).to_have_value("auto")
    expect(best).to_have_count(0)
    press(page, "ArrowRight")
    shows(page, "step", 1)
    expect(page.locator(".error:visible")).to_have_count(0)
