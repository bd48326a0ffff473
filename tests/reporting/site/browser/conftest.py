"""Headless Chromium by the WebDriver protocol: chromedriver's HTTP, no further dependency."""

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from routebench.reporting.site.build import write_site

PROGRAMS = ("chromium", "chromedriver")
PACKAGES = "chromium chromium-driver"
STARTUP_S = 20.0
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
)


class Browser:
    """One session; what a page logs and asks the network for is kept by the driver."""

    def __init__(self, client: httpx.Client, profile: Path) -> None:
        self.client = client
        options = {
            "args": [*FLAGS, f"--user-data-dir={profile}"],
            "binary": shutil.which("chromium"),
        }
        asked = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        answer = self._post("/session", {"capabilities": {"alwaysMatch": asked}})
        self.session = f"/session/{answer['sessionId']}"

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        answer = self.client.post(path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()["value"]

    def open(self, page: Path, route: str = "") -> None:
        self._post(f"{self.session}/url", {"url": f"{page.as_uri()}{route}"})

    def run(self, script: str, *arguments: Any) -> Any:
        """Returns what the body of a function returns in the page."""
        body = {"script": script, "args": list(arguments)}
        return self._post(f"{self.session}/execute/sync", body)

    def wait(self, script: str, seconds: float = 10.0) -> Any:
        """Returns the first true value of a script."""
        until = time.monotonic() + seconds
        while not (value := self.run(script)):
            assert time.monotonic() < until, f"never true: {script}"
            time.sleep(0.01)
        return value

    def press(self, key: str) -> None:
        keys = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
        actions = [{"type": "key", "id": "keys", "actions": keys}]
        self._post(f"{self.session}/actions", {"actions": actions})

    def command(self, name: str, **parameters: Any) -> Any:
        """Returns the answer of a command of the DevTools protocol."""
        body = {"cmd": name, "params": parameters}
        return self._post(f"{self.session}/goog/cdp/execute", body)

    def console(self) -> list[str]:
        """Returns what was logged since it was last asked."""
        return [entry["message"] for entry in self._log("browser")]

    def requests(self) -> list[str]:
        """Returns the addresses that were asked for since it was last asked."""
        events = [json.loads(entry["message"])["message"] for entry in self._log("performance")]
        return [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def _log(self, kind: str) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self._post(f"{self.session}/se/log", {"type": kind})
        return entries

    def resize(self, width: int, height: int) -> None:
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def close(self) -> None:
        self.client.delete(self.session)


@contextmanager
def open_browser(profile: Path) -> Iterator[Browser]:
    """Yields a session of a browser that ends with the block."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    driver = subprocess.Popen(
        ["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False
        ) as client:
            _await_driver(client)
            browser = Browser(client, profile)
            try:
                yield browser
            finally:
                browser.close()
    finally:
        driver.terminate()
        driver.wait(timeout=10)


def _await_driver(client: httpx.Client) -> None:
    until = time.monotonic() + STARTUP_S
    while True:
        try:
            if client.get("/status").json()["value"]["ready"]:
                return
        except (httpx.HTTPError, KeyError, ValueError):
            pass
        assert time.monotonic() < until, "chromedriver did not start"
        time.sleep(0.05)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser for all tests; they are skipped, with the reason, where there is none.

    No test installs a system package, in CI neither: Debian has it as ``apt-get install
    chromium chromium-driver``.
    """
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    if missing:
        pytest.skip(f"no browser: {' and '.join(missing)} not installed (Debian: {PACKAGES})")
    with open_browser(tmp_path_factory.mktemp("browser") / "profile") as opened:
        yield opened


@pytest.fixture
def page_of(make: Any, tmp_path: Path) -> Callable[..., Path]:
    """Returns a function that writes the report of a small study and returns its page."""

    def page_of(limit: int = 10_000_000, **differences: Any) -> Path:
        built = make(tmp_path / "results", **differences)
        page = tmp_path / "report" / "index.html"
        write_site(
            files=built.files,
            study=built.study,
            page=page,
            cases=page.parent / "cases",
            limit=limit,
        )
        return page

    return page_of
