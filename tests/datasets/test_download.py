"""Downloads against a server on this machine: resumed, verified, recovered."""

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from routebench.datasets import download
from routebench.datasets.download import obtain
from routebench.datasets.pins import Pin, find_pin, load_pins
from routebench.errors import RoutebenchError

CONTENT = bytes(range(256)) * 400
DIGEST = hashlib.sha256(CONTENT).hexdigest()
REVISION = "c" * 40

pytestmark = pytest.mark.enable_socket


class Server(ThreadingHTTPServer):
    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.ranges = []
        self.body = CONTENT
        self.cut_after = None
        self.status = self.next_status = 200
        self.honour_range = True


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        wanted = self.headers.get("Range")
        server.ranges.append(wanted)
        start = int(wanted[6:-1]) if wanted and server.honour_range else 0
        if start >= len(server.body):
            self.send_error(416)
            return
        body = server.body[start:]
        self.send_response(206 if start else server.status)
        server.status = server.next_status
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        cut, server.cut_after = server.cut_after, None
        self.wfile.write(body[:cut])

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(download, "wait_exponential", lambda **_: 0)
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def pin_for(server):
    url = f"http://127.0.0.1:{server.server_port}/{REVISION}/data.bin"
    return Pin("data", "data.bin", url, DIGEST, len(CONTENT), None, "none")


def test_download_is_whole_and_leaves_no_part(server, tmp_path):
    obtain(pin_for(server), tmp_path / "data")
    assert (tmp_path / "data").read_bytes() == CONTENT
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data", "data.lock"]


def test_cut_connection_is_resumed_where_it_broke(server, tmp_path):
    server.cut_after = 70_000
    obtain(pin_for(server), tmp_path / "data")
    assert (tmp_path / "data").read_bytes() == CONTENT
    assert server.ranges[0] is None
    assert 0 < int(server.ranges[1][6:-1]) <= 70_000


def test_server_that_ignores_the_range_starts_over(server, tmp_path):
    server.honour_range = False
    (tmp_path / "data.part").write_bytes(b"x" * 5)
    obtain(pin_for(server), tmp_path / "data")
    assert (tmp_path / "data").read_bytes() == CONTENT


def test_whole_part_of_a_killed_run_is_used(server, tmp_path):
    (tmp_path / "data.part").write_bytes(CONTENT)
    obtain(pin_for(server), tmp_path / "data")
    assert (tmp_path / "data").read_bytes() == CONTENT


@pytest.mark.parametrize(
    "body", [CONTENT[:-1], CONTENT + b"!", b"X" + CONTENT[1:]], ids=["short", "long", "changed"]
)
def test_other_bytes_are_refused_with_both_digests_and_a_rerun_recovers(server, tmp_path, body):
    server.body = body
    with pytest.raises(RoutebenchError) as error:
        obtain(pin_for(server), tmp_path / "data")
    message = str(error.value)
    assert "data.bin" in message
    assert DIGEST in message
    assert hashlib.sha256(body).hexdigest() in message
    assert not (tmp_path / "data").exists()
    server.body = CONTENT
    obtain(pin_for(server), tmp_path / "data")
    assert (tmp_path / "data").read_bytes() == CONTENT


def test_busy_server_is_asked_again(server, tmp_path):
    server.status, server.next_status = 503, 200
    obtain(pin_for(server), tmp_path / "data")
    assert (tmp_path / "data").read_bytes() == CONTENT
    assert len(server.ranges) == 2


def test_error_answer_names_the_file_and_the_way_out(server, tmp_path):
    server.status = server.next_status = 404
    with pytest.raises(RoutebenchError, match=r"data\.bin.*404.*ROUTEBENCH_MIRROR"):
        obtain(pin_for(server), tmp_path / "data")


def test_mirror_goes_before_the_address_and_is_found_by_digest(server, tmp_path):
    mirror = tmp_path / "mirror" / "deep"
    mirror.mkdir(parents=True)
    (mirror / "other-name").write_bytes(CONTENT)
    (mirror / "data.bin").write_bytes(b"not these bytes")
    obtain(pin_for(server), tmp_path / "data", mirror=tmp_path / "mirror")
    assert (tmp_path / "data").read_bytes() == CONTENT
    assert server.ranges == []


def test_mirror_that_lacks_the_file_falls_back_to_the_address(server, tmp_path):
    (tmp_path / "mirror").mkdir()
    obtain(pin_for(server), tmp_path / "data", mirror=tmp_path / "mirror")
    assert (tmp_path / "data").read_bytes() == CONTENT


def test_damaged_file_at_the_target_is_replaced(server, tmp_path):
    (tmp_path / "data").write_bytes(b"damaged")
    obtain(pin_for(server), tmp_path / "data")
    assert (tmp_path / "data").read_bytes() == CONTENT


def test_file_at_the_target_is_not_fetched_again(server, tmp_path):
    (tmp_path / "data").write_bytes(CONTENT)
    obtain(pin_for(server), tmp_path / "data")
    assert server.ranges == []


def test_pins_are_whole():
    pins = load_pins()
    assert len(pins) == 12
    assert pins["contextbench"].rows == 1136
    assert find_pin("case-ledger").bytes == 154988


def test_unknown_pin_names_the_known():
    with pytest.raises(RoutebenchError, match="expected one of annotation-audit, case-ledger"):
        find_pin("nope")


def test_pin_without_a_full_revision_is_refused():
    with pytest.raises(RoutebenchError, match="full revision"):
        Pin("a", "a", "https://example.org/main/a", "0" * 64, None, None, "none")


@pytest.mark.published
def test_pins_match_the_published_copies(published):
    from routebench.files import sha256_file

    files = {path.name: path for path in published.rglob("*") if path.is_file()}
    there = [pin for pin in load_pins().values() if pin.file in files]
    assert len(there) == 10
    for pin in there:
        assert (sha256_file(files[pin.file]), files[pin.file].stat().st_size) == (
            pin.sha256,
            pin.bytes,
        )
