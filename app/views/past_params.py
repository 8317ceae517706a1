"""The params of runs that were made before."""

from typing import Any

import msgspec
from sqlalchemy import Engine

from app.engine.store.rows import read_run
from app.params import params_from_json


def params_of_run(store: Engine, run_id: int | None) -> Any:
    """Give the params of a run; None without one, or if another version made it."""
    run = read_run(store, run_id) if run_id is not None else None
    if run is None:
        return None
    try:
        return params_from_json(run.params)
    except msgspec.MsgspecError:
        return None
