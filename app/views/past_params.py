"""The params of runs that were made before."""

from typing import TYPE_CHECKING, Any

import msgspec

from app.params import params_from_json

if TYPE_CHECKING:
    from sqlalchemy import Engine


def params_of_run(store: "Engine", run_id: int | None) -> Any:
    """Give the params of a run; None without one, or if another version made it."""
    from app.engine.store.rows import read_run

    run = read_run(store, run_id) if run_id is not None else None
    return read_params(run.params) if run is not None else None


def read_params(text: str) -> Any:
    """Read the params of a run; None if another version made it."""
    try:
        return params_from_json(text)
    except msgspec.MsgspecError:
        return None
