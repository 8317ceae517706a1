"""An index whose process is killed, as when memory runs out."""

import os
from typing import Any


def build_index(message: dict[str, Any]) -> int:
    """Die."""
    assert message["kind"] == "hnsw"
    os._exit(9)
