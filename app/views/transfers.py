"""Tests of classifiers on languages: what the runs have told, as rows and words."""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from PySide6.QtCore import QCoreApplication
from sqlalchemy import Engine

from app.engine.store.rows import list_runs
from app.languages import language_name
from app.params import command_name, params_from_json
from app.params.classify import EvaluateTransfer
from app.transfer import LanguageDetails, LanguageScore, PairScore
from app.views.classify_words import (
    DOT,
    correlation_interval,
    format_change_of_r,
    format_correlation,
    format_points,
    format_r,
    format_rate,
    format_with_interval,
    head_words,
    language_code,
    wilson_interval,
)
from app.views.words import format_ago, format_duration

TRANSFER = command_name(EvaluateTransfer)
MAX_LISTED = 50


class Training(msgspec.Struct, frozen=True):
    """The classifier that was tested, as the engine tells it."""

    head: str
    encoder: str
    language: str
    classes: tuple[str, ...]
    n_train: int
    n_development: int
    development: float


class Told(msgspec.Struct, frozen=True):
    """The result of a test, as the engine keeps it."""

    languages: dict[str, dict[str, Any]]
    mean_gap: float | None
    training: Training
    matrix: dict[str, dict[str, float]]
    notes: tuple[str, ...]
    mean_gap_interval: tuple[float, float] | None = None
    others_mean: float | None = None
    others_mean_interval: tuple[float, float] | None = None


class Transfer(NamedTuple):
    """One test that has ended."""

    id: int
    params: EvaluateTransfer
    told: Told
    ended_at: float
    seconds: float

    @property
    def has_scores(self) -> bool:
        """Tell whether scores of pairs were tested, not classes."""
        return any("pearson" in one for one in self.told.languages.values())

    @property
    def name(self) -> str:
        """Name it by its languages: English → 12 languages."""
        home = language_name(self.told.training.language)
        names = [language_name(name) for name in self.told.languages]
        others = names[0] if len(names) == 1 else _tr("{n} languages")
        return f"{home} → {others.format(n=len(names))}"


class BoardRow(NamedTuple):
    """One language of the board; rates 0…1.

    Attributes:
        key: the language as the test names it.
        value: accuracy; of scores Pearson's r.
        f1, f1_low, f1_high: macro-F1; None where it is not told.
        majority: None for scores.
        n_known: rows that the training set holds, as they are or as a translation.
        is_home: it is the training language.
    """

    key: str
    title: str
    n: int
    value: float
    low: float
    high: float
    f1: float | None
    f1_low: float | None
    f1_high: float | None
    majority: float | None
    n_known: int
    is_home: bool

    @property
    def is_correlation(self) -> bool:
        """Tell whether its value is Pearson's r, not an accuracy."""
        return self.f1 is None and self.majority is None


def list_transfers(store: Engine) -> list[Transfer]:
    """Read the tests of a project, the newest first."""
    found = []
    for row in list_runs(store, task=TRANSFER, limit=MAX_LISTED):
        if row.state != "finished":
            continue
        try:
            params = params_from_json(row.params)
            told = msgspec.json.decode(row.result, type=Told)
        except msgspec.MsgspecError:  # of another version
            continue
        ended = row.ended_at or row.started_at
        seconds = max(ended - row.started_at, 0.0)
        found.append(Transfer(row.id, params, told, ended, seconds))
    return found


def board_rows(
    transfer: Transfer, details: Sequence[LanguageDetails]
) -> list[BoardRow]:
    """Give the rows of the board, the worst first."""
    known = {one.name: one for one in details}
    home = language_code(transfer.told.training.language)
    rows = []
    for key, plain in transfer.told.languages.items():
        is_home = language_code(key) == home
        if "pearson" in plain:
            pair = msgspec.convert(plain, PairScore)
            row = BoardRow(
                key,
                language_name(key),
                pair.n,
                pair.pearson,
                *pair.pearson_interval,
                *(None, None, None, None),
                0,
                is_home,
            )
            rows.append(row)
            continue
        score = msgspec.convert(plain, LanguageScore)
        one = known.get(key)
        low, high = one.macro_f1_interval if one else (None, None)
        rows.append(
            BoardRow(
                key,
                language_name(key),
                score.n,
                score.accuracy,
                *score.accuracy_interval,
                score.macro_f1,
                low,
                high,
                score.majority,
                one.n_duplicates + one.n_translations if one else 0,
                is_home,
            )
        )
    return sorted(rows, key=lambda row: (row.value, row.title))


def home_of(transfer: Transfer, rows: Sequence[BoardRow]) -> tuple[str, BoardRow]:
    """Give the score in the training language, and how it is called.

    Where no test is in it, the rows that were held out of the training tell it.
    """
    training = transfer.told.training
    title = language_name(training.language)
    for row in rows:
        if row.is_home:
            return _tr("{language}, the training language").format(language=title), row
    n, value = training.n_development, training.development
    interval = wilson_interval(max(value, 0.0), n)
    if transfer.has_scores:
        interval = correlation_interval(value, n)
    row = BoardRow(
        "",
        title,
        training.n_development,
        training.development,
        *interval,
        *(None, None, None, None),
        0,
        True,
    )
    return _tr("{language}, held out of training").format(language=title), row


def figures_of(transfer: Transfer, rows: Sequence[BoardRow]) -> list[tuple[str, str]]:
    """Give the figures of the head: each with its n and interval."""
    words, home = home_of(transfer, rows)
    others = [row for row in rows if not row.is_home]
    write = format_correlation if transfer.has_scores else format_with_interval
    figures = [(words, write(home.value, home.low, home.high, home.n))]
    if others:
        values = [row.value for row in others]
        n, told = sum(row.n for row in others), transfer.told
        bounds = told.others_mean_interval or (min(values), max(values))
        mean = write(sum(values) / len(values), *bounds, n)
        ends = " – ".join(
            _short(value, transfer) for value in (min(values), max(values))
        )
        title = _tr("mean of {n} other languages, {ends}")
        if len(others) == 1:
            title = _tr("the other language")
        elif told.others_mean_interval is None:
            title = _tr("mean of {n} other languages (lowest – highest)")
        figures.append((title.format(n=len(others), ends=ends), mean))
    if transfer.told.mean_gap is not None:
        gap = f"{format_points(-transfer.told.mean_gap)} {_tr('points')}"
        if transfer.has_scores:
            gap = format_change_of_r(-transfer.told.mean_gap)
        figures.append((_gap_words(transfer), gap))
    majorities = [row.majority for row in others if row.majority is not None]
    if majorities:
        majority = sum(majorities) / len(majorities)
        figures.append((_tr("majority class, mean"), format_rate(majority)))
    return figures


def _short(value: float, transfer: Transfer) -> str:
    """Write a score without what belongs to it: 65.1 %, of correlations r = 0.65."""
    return f"r = {format_r(value)}" if transfer.has_scores else format_rate(value)


def _gap_words(transfer: Transfer) -> str:
    """Say what the others lose by: the others against it, −11.2 – −4.1."""
    words, told = _tr("the others against it"), transfer.told
    write = format_change_of_r if transfer.has_scores else format_points
    if told.mean_gap_interval is None:
        return words
    low, high = told.mean_gap_interval
    return f"{words}, {write(-high)} – {write(-low)}"


def describe_transfer(one: Transfer) -> str:
    """Say in short what was found: mean 58.1 % · logistic regression · just now."""
    values = [
        plain.get("accuracy", plain.get("pearson", 0.0))
        for name, plain in one.told.languages.items()
        if language_code(name) != language_code(one.told.training.language)
    ]
    parts = [
        _tr("mean {rate}").format(rate=_short(sum(values) / len(values), one))
        if values
        else "",
        head_words(one.told.training.head),
        format_ago(max(time.time() - one.ended_at, 0)),
    ]
    return DOT.join(part for part in parts if part)


def describe_settings(one: Transfer) -> str:
    """Say how it was trained."""
    training = one.told.training
    parts = [
        head_words(training.head),
        training.encoder,
        _tr("{n} classes").format(n=len(training.classes)),
        _tr("trained on {n} rows").format(n=f"{training.n_train:,}"),
        _tr("took {time}").format(time=format_duration(one.seconds)),
        format_ago(max(time.time() - one.ended_at, 0)),
    ]
    if one.params.classifier:
        words = _tr("classifier {name}")
        parts.insert(0, words.format(name=one.params.classifier))
    if one.params.apart:
        parts.insert(4, _tr("translations of test rows set apart"))
    return DOT.join(parts)


def _tr(text: str) -> str:
    return QCoreApplication.translate("classify", text)
