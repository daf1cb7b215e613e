"""Take the picture of the service's page for the guide: a click log whose users change their minds.

Run it from anywhere: ``python docs/service_picture.py``. It takes four minutes, and needs Chromium
or Chrome.
"""

import subprocess
import sys
import tempfile
import time
from random import Random

from lab_pictures import SIZE, save, started
from playwright.sync_api import sync_playwright

from rosenblatt.client import Client

CHANGE, AFTER = 180, 16  # seconds until users change, and until the picture is taken
RATE = 120  # events a second


def clicks(draw, changed):
    """Return an event and its outcome; after the change other sites are liked."""
    sites = ("news", "mail", "games", "maps")
    event = {
        "site": draw.choice(sites),
        "device": draw.choice(("phone", "laptop")),
        "ad": f"ad{draw.randrange(40)}",
        "hour": draw.randrange(24),
    }
    liked = ("maps", "news") if changed else ("games", "mail")
    likely = 0.78 if event["site"] in liked else 0.12
    likely += 0.08 if event["device"] == "phone" else -0.08
    likely += 0.1 if int(event["ad"][2:]) % 5 == 0 else -0.02
    return event, "click" if draw.random() < likely else "none"


def main():
    """Serve a new model, have it learn, and take the picture."""
    draw = Random(0)
    words = ["serve", "--new", "clicks", "--port", "0", "--snapshot-every", "18000", "--quiet"]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "rosenblatt", *words, "--data", folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
            try:
                url = service.stdout.readline().strip()
                learn(Client(url), draw)
                with sync_playwright() as playwright:
                    browser = started(playwright)
                    page = browser.new_page(viewport=SIZE, timezone_id="Europe/Oslo")
                    page.goto(url)
                    page.locator("body[data-state=ready]").wait_for()
                    save(page, "service")
                    browser.close()
            finally:
                service.terminate()


def learn(client, draw):
    """Learn at an even rate, for as long as the picture shows."""
    start = time.monotonic()
    while (spent := time.monotonic() - start) < CHANGE + AFTER:
        pairs = [clicks(draw, spent > CHANGE) for _ in range(RATE // 4)]
        client.learn_many("clicks", [x for x, _ in pairs], [y for _, y in pairs])
        time.sleep(0.25)
    client.close()


if __name__ == "__main__":
    main()
