"""Datasets at `s3://`: the same faults and the same bytes as in a folder here, by a server of S3 on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from eightfold import cli
from support.datasets import dataset
from support.trees import files_in

pytest.importorskip("pyarrow", reason="pyarrow is not installed: make test-scale")
pytest.importorskip("s3fs", reason="s3fs is not installed: make test-scale")
moto = pytest.importorskip("moto.server", reason="moto is not installed: make test-scale")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The file system of fsspec, with an empty bucket; processes that tests start see the same server."""
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "nobody",
        "AWS_SECRET_ACCESS_KEY": "nothing",
        "AWS_DEFAULT_REGION": "us-east-1",
        "NO_PROXY": host,
    }.items():
        monkeypatch.setenv(name, value)
    s3fs = import_module("s3fs")
    s3fs.S3FileSystem.clear_instance_cache()
    system = s3fs.S3FileSystem()
    system.mkdir("bucket")
    yield system
    system.invalidate_cache()
    system.rm("bucket", recursive=True)  # the server is in this process, which keeps what is in it
    s3fs.S3FileSystem.clear_instance_cache()
    server.stop()


def checked(capsys: Any, folder: str) -> Any:
    capsys.readouterr()
    status = cli.main(["check", "--runner", "local", "--output-format", "json", folder])
    files = json.loads(capsys.readouterr().out)["files"]
    return status, [(file["path"].removeprefix(folder), file["faults"]) for file in files]


def content(system: Any, folder: str) -> dict[str, bytes]:
    system.invalidate_cache()
    return {name.removeprefix(f"{folder}/"): system.cat_file(name) for name in system.find(folder)}


def test_smoke(bucket: Any, tmp_path: Path, capsys: Any) -> None:
    dataset(tmp_path / "in")
    bucket.put(f"{tmp_path}/in/", "bucket/in", recursive=True)
    assert checked(capsys, "s3://bucket/in") == checked(capsys, str(tmp_path / "in"))
    for given, output in (("s3://bucket/in", "s3://bucket/out"), (str(tmp_path / "in"), str(tmp_path / "out"))):
        assert cli.main(["repair", "--runner", "local", given, "-o", output]) == 0
    there = content(bucket, "bucket/out")
    assert there.pop("_SUCCESS") == b""
    assert there == files_in(tmp_path / "out")
    assert checked(capsys, "s3://bucket/out")[0] == 0


def test_what_cannot_be_repaired_leaves_nothing(bucket: Any, tmp_path: Path, capsys: Any) -> None:
    dataset(tmp_path / "in")
    given = ["repair", "--runner", "local", "--errors", "strict", str(tmp_path / "in"), "-o", "s3://bucket/out"]
    assert cli.main(given) == 1
    assert "out is not written" in capsys.readouterr().err
    assert content(bucket, "bucket/out") == {}


def test_a_folder_that_is_not_empty_is_left_alone(bucket: Any, tmp_path: Path, capsys: Any) -> None:
    dataset(tmp_path / "in")
    bucket.pipe_file("bucket/out/mine", b"mine")
    assert cli.main(["repair", "--runner", "local", str(tmp_path / "in"), "-o", "s3://bucket/out"]) == 2
    assert "it is not empty" in capsys.readouterr().err
    assert content(bucket, "bucket/out") == {"mine": b"mine"}


def test_a_bucket_that_does_not_exist_is_an_error(bucket: Any, capsys: Any) -> None:
    assert cli.main(["check", "--runner", "local", "s3://no-such-bucket/in"]) == 2
    assert "eightfold: s3://no-such-bucket/in: " in capsys.readouterr().err
