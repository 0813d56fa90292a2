"""One Spark and one Ray for all tests, small and with two workers each; where one is missing, its tests are skipped.

Spark is a cluster on this machine, whose two executors are processes of their own (`local-cluster`).
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from support.ray_head import head

TESTS = str(Path(__file__).parents[1])
"""Where workers find `support`."""


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed: make test-scale")
    if shutil.which("java") is None:
        pytest.skip("there is no Java")
    folder = tmp_path_factory.mktemp("spark")
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1", PYTHONPATH=TESTS)
    builder = sql.SparkSession.builder.master("local-cluster[2,1,768]").appName("eightfold")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.local.dir": str(folder),
        "spark.driver.memory": "1g",
        "spark.executor.memory": "768m",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
    shutil.rmtree(Path(sql.__file__).parents[1] / "work", ignore_errors=True)  # what executors wrote down


@pytest.fixture(scope="session")
def ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    if find_spec("ray") is None:
        pytest.skip("Ray is not installed: make test-scale")
    os.environ.update(RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0", PYTHONPATH=TESTS)
    with head(cpus=2, memory=200 << 20) as address:
        found = import_module("ray")
        found.init(address=address, log_to_driver=False)
        import_module("ray.data").DataContext.get_current().enable_progress_bars = False
        yield found
        found.shutdown()


@pytest.fixture
def once(tmp_path: Path) -> Path:
    """A file that is not there yet: by it, a task knows whether it is the first attempt."""
    return tmp_path / "attempted"
