"""Build charts of the measurements of evaluations."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Protocol, TypeVar

import msgspec

from app.results.annotations import (
    BASELINES,
    CORRECTION_SOURCES,
    CORRELATION_NOTE,
    GRID_NOTE,
    KINDS_NOTE,
    MEASURE_NOTES,
    PROBING_NOTE,
    PUBLISHED_NOTE,
    RETRIEVAL_NOTE,
    bag_marks,
    baseline_marks,
    measure_title,
    name_classifier,
    published_marks,
)
from app.results.charts import (
    BLEU,
    PER_CENT,
    RHO,
    TIMES_100,
    Bar,
    BarChart,
    Chart,
    HeatMapChart,
)
from app.results.measurements import (
    Correlated,
    GridMeasured,
    Interval,
    Measurement,
    Probed,
    Retrieved,
    ScoresCorrelated,
    SpaceMeasured,
    Transferred,
    Translated,
    name_set_languages,
)
from app.results.probing_tasks import average_by_kind, count_classes

AXES_NOTE = "Rows: source, columns: target."
BLEU_NOTE = "BLEU of each direction, 0 to 100 (higher is better)."
ZERO_SHOT_MARK, ZERO_SHOT_NOTE = "°", " °: direction not trained (zero-shot)."
LOWEST_BLEU = 10.0  # minimum value of the darkest shade
SIGNIFICANCE_MARK, SIGNIFICANCE_LEVEL = "*", 0.05


def draw_correlations(rows: Sequence[ScoresCorrelated]) -> Iterator[HeatMapChart]:
    """Draw heat maps with a row per probing task and a column per other score."""
    for encoder in dict.fromkeys(row.encoder for row in rows):
        of_it = [row for row in rows if row.encoder == encoder]
        for correction in dict.fromkeys(row.correction for row in of_it):
            yield _correlation_map(
                [row for row in of_it if row.correction == correction]
            )


def _correlation_map(rows: Sequence[ScoresCorrelated]) -> HeatMapChart:
    first = rows[0]
    names = tuple(dict.fromkeys(row.probing for row in rows))
    columns = tuple(dict.fromkeys(row.downstream for row in rows))
    cells = {(row.probing, row.downstream): row for row in rows}
    grid = [[cells.get((name, column)) for column in columns] for name in names]
    correction = CORRECTION_SOURCES.get(first.correction, first.correction)
    return HeatMapChart(
        f"Probing and downstream scores · {first.encoder}",
        RHO,
        names,
        columns,
        tuple(tuple(c.spearman if c else None for c in row) for row in grid),
        low=-1.0,
        high=1.0,
        middle=0.0,
        note=CORRELATION_NOTE.format(
            encoders=first.encoder, n=first.n_tests, correction=correction
        ),
        signs=tuple(tuple(_sign(cell) for cell in row) for row in grid),
        details=tuple(tuple(_detail(cell) for cell in row) for row in grid),
    )


def _sign(cell: ScoresCorrelated | None) -> str:
    p = cell.p_corrected if cell is not None else None
    return SIGNIFICANCE_MARK if p is not None and p < SIGNIFICANCE_LEVEL else ""


def _detail(cell: ScoresCorrelated | None) -> str:
    """Return n and p of a cell: 6 encoders, p 0.017, corrected 0.067."""
    if cell is None:
        return ""
    n_encoders = f"{cell.n} encoders"
    if cell.p is None or cell.p_corrected is None:
        return n_encoders
    return (
        f"{n_encoders}, p {_format_p(cell.p)}, corrected {_format_p(cell.p_corrected)}"
    )


def _format_p(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


class _HasEncoder(Protocol):
    @property
    def encoder(self) -> str: ...


HEAD_NAME = re.compile(r".*#[0-9]+")  # of a translation model
T = TypeVar("T", bound=_HasEncoder)
MAJORITY = BASELINES["majority"]
DARKEST_ERROR = 20.0  # per cent, minimum value of the darkest shade
CROSS_ENTROPY = "cross-entropy"  # in the names of scores with their own chart
MAX_SERIES = 5  # of a grid in one chart: the number of colours
MAX_GROUPS = 40  # of bars; larger results are shown as a matrix


def draw_measurements(rows: Sequence[Measurement]) -> list[Chart]:
    """Draw the measurements of a run: an overview, then the figures with intervals."""
    rows = name_set_languages(rows)
    return [
        *_charts_of_probes([row for row in rows if isinstance(row, Probed)]),
        *_charts_of_retrieval_sets([row for row in rows if isinstance(row, Retrieved)]),
        *_charts_of_sts([row for row in rows if isinstance(row, Correlated)]),
        *_charts_of_spaces([row for row in rows if isinstance(row, SpaceMeasured)]),
        *_charts_of_downstream([row for row in rows if isinstance(row, Transferred)]),
        *draw_correlations([r for r in rows if isinstance(r, ScoresCorrelated)]),
        *_charts_of_grids([row for row in rows if isinstance(row, GridMeasured)]),
        *_charts_of_translation([row for row in rows if isinstance(row, Translated)]),
    ]


def _charts_of_probes(rows: Sequence[Probed]) -> Iterator[Chart]:
    for classifier in _values(rows, lambda row: row.classifier):
        of_it = [row for row in rows if row.classifier == classifier]
        heads = [row for row in of_it if HEAD_NAME.fullmatch(row.encoder)]
        yield from _charts_of_heads(heads)
        of_it = [row for row in of_it if row not in heads]
        languages = _values(of_it, lambda row: row.language)
        tasks = _values(of_it, _task)
        if len(languages) > 1 and len(tasks) > 1:
            for encoder in _values(of_it, lambda row: row.encoder):
                yield _probe_map([r for r in of_it if r.encoder == encoder])
        yield from _charts_of_kinds(of_it)
        if len(tasks) < len(languages):
            for task in tasks:
                yield _probe_bars([r for r in of_it if _task(r) == task], task)
        else:
            for language in languages:
                found = [r for r in of_it if r.language == language]
                yield _probe_bars(found, language, of_language=True)


def _charts_of_heads(rows: Sequence[Probed]) -> Iterator[HeatMapChart]:
    """Show the accuracy of each head of a translation model, one column per task."""
    models = _values(rows, lambda row: row.encoder.rpartition("#")[0])
    for model in models:
        found = [r for r in rows if r.encoder.rpartition("#")[0] == model]
        has_languages = len(_values(found, _language)) > 1
        yield heat_map(
            f"Probing by head · {model} · {_name_probe(found[0])}",
            {
                (
                    f"#{row.encoder.rpartition('#')[2]}",
                    f"{_language(row)} {_task(row)}" if has_languages else _task(row),
                ): 100 * row.accuracy
                for row in found
            },
            bounds=(0.0, 100.0),
        )


def _charts_of_kinds(rows: Sequence[Probed]) -> Iterator[BarChart]:
    """Show averages over kinds of tasks, one chart per language."""
    averages = list(average_by_kind(rows))
    for language in _values(averages, lambda one: one.language):
        found = [one for one in averages if one.language == language]
        labels = _values(found, lambda one: one.kind)
        if len(labels) < 2:
            continue
        name = " · ".join(filter(None, (language, _name_probe(rows[0]))))
        yield BarChart(
            f"Probing by kind of task · {name}",
            PER_CENT,
            tuple(labels),
            _series(found, lambda one: one.kind, labels, lambda o: (o.accuracy, None)),
            note=KINDS_NOTE,
        )


def _probe_map(rows: Sequence[Probed]) -> HeatMapChart:
    """Show one encoder's accuracy, with a row per language and a column per task."""
    first = rows[0]
    return heat_map(
        f"Probing · {first.encoder} · {_name_probe(first)}",
        {(row.language, _task(row)): 100 * row.accuracy for row in rows},
        bounds=(0.0, 100.0),
    )


def _probe_bars(
    rows: Sequence[Probed], name: str, *, of_language: bool = False
) -> BarChart:
    """Show the encoders side by side, with baselines and published scores.

    Args:
        of_language: groups are tasks; otherwise languages.
    """
    group = _task if of_language else _language
    labels = _values(rows, group)
    marks = baseline_marks(rows, group, labels)
    return BarChart(
        " · ".join(filter(None, ("Probing", name, _name_probe(rows[0])))),
        PER_CENT,
        tuple(labels),
        _series(rows, group, labels, lambda row: (row.accuracy, row.accuracy_interval)),
        marks,
        PROBING_NOTE if marks else "",
    )


def _charts_of_retrieval_sets(rows: Sequence[Retrieved]) -> Iterator[Chart]:
    """Show each set in separate charts, with its name if there are several."""
    sets = _values(rows, lambda row: row.data)
    for data in sets:
        of_it = [row for row in rows if row.data == data]
        yield from _charts_of_retrieval(of_it, data if len(sets) > 1 else "")


def _charts_of_retrieval(rows: Sequence[Retrieved], data: str) -> Iterator[Chart]:
    title = " · ".join(filter(None, ("Retrieval error", data)))
    labels = _values(rows, _pair)
    # Each pair of names has two rows, one per direction.
    is_matrix = _is_matrix(labels[::2], {row.source for row in rows})
    worst = max((100 * row.error for row in rows), default=0.0)
    for encoder in _values(rows, lambda row: row.encoder) if is_matrix else []:
        yield heat_map(
            f"{title} · {encoder}",
            {
                (row.source, row.target): 100 * row.error
                for row in rows
                if row.encoder == encoder
            },
            bounds=(0.0, max(worst, DARKEST_ERROR)),
            note=f"{AXES_NOTE} {RETRIEVAL_NOTE}",
            is_directed=True,
        )
    if labels and (len(labels) <= MAX_GROUPS or not is_matrix):
        series = _series(
            rows, _pair, labels, lambda row: (row.error, row.error_interval)
        )
        marks = _margin_marks(rows, labels)
        yield BarChart(
            title,
            PER_CENT,
            tuple(labels),
            series,
            marks,
            RETRIEVAL_NOTE,
            has_marks_on_bars=len(marks) == len(series),
        )


def _margin_marks(
    rows: Sequence[Retrieved], labels: Sequence[str]
) -> dict[str, tuple[float | None, ...]]:
    """Return the margin errors of each encoder; empty if none was measured."""
    if all(row.error_margin is None for row in rows):
        return {}
    errors: dict[str, dict[str, float | None]] = {}
    for row in rows:
        margin = _per_cent(row.error_margin)
        errors.setdefault(row.encoder, {})[_pair(row)] = margin
    return {
        f"{encoder}, by margin" if len(errors) > 1 else "by margin": tuple(
            found.get(label) for label in labels
        )
        for encoder, found in errors.items()
    }


def _charts_of_sts(rows: Sequence[Correlated]) -> Iterator[Chart]:
    for similarity in _values(rows, lambda row: row.similarity):
        of_it = [row for row in rows if row.similarity == similarity]
        for encoder in _values(of_it, lambda row: row.encoder):
            found = [row for row in of_it if row.encoder == encoder and not row.n_sets]
            if len(_values(found, lambda row: row.first)) < len(found):
                yield heat_map(
                    f"Textual similarity · {encoder} · {similarity} · Spearman × 100",
                    {(row.first, row.second): 100 * row.spearman for row in found},
                    bounds=(0.0, 100.0),
                    unit=TIMES_100,
                )
        labels = _values(of_it, _languages)
        names = {name for row in of_it for name in (row.first, row.second)}
        if len(labels) > MAX_GROUPS and _is_matrix(labels, names):
            continue
        published = published_marks(of_it, _languages)
        yield BarChart(
            f"Textual similarity · {similarity} · Pearson",
            TIMES_100,
            tuple(labels),
            _series(of_it, _languages, labels, _pearson_of),
            published,
            PUBLISHED_NOTE if published else "",
        )


def _charts_of_spaces(rows: Sequence[SpaceMeasured]) -> Iterator[Chart]:
    for measure in _values(rows, lambda row: row.measure):
        of_it = [row for row in rows if row.measure == measure]
        labels = _values(of_it, _languages)
        names = {name for row in of_it for name in (row.first, row.second)}
        if "" not in names and _is_matrix(labels, names):
            yield from _maps_of_spaces(of_it)
            if len(labels) > MAX_GROUPS:
                continue
        yield BarChart(
            _measure(of_it[0]),
            "",
            tuple(labels),
            _series(
                of_it,
                _languages,
                labels,
                lambda row: (row.value, row.value_interval),
                scale=1.0,
            ),
            note=MEASURE_NOTES.get(measure, ""),
        )


def _maps_of_spaces(rows: Sequence[SpaceMeasured]) -> Iterator[HeatMapChart]:
    """Show a measure of two languages, one heat map per encoder, on a common scale."""
    values = [row.value for row in rows]
    names = _values(rows, lambda row: row.first) + [row.second for row in rows]
    for encoder in _values(rows, lambda row: row.encoder):
        cells = {}
        for row in (one for one in rows if one.encoder == encoder):
            cells[row.first, row.second] = row.value
            cells.setdefault((row.second, row.first), row.value)
        names = list(dict.fromkeys(names))
        yield heat_map(
            f"{_measure(rows[0])} · {encoder}",
            {(r, c): cells[r, c] for r in names for c in names if (r, c) in cells},
            bounds=(min(values), max(values)),
            unit="",
            note=MEASURE_NOTES.get(rows[0].measure, ""),
        )


def _charts_of_downstream(rows: Sequence[Transferred]) -> Iterator[Chart]:
    if not rows:
        return
    labels = _values(rows, _downstream)
    known = {_downstream(row): _per_cent(row.majority) for row in rows}
    marks = {MAJORITY: tuple(known[label] for label in labels)}
    has_majority = any(value is not None for value in known.values())
    published = published_marks(rows, _downstream)
    yield BarChart(
        "Downstream tasks",
        PER_CENT,
        tuple(labels),
        _series(rows, _downstream, labels, lambda row: (row.score, row.score_interval)),
        (marks if has_majority else {}) | bag_marks(rows, _downstream) | published,
        PUBLISHED_NOTE if published else "",
    )


def _charts_of_grids(rows: Sequence[GridMeasured]) -> Iterator[BarChart]:
    """Show the scores of each training of a grid, errors apart if there are many."""
    scored = list(dict.fromkeys(name for row in rows for name in row.scores))
    names = [name for name in scored if CROSS_ENTROPY not in name]
    errors = [name for name in names if "error" in name]
    others = [name for name in names if "error" not in name]
    parts = [names] if len(names) <= MAX_SERIES else [errors, others]
    settings = ", ".join(dict.fromkeys(name for row in rows for name in row.varied))
    for part, kind in zip(parts, ("", " · other scores"), strict=False):
        if part:
            title = f"Comparison of settings · {settings}{kind}"
            yield _grid_chart(rows, part, title)
    if others := [name for name in scored if name not in names]:
        title = f"Comparison of settings · {settings} · {CROSS_ENTROPY}"
        yield _grid_chart(rows, others, title, CROSS_ENTROPY)


def _grid_chart(
    rows: Sequence[GridMeasured],
    names: Sequence[str],
    title: str,
    unit: str = PER_CENT,
) -> BarChart:
    series = {}
    for name in names:
        bars = []
        for row in rows:
            low, high = row.scores_interval.get(name, (None, None))
            bars.append(Bar(row.scores.get(name), low, high))
        series[name] = tuple(bars)
    labels = tuple(" · ".join(row.varied.values()) for row in rows)
    return BarChart(title, unit, labels, series, note=GRID_NOTE)


def _charts_of_translation(rows: Sequence[Translated]) -> Iterator[Chart]:
    """Show one matrix per model, and BLEU by length."""
    best = max((100 * row.bleu for row in rows), default=0.0)
    for model in _values(rows, lambda row: row.encoder):
        of_it = [row for row in rows if row.encoder == model]
        cells = {(row.source, row.target): row for row in of_it}
        has_zero_shot = any(map(_zero_shot_sign, of_it))
        drawn = heat_map(
            f"Translation (BLEU) · {model}",
            {key: 100 * row.bleu for key, row in cells.items()},
            bounds=(0.0, max(best, LOWEST_BLEU)),
            unit=BLEU,
            note=f"{BLEU_NOTE} {AXES_NOTE}" + (ZERO_SHOT_NOTE if has_zero_shot else ""),
            is_directed=True,
        )
        grid = [[cells.get((r, c)) for c in drawn.columns] for r in drawn.rows]
        yield msgspec.structs.replace(
            drawn,
            signs=tuple(tuple(_zero_shot_sign(one) for one in row) for row in grid),
            details=tuple(tuple(_direction(one) for one in row) for row in grid),
        )
        labels = list(dict.fromkeys(k for row in of_it for k in row.by_length))
        bars = {
            f"{row.source} → {row.target}": tuple(
                Bar(100 * row.by_length[k] if k in row.by_length else None)
                for k in labels
            )
            for row in of_it
        }
        title = f"BLEU by number of words in the source sentence · {model}"
        yield BarChart(title, BLEU, tuple(labels), bars)


def _zero_shot_sign(row: Translated | None) -> str:
    is_zero_shot = row is not None and row.direction == "zero-shot"
    return ZERO_SHOT_MARK if is_zero_shot else ""


def _direction(row: Translated | None) -> str:
    return "" if row is None else f"{row.direction}, {row.n:,} sentences"


def heat_map(
    title: str,
    cells: dict[tuple[str, str], float],
    *,
    bounds: tuple[float, float],
    unit: str = PER_CENT,
    note: str = "",
    is_directed: bool = False,
) -> HeatMapChart:
    """Create a heat map from cells by the names of their row and column.

    If rows and columns have the same names, their order is the same.
    """
    rows, columns = (
        dict.fromkeys(r for r, _ in cells),
        dict.fromkeys(c for _, c in cells),
    )
    if set(rows) == set(columns):
        columns = rows
    values = tuple(tuple(cells.get((r, c)) for c in columns) for r in rows)
    return HeatMapChart(
        *(title, unit, tuple(rows), tuple(columns), values, *bounds),
        note=note,
        is_directed=is_directed,
    )


def _series(
    rows: Sequence[T],
    label_of: Callable[[T], str],
    labels: Sequence[str],
    figure_of: Callable[[T], tuple[float, Interval | None]],
    *,
    scale: float = 100.0,
) -> dict[str, tuple[Bar, ...]]:
    """Return the bars of each encoder, one per label."""
    found: dict[str, dict[str, Bar]] = {}
    for row in rows:
        value, interval = figure_of(row)
        low, high = interval or (None, None)
        bar = Bar(*(None if v is None else scale * v for v in (value, low, high)))
        found.setdefault(row.encoder, {})[label_of(row)] = bar
    nothing = Bar(None)
    return {
        encoder: tuple(bars.get(label, nothing) for label in labels)
        for encoder, bars in found.items()
    }


def _values(rows: Sequence[T], key: Callable[[T], str]) -> list[str]:
    return list(dict.fromkeys(map(key, rows)))


def _is_matrix(pairs: Sequence[str], names: Collection[str]) -> bool:
    """Return whether pairs of at least three names form more than a chain or a star."""
    return len(names) > 2 and len(pairs) >= len(names)


def _per_cent(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _task(row: Probed) -> str:
    """Return the task name, with "5 of 6 classes" if published classes are missing."""
    classes = count_classes(row.task, row.n_classes)
    name = row.task or row.data
    return f"{name} ({classes} classes)" if "of" in classes.split() else name


def _language(row: Probed) -> str:
    return row.language


def _name_probe(row: Probed) -> str:
    return name_classifier(row.classifier)


def _pearson_of(row: Correlated) -> tuple[float, Interval | None]:
    return row.pearson, row.pearson_interval


def _pair(row: Retrieved) -> str:
    return f"{row.source} → {row.target}"


def _languages(row: Correlated | SpaceMeasured) -> str:
    return row.first if row.second in ("", row.first) else f"{row.first} – {row.second}"


def _measure(row: SpaceMeasured) -> str:
    return measure_title(row.measure)


def _downstream(row: Transferred) -> str:
    return f"{row.data} ({row.metric})"
