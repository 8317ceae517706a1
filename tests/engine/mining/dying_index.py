"""An index whose process dies, as one that is out of memory does."""

import os
from typing import Any


def build_index(message: dict[str, Any]) -> int:
    """Die."""
    assert message["kind"] == "hnsw"
    os._exit(9)
