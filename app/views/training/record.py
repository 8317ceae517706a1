"""Record of a training in groups of rows, and differences between two records."""

from collections.abc import Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Any

import msgspec
from PySide6.QtCore import QCoreApplication

from app.languages import language_name
from app.params.training.encoder import TrainEncoder
from app.params.training.fields import SECTIONS, unused_fields
from app.params.training.fine_tuning import FineTuneEncoder
from app.results.training import ErrorChange, pairs_of_mean
from app.views.training.language_errors import write_error
from app.views.training.runs import TrainingRun, describe_status
from app.views.training.text import (
    corpus_pair,
    differing_fields,
    field_title,
    name_objectives,
)
from app.views.widgets.fields import field_facts
from app.views.widgets.number_format import (
    describe_device,
    format_duration,
)
from app.views.widgets.record_rows import (
    RECORD_KEY,
    flatten,
    format_result,
    format_setting,
    result_title,
)
from app.views.widgets.record_tree import RecordRow
from app.views.widgets.statistics_format import format_interval, wilson_interval

_tr = partial(QCoreApplication.translate, "training")

RecordGroup = tuple[str, Sequence[RecordRow]]
CHANGES_KEY = "changes"  # in the result: errors before and after


def record_groups(
    training: TrainingRun, corpora: Mapping[str, str]
) -> list[RecordGroup]:
    """Return the record of a training in groups.

    Args:
        corpora: names of the project's corpora by their ids.
    """
    result = dict(training.result)
    record = result.pop(RECORD_KEY, {})
    result.pop(CHANGES_KEY, None)
    groups: list[RecordGroup] = []
    if training.params is not None:
        groups += settings_groups(training.params, corpora)
    groups.append((_tr("Result"), flatten(result)))
    groups.append((_tr("SHA-256 of the data"), flatten(record.get("hashes", {}))))
    machine = {"device": training.row.device} | {
        name: record[name] for name in ("precision", "n_threads") if name in record
    }
    groups.append((_tr("Machine"), flatten(machine)))
    groups.append((_tr("Versions"), flatten(training.versions)))
    if "command" in record:
        groups.append((_tr("Command"), [RecordRow("", (record["command"],))]))
    return groups


def settings_groups(
    params: TrainEncoder, corpora: Mapping[str, str]
) -> list[RecordGroup]:
    """Return the settings by section; defaults are dimmed."""
    values = msgspec.structs.asdict(params)
    unused = unused_fields(values)
    texts = _format_settings(params, corpora)
    defaults = {i.name: i.default for i in msgspec.structs.fields(type(params))}
    if isinstance(params, FineTuneEncoder):  # the initial encoder determines them
        unused |= {*SECTIONS["encoder"]} - {"initial"}
    titles = {
        "data": _tr("Data"),
        "encoder": _tr("Encoder"),
        "objectives": _tr("Objectives"),
        "steps": _tr("Steps"),
        "development": _tr("Development"),
    }
    return [
        (
            titles[section],
            [
                RecordRow(field_title(n), (texts[n],), values[n] == defaults[n])
                for n in fields
                if n not in unused
            ],
        )
        for section, fields in SECTIONS.items()
    ]


def _format_settings(
    params: TrainEncoder, corpora: Mapping[str, str]
) -> dict[str, str]:
    """Format the settings as in the form, including the meaning of empty ones."""
    empty = {
        "languages": _tr("all"),
        "native_languages": _tr("all"),
        "initial": _tr("random weights"),
        "vocabulary": _tr("trained on the same data"),
        "base": _tr("bundled encoder"),
        "teacher": _tr("bundled encoder"),
        "out": _tr("in the project"),
    }
    texts = {}
    for info in msgspec.structs.fields(type(params)):
        value = getattr(params, info.name)
        text = format_setting(field_facts(info), value, corpora)
        if info.name == "objectives":
            text = name_objectives(value)
        if value in (None, "", ()):
            text = empty.get(info.name, _tr("none"))
        texts[info.name] = text
    return texts


def change_groups(
    changes: Sequence[ErrorChange],
    corpora: Mapping[str, str],
    held_out: Mapping[str, int],
) -> list[RecordGroup]:
    """Return the errors before and after a training, and the change in points.

    If the number of pairs is known, errors have 95 % intervals.

    Args:
        changes: errors of a training that started from an encoder.
        corpora: names of the project's corpora by their ids.
        held_out: number of development pairs by language; empty if not recorded.
    """
    own = [one for one in changes if not one.is_other]
    others = [one for one in changes if one.is_other]
    return [
        (title, [_change_row(_tr("mean"), rows, n), *_change_rows(rows, corpora, n)])
        for title, rows, n in (
            (_tr("Your development pairs"), own, held_out),
            (_tr("Other languages (sample sentences)"), others, {}),
        )
        if rows
    ]


def difference_groups(
    one: TrainingRun, other: TrainingRun, corpora: Mapping[str, str]
) -> list[RecordGroup]:
    """Return the settings that differ between two trainings, with both values.

    Args:
        corpora: names of the project's corpora by their ids.
    """
    settings: list[RecordRow] = []
    if one.params is not None and other.params is not None:
        order = [name for fields in SECTIONS.values() for name in fields]
        differing = differing_fields(one.params, other.params)
        ours = _format_settings(one.params, corpora)
        theirs = _format_settings(other.params, corpora)
        settings = [
            RecordRow(field_title(name), (ours[name], theirs[name]))
            for name in sorted(differing, key=order.index)
        ]
    both = one, other
    results = [
        _row(_tr("state"), [describe_status(training.state) for training in both]),
        _row(
            _tr("duration"), [format_duration(training.elapsed_s) for training in both]
        ),
        _row(_tr("device"), [describe_device(t.row.device) for t in both]),
        *_differing(_plain_result(one), _plain_result(other)),
    ]
    hashes = [t.result.get(RECORD_KEY, {}).get("hashes", {}) for t in both]
    return [
        (_tr("Settings"), settings),
        (_tr("Result"), results),
        (_tr("SHA-256 of the data"), _differing(*hashes)),
        (_tr("Versions"), _differing(one.versions, other.versions)),
    ]


def _change_rows(
    changes: Sequence[ErrorChange],
    corpora: Mapping[str, str],
    held_out: Mapping[str, int],
) -> list[RecordRow]:
    """Return a row for each language or corpus pair, the largest increase first."""
    rows = []
    for one in sorted(changes, key=lambda one: one.before - one.after):
        pair = corpus_pair(one.language)
        title = language_name(one.language)
        if pair is not None:
            title = " – ".join(corpora.get(id_, id_) for id_ in pair)
        rows.append(_change_row(title, [one], held_out))
    return rows


def _change_row(
    title: str, changes: Sequence[ErrorChange], held_out: Mapping[str, int]
) -> RecordRow:
    """Return a row with the mean errors and their change in percentage points."""
    before = fmean(one.before for one in changes)
    after = fmean(one.after for one in changes)
    change = write_error(after - before, is_difference=True)
    n = pairs_of_mean([held_out.get(one.language, 0) for one in changes])
    if not n:
        return RecordRow(title, (write_error(before), write_error(after), change))
    values = [
        f"{write_error(one)} ({format_interval(*wilson_interval(one, n))})"
        for one in (before, after)
    ]
    return RecordRow(title, (*values, change, f"{n:,}"))


def _plain_result(training: TrainingRun) -> dict[str, Any]:
    left_out = (RECORD_KEY, CHANGES_KEY, "name", "folder", "counts", "elapsed_s")
    return {k: v for k, v in training.result.items() if k not in left_out}


def _differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[RecordRow]:
    return [
        RecordRow(
            result_title(name),
            (
                format_result(name, one.get(name)),
                format_result(name, other.get(name)),
            ),
        )
        for name in dict.fromkeys([*one, *other])
        if one.get(name) != other.get(name)
    ]


def _row(title: str, values: Sequence[str]) -> RecordRow:
    return RecordRow(title, tuple(values), is_quiet=len(set(values)) == 1)
