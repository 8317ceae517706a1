"""Functions that the tests of `run_in_child` call in the child."""

import os
import time
from pathlib import Path

from app.errors import UserError


def add(a: int, b: int) -> int:
    return a + b


def refuse() -> None:
    raise UserError("This cannot be.")


def break_down() -> None:
    raise ValueError("broken")


def die() -> None:
    os._exit(3)


def sleep_long(file: str) -> None:
    Path(file).write_text(str(os.getpid()), encoding="utf-8")
    time.sleep(60)
