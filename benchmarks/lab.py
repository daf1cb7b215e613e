"""How fast the playground is, in Chromium: keys, play, verdicts, many points, the first view.

Run it as ``python benchmarks/lab.py``; it starts a lab of its own. Times are in milliseconds, from
the event to the frame that shows what came of it. The verdict's time is from the change of the
points to its answer on the page.
"""

import shutil
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
from playwright.sync_api import sync_playwright

FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
LIMITS = {"step": 50, "verdict": 100, "first view": 1000, "play": 60}

# From a key to the frame after the one in which the step is drawn.
WATCH_KEYS = """() => {
  window.times = [];
  const step = document.querySelector('#step');
  addEventListener('keydown', (event) => {
    const before = step.dataset.value;
    const look = () => {
      if (step.dataset.value === before) return void requestAnimationFrame(look);
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => window.times.push(performance.now() - event.timeStamp);
        channel.port2.postMessage(0);
      });
    };
    queueMicrotask(() => queueMicrotask(look));
  }, true);
}"""
WATCH_DRAG = """() => {
  window.times = [];
  window.drawn = [];
  const verdict = document.querySelector('#verdict');
  new MutationObserver(() => window.times.push(Number(verdict.dataset.took)))
    .observe(verdict, {attributes: true, attributeFilter: ['data-took']});
  addEventListener('pointermove', (event) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => window.drawn.push(performance.now() - event.timeStamp);
    channel.port2.postMessage(0);
  }), true);
}"""
PLAY = """() => new Promise((resolve) => {
  const step = () => Number(document.querySelector('#step').dataset.value);
  document.querySelector('#go-play').click();
  setTimeout(() => {
    const [from, began] = [step(), performance.now()];
    setTimeout(() => resolve((step() - from) / ((performance.now() - began) / 1000)), 2000);
  }, 300);
})"""


@contextmanager
def running():
    """Start a lab; yield its address."""
    command = (sys.executable, "-m", "rosenblatt", "lab", "--no-open", "--port", "0", "--quiet")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def blobs(n, apart=1.5):
    """Return n points of two classes that overlap a little."""
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 2)) + np.where(y[:, None], apart, -apart)
    return X.round(3), y


def link(n, **more):
    """Return the state with n points, as a link."""
    X, y = blobs(n)
    points = ";".join(f"{a},{b},{c}" for (a, b), c in zip(X.tolist(), y.tolist(), strict=True))
    told = {"points": points, "classes": "-1,+1", "names": "a,b", "view": "-5,5,-4,4", **more}
    return "#/playground?" + "&".join(f"{name}={value}" for name, value in told.items())


def opened(browser, url, state):
    """Open a page with a state; return it when it has settled."""
    page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
    page.goto(url + state)
    page.wait_for_selector("#verdict[data-kind]", state="attached", timeout=60_000)
    page.wait_for_selector("#step[data-value]", state="attached")
    page.wait_for_timeout(1500)
    return page


def p95(times):
    return float(np.percentile(times, 95)), float(np.median(times)), len(times)


def keys(page, count=60):
    """Press a key many times; return how long each step took."""
    page.evaluate(WATCH_KEYS)
    for _ in range(count):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(35)
    page.wait_for_timeout(200)
    return p95(page.evaluate("() => window.times"))


def drag(page, moves=60):
    """Drag a point; return how long verdicts took, and moves to be drawn."""
    dots = page.locator("[data-point='0']")
    box = dots.bounding_box() if dots.count() else None
    front = page.locator(".plane .front").bounding_box()
    x, y = front["x"] + 46 + (front["width"] - 58) / 2, front["y"] + front["height"] / 2
    if box:
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.evaluate(WATCH_DRAG)
    page.mouse.down()
    for k in range(moves):
        page.mouse.move(x + 120 * np.sin(k / 9), y - 90 * np.sin(k / 7))
        page.wait_for_timeout(16)
    page.wait_for_timeout(400)
    page.mouse.up()
    return p95(page.evaluate("() => window.times")), p95(page.evaluate("() => window.drawn"))


def first_view(browser, url, rounds=5):
    """Open the page anew; return how long it takes until a step and the verdict are there."""
    times = []
    for _ in range(rounds):
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        page = context.new_page()
        time.sleep(2.5)  # until a spare process is ready again
        page.goto(f"{url}#/playground?preset=moons", wait_until="commit")
        page.wait_for_selector("#verdict[data-kind]", state="attached")
        page.wait_for_selector("#step[data-value]", state="attached")
        times.append(page.evaluate("() => performance.now()"))
        context.close()
    return p95(times)


def row(what, measured, limit=None):
    worst, middle, count = measured
    print(f"{what:42} p95 {worst:7.1f}   median {middle:7.1f}   of {count:3}", end="")
    print(f"   limit {limit}  {'ok' if worst <= limit else 'TOO SLOW'}" if limit else "")


def main():
    """Measure all, and print a table."""
    with running() as url, sync_playwright() as playwright:
        found = shutil.which("chromium") or playwright.chromium.executable_path
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        row("first view, ms", first_view(browser, url), LIMITS["first view"])
        for learner in ("perceptron", "kernel", "averaged"):
            page = opened(browser, url, link(200, learner=learner))
            row(f"step, 200 points, {learner}, ms", keys(page), LIMITS["step"])
            page.fill("#speed", "6")
            rate = page.evaluate(PLAY)
            print(f"play, 200 points, {learner:25} {rate:5.1f} steps a second")
            page.context.close()
        for n, limit in ((200, LIMITS["verdict"]), (5000, None)):
            page = opened(browser, url, link(n))
            verdicts, drawn = drag(page)
            row(f"verdict while dragging, {n} points, ms", verdicts, limit)
            row(f"a move drawn, {n} points, ms", drawn, None)
            row(f"step, {n} points, ms", keys(page), LIMITS["step"])
            page.context.close()
        browser.close()


if __name__ == "__main__":
    main()
