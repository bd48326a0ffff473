"""Fixtures that several rooms' tests share.

Among them a server on the loopback that speaks the providers' formats, well or badly.
"""

import json
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def published() -> Path:
    """Folder of published data for checks; must be there in CI, else the test is skipped."""
    folder = Path(os.environ.get("ROUTEBENCH_PUBLISHED", ROOT.parent / "shared" / "data"))
    if not (folder / "paper-archive").is_dir():
        message = f"published data not found in {folder} (set ROUTEBENCH_PUBLISHED)"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return folder


@pytest.fixture(scope="session")
def git_url() -> str:
    """Template of repository addresses that stand in for the network (not in CI)."""
    template = os.environ.get("ROUTEBENCH_GIT_URL")
    if not template:
        pytest.skip("real repositories: set ROUTEBENCH_GIT_URL to a template with {owner} {name}")
    return template


KEY = "sk-planted-5f3a9c"
PROXIES = ("http_proxy", "https_proxy", "all_proxy")


@dataclass
class Reply:
    """What the server does with one request."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    cut: bool = False
    drip_s: float = 0.0

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


def systemone(body: dict[str, Any]) -> Reply:
    """A good answer: option n gets 1 / (n + 2), none 0.05, a noul 1 / its text's length."""
    answers: dict[str, Any] = {}
    for name, question in body["questions"].items():
        if question["type"] == "choice":
            count = len(question["criteria"]) - 1
            given = {f"option_{n}": 1 / (n + 2) for n in range(count)} | {"none_of_these": 0.05}
            answers[name] = {"type": "choice", "probabilities": given}
        else:
            answers[name] = {"type": "noul", "noul": 1 / len(question["instructions"])}
    return Reply(body={"answers": answers, "usage": {"input_tokens": 1000, "output_tokens": 7}})


class Server(ThreadingHTTPServer):
    """Plays ``script`` first, then answers well; remembers what it was asked."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: deque[Reply] = deque()
        self.answer: Callable[[dict[str, Any]], Reply] = systemone
        self.bodies: list[dict[str, Any]] = []
        self.answered: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.open = self.peak = self.connections = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is what some tests are about."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def setup(self) -> None:
        super().setup()
        with self.server.lock:
            self.server.connections += 1

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.bodies.append(body)
            self.server.headers.append(dict(self.headers))
            self.server.open += 1
            self.server.peak = max(self.server.peak, self.server.open)
            reply = self.server.script.popleft() if self.server.script else None
        try:
            self._send(reply or self.server.answer(body))
            self.server.answered.append(body)
        finally:
            with self.server.lock:
                self.server.open -= 1

    def _send(self, reply: Reply) -> None:
        time.sleep(reply.delay_s)
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        content = reply.content
        self.send_header("Content-Length", str(len(content) + 10 * reply.cut))
        self.end_headers()
        if reply.drip_s:
            for byte in content:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                time.sleep(reply.drip_s)
        else:
            self.wfile.write(content)
        if reply.cut:
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Silence."""


@pytest.fixture
def server(socket_enabled: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A provider on the loopback; the keys that its clients need are set."""
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("TYPESAFE_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server = Server()
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def reply() -> type[Reply]:
    return Reply


@pytest.fixture
def key() -> str:
    return KEY
