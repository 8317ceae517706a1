"""The one door to pyarrow, which comes with the optional extra `parquet`."""

import importlib
import importlib.util
from typing import Any

from app.errors import UserError


def load_arrow(module: str = "pyarrow") -> Any:
    """Import a module of pyarrow.

    Raises:
        UserError: the extra is not installed.
    """
    if importlib.util.find_spec("pyarrow") is None:
        raise UserError(
            "Parquet needs the package pyarrow, which is not installed: run "
            "pip install 'isogloss[parquet]', or take JSON lines or CSV instead."
        )
    return importlib.import_module(module)


__all__ = ["load_arrow"]
