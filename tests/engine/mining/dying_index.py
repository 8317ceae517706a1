"""An index whose process dies, as one that is out of memory does."""

import os
from typing import Any


def build_index(job: dict[str, Any]) -> int:
    """Die."""
    assert job["kind"] == "hnsw"
    os._exit(9)
