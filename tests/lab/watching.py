"""What the pages of a test did wrong, and waiting for what they do right."""

import re
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Error, Page, Request


@dataclass
class Watch:
    """What a page must not do: complain, or ask anybody but the lab."""

    origins: set[str]
    allowed: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)

    def allow(self, pattern: str) -> None:
        """Let a complaint pass that a test provokes."""
        self.allowed.append(pattern)

    def console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.seen.append(f"console: {message.text} ({message.location.get('url')})")

    def page_error(self, error: Error) -> None:
        self.seen.append(f"error: {error.message}\n{error.stack}")

    def request(self, request: Request) -> None:
        url = urlsplit(request.url)
        if url.scheme not in ("data", "blob") and f"http://{url.netloc}" not in self.origins:
            self.seen.append(f"request elsewhere: {request.url}")

    def faults(self) -> list[str]:
        """Return what was seen and not allowed."""
        return [one for one in self.seen if not any(re.search(p, one) for p in self.allowed)]

    def over(self, page: Page) -> None:
        """Watch one more page."""
        page.on("console", self.console)
        page.on("pageerror", self.page_error)
        page.on("request", self.request)
        page.on("websocket", lambda socket: self.request(socket))


def wait_for_function(
    page: Page, code: str, *, arg: object = None, timeout: int = 20_000
) -> object:
    """Wait until code gives something; Playwright's own uses eval, which the lab's pages forbid.

    What code looks for may not be on the page yet, so a property of null is waited for as well.
    """
    end = time.monotonic() + timeout / 1000
    while True:
        found, reason = None, None
        try:
            found = page.evaluate(code, arg)
        except Error as error:
            if "of null" not in error.message:
                raise
            reason = error
        if found:
            return found
        if time.monotonic() > end:
            raise TimeoutError(f"not so after {timeout} ms: {code}") from reason
        page.wait_for_timeout(20)
