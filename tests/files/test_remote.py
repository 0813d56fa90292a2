"""Remote files: memory:// and a server of our own; what is missing, refused, or breaks off on the way."""

from __future__ import annotations

import gzip
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from eightfold.files import FileError
from eightfold.files.read.reading import opened
from eightfold.files.read.remote import sending
from support.trees import content_read

fsspec = pytest.importorskip("fsspec")
CONTENT = b"a line\n" * 200_000
FILES = {"/text.txt": CONTENT, "/text.txt.gz": gzip.compress(CONTENT)}


class Handler(BaseHTTPRequestHandler):
    """Serves files whole, as a server does that cannot serve parts; one of them it breaks off."""

    def do_GET(self) -> None:
        name = self.path.partition("?")[0]
        if name == "/broken":
            self.send_response(200)
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            self.wfile.write(CONTENT[:1000])
        elif name in FILES:
            self.send_response(200)
            self.send_header("Content-Length", str(len(FILES[name])))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(FILES[name])
        else:
            self.send_error(403 if name == "/secret" else 404)

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        thread = threading.Thread(target=serving.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{serving.server_port}"
        serving.shutdown()
        thread.join()


@pytest.fixture
def memory() -> Iterator[fsspec.AbstractFileSystem]:
    system = fsspec.filesystem("memory")
    for name, data in FILES.items():
        system.pipe(f"/folder{name}", data)
    yield system
    system.rm("/", recursive=True)


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("name", ["text.txt", "text.txt.gz"])
def test_a_file_in_memory_is_read(name: str, twice: bool, memory: fsspec.AbstractFileSystem) -> None:
    assert content_read(f"memory://folder/{name}", unpack=True, twice=twice) == CONTENT


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("name", ["text.txt", "text.txt.gz", "text.txt.gz?download=1"])
def test_a_file_of_a_server_is_read(name: str, twice: bool, server: str) -> None:
    assert content_read(f"{server}/{name}", unpack=True, twice=twice) == CONTENT


def test_compressed_ones_can_be_read_as_they_are(server: str) -> None:
    assert content_read(f"{server}/text.txt.gz") == FILES["/text.txt.gz"]


def test_it_is_read_once_as_a_pipe_is(memory: fsspec.AbstractFileSystem) -> None:
    with opened("memory://folder/text.txt") as source:
        assert not source.seekable
        assert source.length is None
    with opened("memory://folder/text.txt", twice=True) as source:
        assert source.seekable


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("memory://no-such", "there is no such file"),
        ("no-such-scheme://a", "Protocol not known: no-such-scheme"),
        ("http://127.0.0.1:9/a", "Connection refused"),
        ("http://", "not a valid address"),
        ("SERVER/no-such", "the server answers 404 Not Found"),
        ("SERVER/secret", "the server answers 403 Forbidden"),
        ("SERVER/broken", "payload is not completed"),
    ],
)
def test_what_cannot_be_read_is_blamed(address: str, reason: str, server: str) -> None:
    path = address.replace("SERVER", server)
    with pytest.raises(FileError) as raised:
        content_read(path)
    assert raised.value.path == path
    assert reason in raised.value.reason


def test_a_scheme_in_capitals_is_the_same(server: str) -> None:
    assert content_read(server.replace("http", "HTTP") + "/text.txt") == CONTENT


def test_what_a_library_says_is_bounded(memory: fsspec.AbstractFileSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise OSError("cannot be loaded from\n" + "/usr/lib\n" * 1000)

    monkeypatch.setattr(type(memory), "open", fail)
    with pytest.raises(FileError) as raised:
        content_read("memory://folder/text.txt")
    assert raised.value.reason == "cannot be loaded from ..."


def test_what_the_extra_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise ImportError('HTTPFileSystem requires "requests" and "aiohttp" to be installed')

    monkeypatch.setattr("fsspec.core.url_to_fs", fail)
    with pytest.raises(FileError, match=r"^http://127.0.0.1:9/a: to read it: pip install 'aiohttp.*' 'fsspec.*'$"):
        content_read("http://127.0.0.1:9/a")


def test_what_fsspec_lacks_for_a_scheme_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(FileError, match="Install s3fs"):
        content_read("s3://bucket/a")


def test_the_extra_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(
        FileError, match=r"^s3://bucket/a: it is remote; to read it: pip install 'aiohttp.*' 'fsspec.*'$"
    ):
        content_read("s3://bucket/a")


def test_what_is_written_is_there(memory: fsspec.AbstractFileSystem) -> None:
    with sending("memory://new/folder/file.txt") as file:
        file.write(CONTENT)
        assert not memory.exists("/new/folder/file.txt")
    assert memory.cat("/new/folder/file.txt") == CONTENT


def test_nothing_is_sent_of_what_fails(memory: fsspec.AbstractFileSystem) -> None:
    with pytest.raises(ZeroDivisionError), sending("memory://folder/text.txt") as file:
        file.writelines(CONTENT if at == 0 else bytes(1 // 0) for at in range(2))
    assert memory.cat("/folder/text.txt") == CONTENT


def test_where_nothing_can_be_written_it_is_said(server: str) -> None:
    with pytest.raises(FileError, match="this kind of address cannot be written to"), sending(f"{server}/a") as file:
        file.write(b"a")
