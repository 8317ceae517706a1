"""Rows of a record: the settings of a run, named as in its dialog, and its result."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec
from PySide6.QtCore import QCoreApplication

from app.languages import language_name
from app.number_format import format_range
from app.params.base import TaskParams
from app.params.grid_cells import setting_title
from app.params.training.encoder import TrainEncoder
from app.params.training.fields import TITLES
from app.params.translation import TrainTranslation
from app.views.widgets.choice_titles import choice_title
from app.views.widgets.fields import FieldFacts, field_facts
from app.views.widgets.number_format import (
    describe_device,
    format_bytes,
    format_duration,
    format_error_rate,
    format_throughput,
)
from app.views.widgets.record_tree import RecordRow, format_value

_tr = partial(QCoreApplication.translate, "record_rows")

RECORD_KEY = "record"  # part of a training result: what the weights depend on
MAX_LISTED = 20  # largest number of rows of a list
MIN_HISTOGRAM = 4  # lists of this length or longer are shown as charts
_IDS = frozenset(("id", "corpus", "mining", "subcorpus", "map", "place", "hub"))
_HIDDEN = frozenset(("ids", "texts", "fingerprint"))
_CHOICES = ("method", "retrieval", "margin", "format", "kind", "head", "index")
_RATES = (
    *("accuracy", "majority", "zero_shot", "development", "recall", "precision"),
    *("coverage", "share", "f1", "macro_f1", "kept_neighbours", "kept", "alone"),
    *("precision_at_1", "precision_at_5", "precision_at_10"),
)


def read_json(text: str) -> dict[str, Any]:
    """Read an object stored as JSON; return an empty one if it is damaged."""
    try:
        value = msgspec.json.decode(text or "{}")
    except msgspec.MsgspecError:
        return {}
    return value if isinstance(value, dict) else {}


def setting_rows(params: TaskParams, corpora: Mapping[str, str]) -> list[RecordRow]:
    """Return a row for each setting; defaults are dimmed, empty defaults omitted.

    Args:
        corpora: names of corpora by their ids; of other objects by kind and id.
    """
    rows = []
    for info in msgspec.structs.fields(type(params)):
        facts, value = field_facts(info), getattr(params, info.name)
        is_default = not facts.is_required and value == facts.default
        if is_default and value in (None, "", ()):
            continue
        title = _title_setting(facts, params)
        text = format_setting(facts, value, corpora)
        rows.append(RecordRow(title, (text or format_value(None),), is_default))
    return rows


def _title_setting(facts: FieldFacts, params: TaskParams) -> str:
    """Return the title of a setting; for a switch, its description."""
    if isinstance(params, TrainEncoder):
        return setting_title(facts.name)
    if isinstance(params, TrainTranslation) and facts.name in TITLES:
        return TITLES[facts.name]
    does = facts.description.partition(". ")[0].partition("; ")[0].removesuffix(".")
    return does if facts.plain is bool and does else facts.title


def format_setting(facts: FieldFacts, value: Any, corpora: Mapping[str, str]) -> str:
    """Format a setting as in its dialog, and files without their folders.

    Args:
        corpora: names of corpora by their ids; of other objects by kind and id.
    """
    items = value if isinstance(value, tuple) else (value,)
    return ", ".join(_format_item(facts, item, corpora) for item in items)


def _format_item(facts: FieldFacts, value: Any, corpora: Mapping[str, str]) -> str:
    if not isinstance(value, str):
        return value.name if isinstance(value, Path) else format_value(value)
    if _is_choice(facts.plain):
        return choice_title(value, facts.name)
    if facts.has_names and "=" in value:
        name, _, file = value.partition("=")
        return f"{name}: {Path(file).name}"
    if facts.name.endswith(("language", "languages")):
        return language_name(value)
    is_other = facts.refers_to not in ("", "corpus")
    key = f"{facts.refers_to} {value}" if is_other else value
    return format_result(facts.name, corpora.get(key, value))


def _is_choice(plain: Any) -> bool:
    if get_origin(plain) is tuple:
        plain = get_args(plain)[0]
    return get_origin(plain) is Literal


def flatten(values: Mapping[str, Any]) -> list[RecordRow]:
    """Return rows for a mapping; a list of mappings has a row for each one."""
    rows: list[RecordRow] = []
    for name, value in _shown(values):
        title = result_title(name)
        if isinstance(value, Mapping):
            if name == "intervals":
                value = {f"{key}_interval": one for key, one in value.items()}
            deeper = flatten(value)
            rows += [row._replace(title=f"{title} · {row.title}") for row in deeper]
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            rows += _rows_of_list(title, value)
        else:
            rows.append(RecordRow(title, (format_result(name, value),)))
    return rows


def _shown(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Return the values that are neither ids nor empty."""
    for name, value in values.items():
        is_id = name in _IDS and isinstance(value, int)
        if is_id or name in _HIDDEN or value in (None, "", [], {}) or _is_plot(value):
            continue
        if name == "development" and values.get("head") == "relatedness":
            name = "pearson"
        yield name, value


def _is_plot(value: Any) -> bool:
    """Return whether a value is chart data: a list of four or more numbers."""
    is_long = isinstance(value, list) and len(value) >= MIN_HISTOGRAM
    return is_long and all(isinstance(one, int | float) for one in value)


def _rows_of_list(title: str, items: Sequence[Mapping[str, Any]]) -> list[RecordRow]:
    """Return a row for each of the first mappings, titled by differing values."""
    first = items[0]
    names = [name for name, value in first.items() if isinstance(value, str)]
    differing = [n for n in names if len({str(one.get(n)) for one in items}) > 1]
    names = [name for name in differing or names[:1] if name not in _HIDDEN]
    rows = [_row_of_mapping(title, item, names) for item in items[:MAX_LISTED]]
    if len(items) > MAX_LISTED:
        rest = _tr("{n} more").format(n=format_value(len(items) - MAX_LISTED))
        rows.append(RecordRow(title, (rest,)))
    return rows


def _row_of_mapping(
    title: str, item: Mapping[str, Any], names: Sequence[str]
) -> RecordRow:
    """Format a mapping as one row: names in the title, numbers in the value."""
    name = " – ".join(
        format_result(name, item[name]) for name in names if item.get(name)
    )
    numbers = [
        f"{result_title(name)} {format_result(name, value)}"
        for name, value in _shown(item)
        if not isinstance(value, str)
    ]
    return RecordRow(" · ".join(filter(None, [title, name])), (", ".join(numbers),))


def result_title(name: str) -> str:
    """Return the title of a field, without its unit."""
    if name in (titles := _result_titles()):
        return titles[name]
    for unit in ("_per_s", "_bytes", "_s"):
        name = name.removesuffix(unit)
    return name.removeprefix("n_").replace("_", " ")


def _result_titles() -> dict[str, str]:
    """Return the titles of results whose field names can't be shown."""
    return {
        "message": _tr("summary"),
        "seconds": _tr("time"),
        "elapsed_s": _tr("time"),
        "dim": _tr("dimensions"),
        "out": _tr("output"),
        "begun": _tr("sentences before the first step"),
        "zero_rows": _tr("sentences without a vector"),
        "zero": _tr("sentences without a vector"),
        "was_done": _tr("encoded before"),
        "resumed_at": _tr("continued at sentence"),
        "resumed_at_step": _tr("continued at step"),
        "reused": _tr("vectors that were known"),
        "n_train": _tr("training rows"),
        "n_development": _tr("held-out rows"),
        "n_test": _tr("test rows"),
        "development": _tr("accuracy, held out"),
        "pearson": _tr("Pearson’s r"),
        "majority": _tr("accuracy of the most frequent class"),
        "zero_shot": _tr("zero-shot"),
        "n_searched": _tr("sentences searched"),
        "n_sources": _tr("source sentences"),
        "n_targets": _tr("target sentences"),
        "n_source_alone": _tr("source sentences without a link"),
        "n_target_alone": _tr("target sentences without a link"),
        "n_duplicates": _tr("sentences with a text that was there before"),
        "n_unknown": _tr("sentences that the encoder does not know"),
        "n_found": _tr("pairs before the threshold"),
        "n_below": _tr("pairs below the threshold"),
        "n_seeds": _tr("pairs of the seed dictionary"),
        "n_left": _tr("left"),
        "has_converged": _tr("converged"),
        "has_pieces": _tr("splits words into pieces"),
        "has_lemmas": _tr("with lemmas"),
        "neighbours_known": _tr("neighbours were known"),
        "kept_neighbours": _tr("neighbours that the map keeps"),
        "kept_interval": _tr("their 95\u00a0% interval"),
        "was_trained": _tr("language was trained"),
        "data": _tr("labelled data"),
        "sets": _tr("set"),
        "n_repeated": _tr("repeated texts"),
        "n_contradicting": _tr("texts with different labels"),
        "n_doubtful": _tr("labels that may be wrong"),
        "doubtful": _tr("doubtful label"),
        "doubts_note": _tr("why no doubtful labels were searched for"),
        "unknown": _tr("share of unknown pieces"),
        "script": _tr("share of known letters"),
        "hubs": _tr("share of hubs"),
        "skewness": _tr("skewness of the counts of neighbours"),
        "in_dictionary": _tr("is in the dictionary"),
        "kept_step": _tr("step that was kept"),
    }


def format_result(name: str, value: Any) -> str:
    """Format a value with the unit of its field name."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return format_value(value)
    if name.endswith("interval") and isinstance(value, list | tuple):
        rate = name.removesuffix("interval").removesuffix("_")
        return format_range(*(format_result(rate, item) for item in value))
    if name.endswith("_per_s") and isinstance(value, int | float):
        return format_throughput(float(value))
    if (name == "size" or name.endswith("_bytes")) and isinstance(value, int):
        return format_bytes(value)
    if name.endswith(("_s", "seconds")) and isinstance(value, int | float):
        return format_duration(float(value))
    if _is_rate(name) and isinstance(value, int | float):
        return format_error_rate(float(value))
    if name in _CHOICES and isinstance(value, str):
        return choice_title(value, name)
    if name.endswith("language") and isinstance(value, str):
        return language_name(value)
    if name == "device":
        return describe_device(str(value))
    if isinstance(value, Mapping):
        return "; ".join(f"{one.title} {one.values[0]}" for one in flatten(value))
    if isinstance(value, list | tuple) and value:
        return ", ".join(format_result(name, item) for item in value)
    if isinstance(value, str) and Path(value).is_absolute():
        return Path(value).name
    return format_value(value)


def _is_rate(name: str) -> bool:
    """Return whether a result is a rate 0…1: an error, an accuracy, a recall."""
    if name.endswith("squared_error"):
        return False
    is_error = name.startswith("error") or name.endswith(("error", "error_margin"))
    return is_error or name in _RATES or name.endswith(("_accuracy", "_coverage"))
