"""A real browser for the tests of pages: Debian's Chromium, driven by Selenium; nothing is downloaded."""

from __future__ import annotations

import base64
import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = Path("/usr/bin/chromium")
DRIVER = Path("/usr/bin/chromedriver")
FLAGS = (
    "--headless=new",
    "--no-sandbox",  # root may not have one
    "--disable-gpu",
    "--disable-dev-shm-usage",  # small in containers
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",  # as on a phone: they would hide that a page is a little too wide
)
ADDRESSES = ("http:", "https:", "file:", "ws:", "wss:", "ftp:")  # a data: or blob: address leaves nothing


class Browser:
    """One browser, for one page after the other."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, path: Path, width: int = 1280, height: int = 900) -> None:
        """Show a file in a window whose inside has this size; what was logged before is forgotten."""
        self.command("Emulation.setEmulatedMedia", media="", features=[])
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        self.driver.get("about:blank")
        self.console()
        self.requests()
        self.driver.get(path.resolve().as_uri())

    def run(self, script: str, *arguments: Any) -> Any:
        """What a script with a `return` gives back; a promise is waited for."""
        return self.driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list[Any]:
        """The elements that a CSS selector finds."""
        return list(self.driver.find_elements("css selector", selector))

    def one(self, selector: str) -> Any:
        """The only element that a CSS selector finds."""
        (element,) = self.all(selector)
        return element

    def texts(self, selector: str) -> list[str]:
        """The texts of the elements that a CSS selector finds, seen or not."""
        return list(self.run("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector))

    def console(self) -> list[str]:
        """What was written to the console since it was last asked for."""
        return [f"{entry['level']}: {entry['message']}" for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """The addresses that were asked for since they were last asked for, answered or not."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [message["params"] for message in messages if message["method"] == "Network.requestWillBeSent"]
        return [one["request"]["url"] for one in sent if one["request"]["url"].startswith(ADDRESSES)]

    def overflow(self) -> int:
        """By how many pixels the page is wider than its window."""
        return int(self.run("return document.scrollingElement.scrollWidth - innerWidth"))

    def dark(self) -> None:
        """Show the page as to a person who prefers dark pages."""
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])

    def on_paper(self) -> None:
        """Show the page as it would be printed."""
        self.command("Emulation.setEmulatedMedia", media="print")

    def pdf(self) -> bytes:
        """The page printed to a PDF file."""
        printed = self.command("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        return base64.b64decode(printed["data"])

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        """A PNG file of what the window shows, or of the whole page."""
        taken = self.command("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(taken["data"]))

    def command(self, name: str, **parameters: Any) -> Any:
        """A command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(name, parameters)


@contextlib.contextmanager
def chromium(folder: Path) -> Iterator[Browser]:
    """Start the browser with a profile in an empty folder; without a browser, the test is skipped."""
    if not (CHROMIUM.exists() and DRIVER.exists()):
        pytest.skip(f"{CHROMIUM} or {DRIVER} is missing: apt install chromium chromium-driver")
    webdriver = pytest.importorskip("selenium.webdriver", reason="Selenium is missing: pip install selenium")
    os.environ["SE_OFFLINE"] = "true"  # Selenium looks for no other browser
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(DRIVER)))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
