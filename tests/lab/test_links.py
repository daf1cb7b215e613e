"""Links that say what cannot be: the page says so, and works."""

import json

import pytest
from playwright.sync_api import expect

from tests.conftest import first_quick

MANY = ";".join(["0,0,0"] * 100_000)


@pytest.mark.parametrize("screen", ["playground", "compare"])
def test_what_the_lab_does_not_take_is_refused(open_page, screen):
    page = open_page(f"#/{screen}")
    for query, says in [
        (f"points={MANY}", "100,000 points, and the lab takes up to 5,000"),
        ("points=1e10,0,0;1,1,1", "point 1 of the link"),
        ("points=0,0,0;1,1,1&classes=a,b,c,d,e,f,g", "7 classes"),
        (f"points=0,0,0;1,1,1&classes=a,{'b' * 61}", "61 letters in a name"),
        ("view=0,1e300,0,1", "view of the link"),
        ("view=1,1.00000000000001,0,1", "view of the link"),
    ]:
        page.evaluate("(at) => { location.hash = at; }", f"#/{screen}?{query}")
        expect(page.locator("#data-error")).to_contain_text(says)
        expect(page.locator("[data-point]").first).to_be_attached()
    page.wait_for_function("location.hash.length < 200")  # what is shown instead


def test_what_is_cut_off_or_no_number_is_as_usual(open_page):
    page = open_page("#/playground?learner=kernel&with=kernel:%25E0%25A4%25A,passes:2.5&step=1.5")
    expect(page.locator("#step")).to_have_attribute("data-value", "0")
    expect(page.locator("#set-kernel")).to_have_value("rbf")
    page.evaluate("() => { location.hash = '#/compare?step=1.5'; }")
    expect(page.locator("#step-count")).to_have_text("0")
    page.evaluate(
        "() => { location.hash = '#/descent?start=1e9,1e9&batch=1.5&passes=2.5&eta=0.2'; }"
    )
    says = page.locator("#descent-text")
    expect(says).to_contain_text("The link’s batch, passes, start cannot be")
    expect(says).to_contain_text("batch descent")
    expect(page.locator("#descent-eta")).to_have_value("0.2")
    page.locator("#descent-eta").fill("0.1")
    page.locator("#descent-eta").press("Enter")
    expect(says).not_to_contain_text("cannot be")


@pytest.mark.quick
@pytest.mark.parametrize("screen", first_quick(["playground", "compare"], 1))
def test_the_address_tells_the_step_that_is_shown(open_page, screen):
    page = open_page(f"#/{screen}?preset=deck-b&step=999999999")
    count = "#step" if screen == "playground" else "#step-count"
    page.wait_for_function("/step=[1-9]\\d{0,2}(&|$)/.test(location.hash)")
    step = page.evaluate("Number(new URLSearchParams(location.hash.split('?')[1]).get('step'))")
    expect(page.locator(count)).to_have_text(str(step))


def test_a_link_followed_before_the_address_is_written_is_shown(open_page):
    """The address of a step is written a moment later; by then it may be another page's."""
    page = open_page("#/truth")
    hashes = page.evaluate(
        """async (base) => {
          const address = await import(`${base}js/address.js`);
          address.flush();
          address.write('truth', {n: 2, step: 5});
          location.hash = '#/truth?n=3';
          address.flush();
          const followed = location.hash;
          address.write('truth', {n: 3, step: 1});
          address.flush();
          return [followed, location.hash];
        }""",
        page.url.split("#")[0],
    )
    assert hashes == ["#/truth?n=3", "#/truth?n=3&step=1"]


def test_a_far_step_keeps_few_frames_and_others_are_answered(open_page):
    """Frames on the way are dropped, and a question in between need not wait for all of them."""
    page = open_page("#/truth")
    got = page.evaluate(
        """async (base) => {
          const {Player} = await import(`${base}js/player.js`);
          const asked = [];
          let last = -1;
          const fetch = async (start, count, take) => {
            asked.push(count);
            await new Promise((resolve) => { setTimeout(resolve, 20); });
            take(Array.from({length: count}, (_, k) => ({k: start + k})));
            return {done: false};
          };
          const player = new Player({keep: 500, show: (k) => { last = k; }, fetch});
          player.start({k: 0});
          await player.toEnd(16000);
          const found = [last, player.frame(last).k, player.frames.length];
          player.clear();
          return [found, Math.max(...asked)];
        }""",
        page.url.split("#")[0],
    )
    (shown, frame, kept), most = got
    assert (shown, frame) == (16000, 16000)
    assert kept < 8000
    assert most <= 512


def test_a_step_is_not_passed_when_more_was_fetched(open_page):
    """As by a key that was pressed while the run was opened."""
    page = open_page("#/truth")
    at = page.evaluate(
        """async (base) => {
          const {Player} = await import(`${base}js/player.js`);
          const fetch = async (start, count, take) => {
            take(Array.from({length: count}, (_, k) => ({k: start + k})));
            return {done: false};
          };
          const player = new Player({show: () => {}, fetch});
          player.start({k: 0});
          player.need(1);
          await player.toEnd(9);
          player.pause();
          return player.at;
        }""",
        page.url.split("#")[0],
    )
    assert at == 9


def test_files_that_are_no_csv(open_page):
    page = open_page("#/playground")
    expect(page.locator("[data-point]").first).to_be_attached()
    noise = bytes(range(1, 256)) * 7600  # 1.9 MB, and more as JSON
    for content, says in [
        (noise, "larger than the lab takes"),
        (b"\0" + noise, "x.csv is no text"),
    ]:
        page.set_input_files("#csv", {"name": "x.csv", "mimeType": "text/csv", "buffer": content})
        expect(page.locator("#data-error")).to_contain_text(says)
    assert page.evaluate("document.body.dataset.state") == "ready"


def test_the_mark1_keeps_what_it_has_when_a_change_is_refused(open_page):
    page = open_page("#/mark1?r=×,○&t=*3:0")
    page.wait_for_function("!document.querySelector('#train').disabled")
    page.locator("#edit").click()
    page.locator("[data-response='0'] input").fill("cross")
    page.keyboard.press("Enter")
    page.wait_for_function("location.hash.includes('r=cross')")
    page.wait_for_function("!document.querySelector('#train').disabled")  # it has learned anew
    page.locator("[data-response='1'] input").fill("ring")
    page.keyboard.press("Enter")
    expect(page.locator("#fault")).to_contain_text("no picture")
    page.wait_for_function("!document.querySelector('#forget').disabled")
    names = "[...document.querySelectorAll('#lamps input.name')].map((one) => one.value).join()"
    page.wait_for_function(f"{names} === 'cross,○'")
    page.wait_for_function("location.hash.includes('*3:0')")


def test_the_code_of_descent_says_what_is_shown(open_page):
    page = open_page("#/descent?problem=line&eta=0.5&paths=batch,stochastic&step=7&by=move")
    page.wait_for_selector("main.descent[data-step='7']")
    page.click("#take")
    expect(page.locator("[data-take=csv]")).to_have_text("Paths, CSV")
    page.click("[data-take=code]")
    code = page.locator("#taken-text").text_content()
    assert 'shown = {"batch": 7, "stochastic": 7}' in code
    assert json.dumps("mini") not in code
