"""Rows of a record: the settings of a run, as its dialog names them, and its result."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec

from app.languages import language_name
from app.params.base import TaskParams
from app.params.grid_cells import setting_title
from app.params.training.encoder import TrainEncoder
from app.views.widgets.choice_titles import choice_title
from app.views.widgets.fields import FieldFacts, field_facts
from app.views.widgets.number_format import (
    describe_device,
    format_bytes,
    format_duration,
    format_error_rate,
)
from app.views.widgets.record_tree import RecordRow, format_value

RECORD_KEY = "record"  # of the result of a training: what the weights depend on


def read_json(text: str) -> dict[str, Any]:
    """Read an object that the project stores as JSON; empty if it is damaged."""
    try:
        value = msgspec.json.decode(text or "{}")
    except msgspec.MsgspecError:
        return {}
    return value if isinstance(value, dict) else {}


def setting_rows(params: TaskParams, corpora: Mapping[str, str]) -> list[RecordRow]:
    """Make a row of each setting; defaults are dimmed, and left out if they are empty.

    Args:
        params: the settings.
        corpora: names of corpora by their ids.
    """
    rows = []
    for info in msgspec.structs.fields(type(params)):
        facts, value = field_facts(info), getattr(params, info.name)
        is_default = not facts.is_required and value == facts.default
        if is_default and value in (None, "", ()):
            continue
        is_training = isinstance(params, TrainEncoder)
        title = setting_title(info.name) if is_training else facts.title
        items = value if isinstance(value, tuple) else (value,)
        text = ", ".join(_format_setting(facts, item, corpora) for item in items)
        rows.append(RecordRow(title, (text or format_value(None),), is_default))
    return rows


def _format_setting(facts: FieldFacts, value: Any, corpora: Mapping[str, str]) -> str:
    """Format a setting as its dialog shows it; files without their folders."""
    if not isinstance(value, str):
        return value.name if isinstance(value, Path) else format_value(value)
    if _is_choice(facts.plain):
        return choice_title(value, facts.name)
    if facts.has_names and "=" in value:
        name, _, file = value.partition("=")
        return f"{name}: {Path(file).name}"
    if facts.name.endswith(("language", "languages")):
        return language_name(value)
    return format_result(facts.name, corpora.get(value, value))


def _is_choice(plain: Any) -> bool:
    if get_origin(plain) is tuple:
        plain = get_args(plain)[0]
    return get_origin(plain) is Literal


def flatten(values: Mapping[str, Any]) -> list[RecordRow]:
    """Make rows of a mapping; of a list of mappings, one row each."""
    rows: list[RecordRow] = []
    for name, value in values.items():
        title = result_title(name)
        if isinstance(value, Mapping):
            deeper = flatten(value)
            rows += [row._replace(title=f"{title} · {row.title}") for row in deeper]
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            rows += [_row_of_mapping(title, item) for item in value]
        else:
            rows.append(RecordRow(title, (format_result(name, value),)))
    return rows


def _row_of_mapping(title: str, item: Mapping[str, Any]) -> RecordRow:
    """Format a mapping as one row: its name in the title, its numbers after it."""
    names = [str(value) for value in item.values() if isinstance(value, str)]
    numbers = [
        f"{result_title(name)} {format_result(name, value)}"
        for name, value in item.items()
        if not isinstance(value, str)
    ]
    return RecordRow(" · ".join([title, *names[:1]]), (", ".join(numbers),))


def result_title(name: str) -> str:
    """Return the title of a field; its unit is shown with the value."""
    for unit in ("_bytes", "_s"):
        name = name.removesuffix(unit)
    return name.removeprefix("n_").replace("_", " ")


def format_result(name: str, value: Any) -> str:
    """Format a value with the unit that its name implies."""
    if value is None:
        return "–"
    if name.endswith("_bytes") and isinstance(value, int):
        return format_bytes(value)
    if name.endswith("_s") and isinstance(value, int | float):
        return format_duration(float(value))
    if name.endswith("error") and isinstance(value, int | float):
        return format_error_rate(float(value))
    if name == "device":
        return describe_device(str(value))
    if isinstance(value, Mapping):
        return "; ".join(f"{one.title} {one.values[0]}" for one in flatten(value))
    if isinstance(value, list | tuple) and value:
        return ", ".join(format_result(name, item) for item in value)
    if isinstance(value, str) and Path(value).is_absolute():
        return Path(value).name
    return format_value(value)
