"""Task: correlate cosines with human similarity scores."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from app.arrays import DoubleArray, FloatArray
from app.engine.encoders.registry import load_encoder
from app.engine.encoders.vector_cache import encode_cached
from app.engine.evaluation.batch import FaultTolerantBatch, NamedFile, parse_named_files
from app.engine.evaluation.geometry import centre_languages, cosines_of
from app.engine.evaluation.published_results import STS_METRIC, read_published, sts_key
from app.engine.evaluation.recording import DIGITS, record_measurements
from app.engine.evaluation.sts import (
    StsCorrelator,
    StsPairs,
    check_aligned,
    read_sts,
)
from app.engine.evaluation.training_texts import find_trained_texts
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report
from app.errors import UserError
from app.params.evaluation import EvaluateSts
from app.plurals import count_text
from app.results.measurements import Correlated, Interval

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.project.project import Project

CENTRED = "centred "
Sides = tuple[FloatArray, FloatArray]  # unit vectors of the first and second texts


class StsMean(msgspec.Struct, frozen=True):
    """Means over language pairs; -1…1.

    Attributes:
        pearson_centred: Pearson's r of the cosine without common directions; null if
            not requested.
        …_interval: 95 %, bootstrap over the rows, which are drawn together in all
            language pairs; null if these have different scores.
    """

    n_pairs: int
    pearson_cosine: float
    pearson_arccos: float
    spearman: float
    pearson_centred: float | None = None
    pearson_cosine_interval: Interval | None = None
    pearson_centred_interval: Interval | None = None


class EvaluateStsResult(msgspec.Struct, frozen=True):
    """Correlations with human similarity scores.

    Attributes:
        results: two rows, cosine and −arccos, for each language pair, and two more
            without common directions if requested; then two means of the cosine rows,
            plain and weighted by the pairs of a set, for each group of sets with the
            same name before a slash, such as STS14/images.
        within: means over the languages.
        across: means over pairs of different languages; null if none was requested.
        differences: Pearson's r of −arccos minus the published value, by language and
            system.
        failures: a sentence for each file that could not be used.
        notes: sentences on limitations of the figures.
    """

    results: tuple[Correlated, ...]
    within: StsMean
    across: StsMean | None
    differences: dict[str, dict[str, float]]
    failures: tuple[str, ...]
    notes: tuple[str, ...]


def evaluate_sts(
    project: "Project | None", params: EvaluateSts, report: Report
) -> EvaluateStsResult:
    """Correlate cosines of pairs with their scores, within and across languages.

    Raises:
        UserError: no file could be used, or files are not aligned.
    """
    if params.lowest >= params.highest:
        raise UserError(
            f"The lowest score, {params.lowest:g}, is not below the highest score, "
            f"{params.highest:g}."
        )
    named = parse_named_files(params.data, form="LANGUAGE=FILE")
    reading = FaultTolerantBatch("Reading pairs", len(named), report)
    sets = [one for file in named if (one := _read(file, params, reading))]
    reading.check_any(sets)
    if params.across:
        check_aligned(sets)
    encoder = load_encoder(params.encoder, project.folder if project else None)
    vectors = {one.name: _encode(project, encoder, one, report) for one in sets}
    found = _correlate(encoder.name, sets, vectors, params, report)
    rows = found.rows
    within = [row for row in rows if row.first == row.second]
    files = [one.file for one in named if one.file.is_file()]
    trained = find_trained_texts(project, params.encoder, files=files)
    with_means = tuple(
        msgspec.structs.replace(row, note=trained.row_note(row.first, row.second))
        for row in (*rows, *average_groups(within))
    )
    record_measurements(project, with_means, report)
    return EvaluateStsResult(
        with_means,
        found.mean(within, report),
        found.mean([row for row in rows if row.first != row.second], report)
        if params.across and len(sets) > 1
        else None,
        _differences(rows),
        tuple(reading.failures + found.failures),
        (*trained.notes, *(note for one in sets if (note := _note(one)))),
    )


def _read(
    named: NamedFile, params: EvaluateSts, batch: FaultTolerantBatch
) -> StsPairs | None:
    return batch.try_one(
        named.name, lambda: read_sts(named, params.lowest, params.highest)
    )


def _encode(
    project: "Project | None", encoder: "Encoder", pairs: StsPairs, report: Report
) -> Sides:
    first, second = (
        normalise_rows(encode_cached(project, encoder, texts, report))[0]
        for texts in pairs.rows.texts
    )
    return first, second


class _Correlations(NamedTuple):
    """Correlations so far.

    Attributes:
        raters: correlators with human scores, by the bytes of the scores.
        rows: a row for each language pair and similarity.
        cosines: float64 (n,), by language pair and similarity.
        failures: a sentence for each language pair that could not be used.
    """

    raters: dict[bytes, StsCorrelator]
    rows: list[Correlated]
    cosines: dict[tuple[str, str, str], DoubleArray]
    failures: list[str]

    def mean(self, rows: list[Correlated], report: Report) -> StsMean:
        """Compute the means over language pairs."""

        def mean(values: list[float]) -> float:
            return round(float(np.mean(values)), DIGITS) if values else float("nan")

        by_similarity = defaultdict(list)
        for row in rows:
            by_similarity[row.similarity].append(row)
        cosines, centred = by_similarity["cosine"], by_similarity[f"{CENTRED}cosine"]
        return StsMean(
            len(cosines),
            mean([row.pearson for row in cosines]),
            mean([row.pearson for row in by_similarity["arccos"]]),
            mean([row.spearman for row in cosines]),
            mean([row.pearson for row in centred]) if centred else None,
            self._interval(cosines, report),
            self._interval(centred, report),
        )

    def _interval(self, rows: list[Correlated], report: Report) -> Interval | None:
        """Return the interval of the mean of rows with the same human scores."""
        if len(self.raters) > 1 or not rows:
            return None
        (rater,) = self.raters.values()
        keys = [(row.first, row.second, row.similarity) for row in rows]
        return rater.mean_interval(
            np.stack([self.cosines[key] for key in keys]), report
        )


def _correlate(
    encoder: str,
    sets: list[StsPairs],
    vectors: dict[str, Sides],
    params: EvaluateSts,
    report: Report,
) -> "_Correlations":
    """Correlate the pairs within each language and across each two languages."""
    names = [
        (one, other) for one in sets for other in (sets if params.across else [one])
    ]
    spaces = {"": vectors}  # by the prefix of the similarity's name
    if params.centred:
        spaces[CENTRED] = _centre(vectors)
    batch = FaultTolerantBatch("Correlating", len(names) * len(spaces), report)
    raters: dict[bytes, StsCorrelator] = {}
    published = read_published()
    found = _Correlations(raters, [], {}, batch.failures)
    for one, other in names:
        rater = raters.setdefault(
            one.scores.tobytes(), StsCorrelator(one.scores, seed=params.seed)
        )
        known = published.get(_key(one), {}) if one is other else {}
        for prefix, sides in spaces.items():
            cosines = cosines_of(sides[one.name][0], sides[other.name][1])
            rate = partial(
                rater.rate, encoder, (one.name, other.name), cosines, report, prefix
            )
            rows = batch.try_one(f"{one.name} – {other.name}", rate)
            found.rows.extend(_set_beside(row, known) for row in rows or ())
            found.cosines[one.name, other.name, f"{prefix}cosine"] = cosines
    batch.check_any(found.rows)
    return found


def _centre(vectors: dict[str, Sides]) -> dict[str, Sides]:
    """Remove the common directions of each language's texts and of all texts."""
    joined = centre_languages([np.concatenate(sides) for sides in vectors.values()])
    return {
        name: (both[: len(sides[0])], both[len(sides[0]) :])
        for (name, sides), both in zip(vectors.items(), joined, strict=True)
    }


def _key(pairs: StsPairs) -> tuple[str, str]:
    """Return the key of the pairs in the published results."""
    key = sts_key(pairs.scores, pairs.rows.source, pairs.name)
    return key, STS_METRIC


def _set_beside(row: Correlated, published: dict[str, float]) -> Correlated:
    """Add published results to the rows of −arccos, which the literature also used."""
    if row.similarity != "arccos" or not published:
        return row
    return msgspec.structs.replace(row, published=published)


def _differences(rows: list[Correlated]) -> dict[str, dict[str, float]]:
    """Compare with published results, if there are any for the pairs."""
    return {
        row.first: {
            system: round(row.pearson - score, DIGITS)
            for system, score in row.published.items()
        }
        for row in rows
        if row.published
    }


def average_groups(rows: Sequence[Correlated]) -> Iterator[Correlated]:
    """Average the sets of each group, by cosine, as SentEval reports STS12–16.

    Args:
        rows: sets; the part of a set's name before the slash is its group.

    Yields:
        The plain mean of a group, then its mean weighted by the pairs of each set.
    """
    sets: dict[str, list[Correlated]] = {}
    for row in rows:
        group, sign, _ = row.first.partition("/")
        if sign and row.similarity == "cosine":
            sets.setdefault(group, []).append(row)
    for group, found in sets.items():
        sizes = np.array([row.n for row in found])
        weightings = {"mean": np.ones(len(found)), "weighted mean": sizes}
        for title, weights in weightings.items():
            name = f"{group} ({title})"
            values = np.array([[row.pearson, row.spearman] for row in found])
            pearson, spearman = np.average(values, axis=0, weights=weights).tolist()
            yield Correlated(
                encoder=found[0].encoder,
                first=name,
                second=name,
                similarity="cosine",
                n=int(sizes.sum()),
                n_sets=len(found),
                pearson=round(pearson, DIGITS),
                spearman=round(spearman, DIGITS),
            )


def _note(pairs: StsPairs) -> str:
    """Return a note on omitted rows."""
    rows = pairs.rows
    parts = [
        f"{count_text(n, 'row')} without {what}"
        for n, what in ((rows.n_unlabelled, "a score"), (rows.n_empty, "a text"))
        if n
    ]
    return f"{rows.source}: {' and '.join(parts)} were skipped." if parts else ""
