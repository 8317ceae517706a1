"""Transfer tests of the project as rows, figures and export tables."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication
from sqlalchemy import Engine

from app.engine.store.classifiers import read_transfer_predictions
from app.engine.store.corpora import corpus_of
from app.engine.store.sentences import read_sentences
from app.languages import language_name, language_of_set
from app.number_format import format_range
from app.params.classify import EvaluateTransfer
from app.results.transfer import (
    ConfidentError,
    LanguageDetails,
    PairScore,
    TransferResult,
    read_transfer_result,
    transfer_columns,
)
from app.views.client.project_reader import ProjectReader
from app.views.client.runs import finished_runs
from app.views.widgets.number_format import format_age, format_duration
from app.views.widgets.statistics_format import (
    SEPARATOR,
    correlation_interval,
    count_labelled,
    describe_unreliable,
    format_coefficient,
    format_coefficient_change,
    format_correlation,
    format_percentage_points,
    format_rate,
    format_rate_with_interval,
    head_name,
    is_unreliable,
    language_code,
    name_noted_language,
    wilson_interval,
)

_tr = partial(QCoreApplication.translate, "classify")

MAX_RUNS_LISTED = 50
UNREAD = "…"  # in a preview, a value that only the export reads


class TransferRun(NamedTuple):
    """A finished test."""

    id: int
    params: EvaluateTransfer
    result: TransferResult
    ended_at: float
    seconds: float

    @property
    def has_scores(self) -> bool:
        """Return whether the test is on scores of pairs, not classes."""
        return any(isinstance(one, PairScore) for one in self.result.languages.values())

    @property
    def is_of_pairs(self) -> bool:
        """Return whether the test is on pairs of texts."""
        return self.result.training.features != "single"

    @property
    def name(self) -> str:
        """The name of the test by languages: English → 12 languages."""
        home = language_name(self.result.training.language)
        names = [language_name(name) for name in self.result.languages]
        others = names[0] if len(names) == 1 else _tr("{n} languages")
        return f"{home} → {others.format(n=len(names))}"


class TransferScore(NamedTuple):
    """Scores of a language in the board; rates are 0…1.

    Attributes:
        key: the language's key in the test.
        value: accuracy, or Pearson's r for scores.
        f1, f1_low, f1_high: macro-F1 with interval; None if unknown.
        majority: accuracy of the majority class; None for scores.
        n_known: number of rows in the training set or translated from it.
        is_home: whether it is the training language.
        is_correlation: whether `value` is Pearson's r, not accuracy.
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
    is_correlation: bool


def list_transfers(store: Engine) -> list[TransferRun]:
    """Read the tests of a project, the newest first."""
    found = []
    for row, params, result in finished_runs(
        store, EvaluateTransfer, read_transfer_result, MAX_RUNS_LISTED
    ):
        ended = row.ended_at or row.started_at
        seconds = max(ended - row.started_at, 0.0)
        found.append(TransferRun(row.id, params, result, ended, seconds))
    return found


def transfer_scores(
    transfer: TransferRun, details: Sequence[LanguageDetails]
) -> list[TransferScore]:
    """Return the rows of the board: training language, then worst to best."""
    known = {one.name: one for one in details}
    home = language_code(transfer.result.training.language)
    rows = []
    for key, score in transfer.result.languages.items():
        is_home = language_of_set(key) == home
        if isinstance(score, PairScore):
            row = TransferScore(
                key,
                language_name(key),
                score.n,
                score.pearson,
                *score.pearson_interval,
                *(None, None, None, None),
                0,
                is_home,
                is_correlation=True,
            )
            rows.append(row)
            continue
        one = known.get(key)
        low, high = one.macro_f1_interval if one else (None, None)
        interval = score.accuracy_interval
        if interval[0] == interval[1]:  # all resamples are equal at 0 and 100 %
            interval = wilson_interval(score.accuracy, score.n)
        rows.append(
            TransferScore(
                key,
                language_name(key),
                score.n,
                score.accuracy,
                *interval,
                score.macro_f1,
                low,
                high,
                score.majority,
                one.n_duplicates + one.n_translations if one else 0,
                is_home,
                is_correlation=False,
            )
        )
    return sorted(rows, key=lambda row: (not row.is_home, row.value, row.title))


def training_language_score(
    transfer: TransferRun, rows: Sequence[TransferScore]
) -> tuple[str, TransferScore]:
    """Return the score in the training language, and its name.

    Without a test in that language, the score is from the held-out training rows.
    """
    training = transfer.result.training
    title = language_name(training.language)
    for row in rows:
        if row.is_home:
            words, params = _tr("{language}, the training language"), transfer.params
            is_trained_on = f"{row.key}={params.train}" in params.tests
            if is_trained_on and not row.is_correlation:  # the engine cross-validates
                words = _tr("{language}: cross-validation on {n}")
            return words.format(
                language=title, n=count_labelled(row.n, transfer.is_of_pairs)
            ), row
    n, value = training.n_development, training.development
    interval = wilson_interval(max(value, 0.0), n)
    if transfer.has_scores:
        interval = correlation_interval(value, n)
    row = TransferScore(
        "",
        title,
        training.n_development,
        training.development,
        *interval,
        *(None, None, None, None),
        0,
        is_home=True,
        is_correlation=transfer.has_scores,
    )
    return _tr("{language}, held out of training").format(language=title), row


def transfer_warning(
    transfer: TransferRun, rows: Sequence[TransferScore]
) -> tuple[str, str]:
    """Return a warning, with advice, if accuracies are based on too few rows."""
    _, home = training_language_score(transfer, rows)
    measured = [one for one in (home, *rows) if one.n and not one.is_correlation]
    doubtful = [one.n for one in measured if is_unreliable(one.value, one.n)]
    if not doubtful:
        return "", ""
    n_train = transfer.result.training.n_train
    is_of_pairs = transfer.is_of_pairs
    return describe_unreliable(n_train, min(doubtful), is_of_pairs=is_of_pairs)


def transfer_notes(transfer: TransferRun) -> list[str]:
    """Return the notes on a test, with language names instead of codes."""
    code = transfer.result.training.language
    return [
        name_noted_language(note).replace(f"({code})", f"({language_name(code)})")
        for note in transfer.result.notes
    ]


class BoardFigure(NamedTuple):
    """A figure above a board: 57.5 % (54.5 – 61.1 %, n = 1,386).

    Attributes:
        title: name of the figure.
        short_title: abbreviated title.
        value: value with n and interval.
    """

    title: str
    short_title: str
    value: str


def transfer_figures(
    transfer: TransferRun, rows: Sequence[TransferScore]
) -> list[BoardFigure]:
    """Return the figures above the board."""
    words, home = training_language_score(transfer, rows)
    others = [row for row in rows if not row.is_home]
    write = format_correlation if transfer.has_scores else format_rate_with_interval
    value = write(home.value, home.low, home.high, home.n)
    training = language_name(transfer.result.training.language)
    figures = [BoardFigure(words, training, value)]
    if others:
        values = [row.value for row in others]
        n, result = sum(row.n for row in others), transfer.result
        bounds = result.others_mean_interval or (min(values), max(values))
        if len(others) == 1:  # the mean would repeat its row
            bounds = others[0].low, others[0].high
        mean = write(sum(values) / len(values), *bounds, n)
        ends = " – ".join(
            _format_score(value, transfer) for value in (min(values), max(values))
        )
        title = _tr("mean of {n} other languages, {ends}")
        if len(others) == 1:
            title = _tr("the other language")
        elif result.others_mean_interval is None:
            title = _tr("mean of {n} other languages (lowest to highest)")
        title = title.format(n=len(others), ends=ends)
        figures.append(BoardFigure(title, _tr("others"), mean))
    if transfer.result.mean_gap is not None:
        words = _tr("gap: {language} minus the others").format(language=training)
        gap = _format_gap(transfer, transfer.result.mean_gap)
        figures.append(BoardFigure(words, _tr("gap"), gap))
    majorities = [row.majority for row in others if row.majority is not None]
    if majorities:
        majority = sum(majorities) / len(majorities)
        words, short = _tr("majority class, mean"), _tr("majority")
        figures.append(BoardFigure(words, short, format_rate(majority)))
    return figures


def _format_score(value: float, transfer: TransferRun) -> str:
    """Format a score without n or interval: 65.1 %, or r = 0.65 for correlations."""
    return (
        f"r = {format_coefficient(value)}"
        if transfer.has_scores
        else format_rate(value)
    )


def _format_gap(transfer: TransferRun, gap: float) -> str:
    """Format the gap with its interval: +10.8 points (+4.1 – +17.2)."""
    write, words = format_percentage_points, _tr("{gap} points{interval}")
    if transfer.has_scores:
        write, words = format_coefficient_change, _tr("{gap}{interval}")
    ends, interval = transfer.result.mean_gap_interval, ""
    if ends is not None:
        interval = f" ({format_range(*map(write, ends))})"
    return words.format(gap=write(gap), interval=interval)


def describe_transfer(one: TransferRun, others: Sequence[TransferRun] = ()) -> str:
    """Summarise result, encoder and age: mean 58.1 % · isogloss-3 · just now.

    Args:
        one: the test.
        others: tests; differences from those with the same name come first.
    """
    values = [
        score.pearson if isinstance(score, PairScore) else score.accuracy
        for name, score in one.result.languages.items()
        if language_of_set(name) != language_code(one.result.training.language)
    ]
    same = [_head_and_encoder(other) for other in others if other.name == one.name]
    own = _head_and_encoder(one)
    varied = [
        part for index, part in enumerate(own) if any(s[index] != part for s in same)
    ]
    parts = [
        *_describe_changes(one.params),  # first, because a narrow list cuts off the end
        *varied,
        _tr("mean {rate}").format(rate=_format_score(sum(values) / len(values), one))
        if values
        else "",
        *(part for part in own if part not in varied),
        format_age(one.ended_at),
    ]
    return SEPARATOR.join(part for part in parts if part)


def _head_and_encoder(one: TransferRun) -> tuple[str, str]:
    training = one.result.training
    return head_name(training.head), training.encoder


def name_tests(one: TransferRun, other: TransferRun) -> tuple[str, str]:
    """Name two tests by their differences: logistic regression, MLP."""
    both = [
        (SEPARATOR.join(_describe_changes(test.params)), *_head_and_encoder(test))
        for test in (one, other)
    ]
    varied = [index for index in range(3) if both[0][index] != both[1][index]]
    names = [
        SEPARATOR.join(parts[index] for index in varied if parts[index]) or parts[1]
        for parts in both
    ]
    if names[0] == names[1]:
        names = [_tr("This test"), _tr("Other test")]
    return names[0], names[1]


def _describe_changes(params: EvaluateTransfer) -> list[str]:
    """List the non-default settings of a head, which distinguish tests."""
    changes = []
    if params.classifier:
        changes.append(_tr("classifier {name}").format(name=params.classifier))
    if params.balanced:
        changes.append(_tr("balanced classes"))
    if params.inverse_l2 is not None:
        changes.append(_tr("C = {value}").format(value=f"{params.inverse_l2:g}"))
    return changes


def describe_transfer_settings(one: TransferRun) -> str:
    """Describe the training of a test."""
    training = one.result.training
    parts = [
        *_describe_changes(one.params),
        head_name(training.head),
        training.encoder,
        _tr("{n} classes").format(n=len(training.classes)),
        _tr("trained on {n}").format(
            n=count_labelled(training.n_train, one.is_of_pairs)
        ),
        _tr("took {time}").format(time=format_duration(one.seconds)),
        format_age(one.ended_at),
    ]
    if one.params.keep_as:
        words = _tr("classifier kept as {name}")
        parts.insert(-2, words.format(name=one.params.keep_as))
    elif not one.params.classifier:
        parts.insert(-2, _tr("classifier not kept"))
    if one.params.apart:
        parts.insert(-2, _tr("translations of test rows excluded"))
    return SEPARATOR.join(parts)


def score_table(
    one: TransferRun, rows: Sequence[TransferScore]
) -> Iterator[Sequence[str]]:
    """Return the board and the settings of the test as a table with a header.

    Args:
        rows: rows of the board, including the training language.
    """
    sources = dict(test.split("=", 1) for test in one.params.tests)
    _, home = training_language_score(one, rows)
    training, params = one.result.training, one.params
    yield (
        *("language", "name", "role", "corpus", "n"),
        *("pearson" if one.has_scores else "accuracy", "low", "high", "gap"),
        *("macro_f1", "macro_f1_low", "macro_f1_high", "majority", "known_rows"),
        *("classifier", "train", "head", "encoder", "seed"),
    )
    for row in rows:
        gap = None if row.is_home else home.value - row.value
        scores = (row.value, row.low, row.high, gap, row.f1, row.f1_low, row.f1_high)
        role = "training language" if row.is_home else "other language"
        yield (
            language_of_set(row.key) if row.key else language_code(training.language),
            row.title,
            role if row.key else "held out of training",
            sources.get(row.key, params.train),
            str(row.n),
            *("" if v is None else f"{v:.6f}" for v in (*scores, row.majority)),
            str(row.n_known),
            params.classifier or params.keep_as,
            *(params.train, training.head, training.encoder, str(params.seed)),
        )


def prediction_rows(store: Engine, one: TransferRun) -> Iterator[Sequence[str]]:
    """Return all tested rows in the export format, with a header.

    Lines and texts are unknown here; the export adds them.
    """
    columns = transfer_columns(has_pairs=one.is_of_pairs)
    yield columns
    sources = dict(test.split("=", 1) for test in one.params.tests)
    found = read_transfer_predictions(store, one.id)
    for key in one.result.languages:
        if key in found:
            classes = found[key].details.classes
            start = language_of_set(key), language_name(key), sources.get(key, "")
            pairs = zip(found[key].gold, found[key].predicted, strict=True)
            for gold, predicted in pairs:
                label, said = classes[gold], classes[predicted]
                row = (*start, UNREAD, label, said, str(int(gold == predicted)))
                yield (*row, *[UNREAD] * (len(columns) - len(row)))


def error_rows(
    project: ProjectReader, one: TransferRun, details: Sequence[LanguageDetails]
) -> Iterator[Sequence[str]]:
    """Return the most confident errors of a test as a table with a header."""
    sources = dict(test.split("=", 1) for test in one.params.tests)
    yield (
        *("language", "corpus", "line", "label", "predicted", "probability", "text"),
        *("nearest_text", "nearest_label", "nearest_cosine"),
    )
    for language in details:
        places = _locate(project, language.errors, sources.get(language.name, ""))
        for error, place in zip(language.errors, places, strict=True):
            near = error.nearest[0] if error.nearest else None
            yield (
                language_of_set(language.name),
                *place,
                error.label,
                error.predicted,
                f"{error.probability:.6f}",
                " | ".join(error.texts),
                " | ".join(near.texts) if near else "",
                near.label if near else "",
                f"{near.cosine:.4f}" if near else "",
            )


def _locate(
    project: ProjectReader, errors: Sequence[ConfidentError], source: str
) -> Iterator[tuple[str, str]]:
    """Yield the corpus or test file, and the line, of errors."""
    names = {corpus.id: corpus.name for corpus in project.corpora}
    sentences = read_sentences(project.store, [error.place for error in errors])
    for error, sentence in zip(errors, sentences, strict=True):
        corpus = corpus_of(error.place)
        if not corpus:
            yield Path(source).name, str(error.place)
        else:
            yield names.get(corpus, source), str(sentence.line) if sentence else ""
