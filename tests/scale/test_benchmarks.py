"""The benchmark of columns has a row for Spark where it is installed."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks import columns

pytestmark = pytest.mark.filterwarnings("ignore")


def test_the_row_beside_spark_runs(spark: Any) -> None:
    found = columns.sides(columns.columns_of("latin", 20, 600), 1)
    for side in found["repair dirty, make_valid_utf8"]:
        side()
