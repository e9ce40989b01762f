"""A real Chromium without a window, driven through its debugging pipe; for tests of pages.

Loads files, tells what the page logged and asked the network for, evaluates, draws and prints. Without
a browser on this machine ``find_browser`` says so, and tests skip.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

__all__ = ["Browser", "Tab", "find_browser"]

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
SECONDS = 60
FLAGS = (
    *("--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--no-first-run", "--hide-scrollbars"),
    *("--disable-gpu", "--disable-extensions", "--disable-background-networking", "--disable-dev-shm-usage"),
    *("--disable-component-update", "--disable-sync", "--no-default-browser-check", "--mute-audio"),
)


def find_browser() -> str:
    """Return the path of a Chromium; empty where there is none. ``SAMPLERCHECK_BROWSER`` names another."""
    named = os.environ.get("SAMPLERCHECK_BROWSER", "")
    return named or next(filter(None, map(shutil.which, NAMES)), "")


class Browser:
    """A browser process with a profile of its own, ended by ``close``."""

    def __init__(self, path: str) -> None:
        self._profile = Path(tempfile.mkdtemp(prefix="samplercheck-browser-"))
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        # The browser reads its commands from descriptor 3 and answers on 4.
        command = 'exec "$@" 3<&"$FROM" 4>&"$TO"'
        self._process = subprocess.Popen(
            [
                "/bin/bash",
                "-c",
                command,
                "-",
                path,
                *FLAGS,
                f"--user-data-dir={self._profile}",
                "about:blank",
            ],
            env={**os.environ, "FROM": str(to_browser), "TO": str(from_browser), "HOME": str(self._profile)},
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_browser)
        os.close(from_browser)
        os.set_blocking(self._read, False)
        self._heard = b""
        self._number = 0
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        """Send a command and return its result; events that arrive meanwhile are kept."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            told = self._next(until)
            if told.get("id") == self._number:
                assert "error" not in told, f"{method}: {told['error']}"
                result: dict[str, Any] = told["result"]
                return result
            self.events.append(told)
        raise TimeoutError(f"The browser has not answered {method} in {SECONDS} s.")

    def wait_for(self, method: str, session: str) -> None:
        """Wait until an event of a tab has arrived."""
        until = time.monotonic() + SECONDS
        while not any(one["method"] == method and one.get("sessionId") == session for one in self.events):
            self.events.append(self._next(until))

    def _next(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._heard:
            if time.monotonic() > until:
                raise TimeoutError(f"The browser was silent for {SECONDS} s.")
            try:
                part = os.read(self._read, 1 << 20)
            except BlockingIOError:
                time.sleep(0.005)
                continue
            if not part:
                raise ConnectionError("The browser has ended.")
            self._heard += part
        message, _, self._heard = self._heard.partition(b"\0")
        told: dict[str, Any] = json.loads(message)
        return told

    def close(self) -> None:
        """End the browser with all its processes and remove its profile."""
        for descriptor in (self._write, self._read):
            os.close(descriptor)
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(timeout=SECONDS)
        shutil.rmtree(self._profile, ignore_errors=True)


class Tab:
    """One tab, with scripts or without, light or dark, as wide as told."""

    def __init__(
        self,
        browser: Browser,
        *,
        scripts: bool = True,
        dark: bool = False,
        width: int = 1000,
        height: int = 900,
    ) -> None:
        self._browser = browser
        self._target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        attached = browser.call("Target.attachToTarget", targetId=self._target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        if not scripts:
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command to this tab."""
        return self._browser.call(method, self._session, **params)

    def open(self, page: Path) -> None:
        """Load a file and wait until all of it is there."""
        self.call("Page.navigate", url=page.as_uri())
        self._browser.wait_for("Page.loadEventFired", self._session)

    def value(self, expression: str) -> Any:
        """Return the value of an expression, a promise's too."""
        told = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    @property
    def complaints(self) -> list[str]:
        """What the page wrote to the console, and the errors that nobody caught."""
        told = self._told("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [f"{one['method']}: {json.dumps(one['params'])}" for one in told]

    @property
    def requests(self) -> list[str]:
        """What the page has asked for, itself among it."""
        return [one["params"]["request"]["url"] for one in self._told("Network.requestWillBeSent")]

    def forget(self) -> None:
        """Forget what the page complained of until now."""
        kept = (one for one in self._browser.events if one.get("sessionId") != self._session)
        loaded = (one for one in self._browser.events if one["method"] == "Network.requestWillBeSent")
        self._browser.events = [*kept, *loaded]

    def _told(self, *methods: str) -> list[dict[str, Any]]:
        mine = (one for one in self._browser.events if one.get("sessionId") == self._session)
        return [one for one in mine if one["method"] in methods]

    def picture(self, *, whole: bool = True) -> bytes:
        """Return the page as PNG."""
        told = self.call("Page.captureScreenshot", captureBeyondViewport=whole, **self._whole(whole=whole))
        return base64.b64decode(told["data"])

    def _whole(self, *, whole: bool) -> dict[str, Any]:
        if not whole:
            return {}
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {**size, "scale": 1}}

    def printed(self) -> bytes:
        """Return the page as PDF, as it would be printed."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def close(self) -> None:
        """Close the tab."""
        self._browser.call("Target.closeTarget", targetId=self._target)
