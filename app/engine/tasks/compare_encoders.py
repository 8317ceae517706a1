"""Task: compare two encoders on corpora by neighbours, pairs and languages."""

import time
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

import msgspec
import numpy as np

from app.arrays import IdArray
from app.engine.evaluation.recording import (
    DIGITS,
    record_measurements,
    rounded_interval,
)
from app.engine.evaluation.training_texts import ROW_NOTE, find_trained_texts
from app.engine.project.project import Project
from app.engine.quality.encoder_comparison import (
    ComparedSentences,
    LanguagePair,
    PairChanges,
    compare_linked_pairs,
    compare_mutual_pairs,
    compare_neighbours,
    find_changed_sentences,
    kept_rows,
    pair_findings,
    pair_rows,
)
from app.engine.quality.findings import save_findings
from app.engine.quality.selection import (
    SentenceSelection,
    drop_folder,
    encode_selection,
    select_sentences,
)
from app.engine.runtime.report import Report
from app.engine.statistics import bootstrap_estimate
from app.engine.store.lookup import CORPUS_PREFIX
from app.engine.store.pairs.sets import read_links_from
from app.errors import UserError
from app.number_format import format_percent
from app.params.quality import CompareEncoders
from app.plurals import count_text
from app.results.measurements import Measurement, Retrieved
from app.results.task import TaskResult

MIN_COMPARED = 3  # sentences that both encoders know
MAX_LISTED = 100  # rows in the result: all are stored as measurements


class CompareEncodersResult(TaskResult, frozen=True, kw_only=True):
    """Differences between two encoders.

    Attributes:
        sentences: sentences with a vector of both encoders; asked: sentences whose
            neighbours were compared.
        kept: mean share of the k nearest neighbours that both have in common; interval:
            95 %.
        gained, lost: pairs that only the second, or only the first, encoder finds.
        counts: stored findings of each kind.
        by: source of the pairs: links, neighbours (mutual nearest neighbours), or both.
        measured: the first `MAX_LISTED` stored rows.
        notes: sentences on limitations of the figures.
    """

    encoders: tuple[str, str]
    k: int
    sentences: int
    asked: int
    kept: float
    kept_interval: tuple[float, float]
    gained: int
    lost: int
    counts: dict[str, int]
    by: str
    measured: list[Measurement]
    seconds: float
    notes: tuple[str, ...] = ()


def compare_encoders(
    project: Project, params: CompareEncoders, report: Report
) -> CompareEncodersResult:
    """Compare the neighbours and translation pairs of two encoders.

    Raises:
        UserError: unknown corpus or encoder, the same encoder twice, or too few
            sentences that both encode.
        Cancelled: nothing is saved.
    """
    begun = time.monotonic()
    chosen = select_sentences(project, params.corpora)
    try:
        compared = _open(project, chosen, params, report)
        draw = np.random.default_rng(params.seed)
        k = min(params.k, len(compared.ids) - 1)
        places = _drawn(compared, params.sample, draw)
        sides = compared.one.side, compared.other.side
        moved = compare_neighbours(sides, places, k, report)
        pairs = list(_pairs(project, compared, chosen, (params.sample, draw), report))
    finally:
        drop_folder(project)
    encoders = compared.one.encoder.name, compared.other.encoder.name
    names = [f"{CORPUS_PREFIX}{one.id}" for one in chosen.corpora]
    trained = [
        find_trained_texts(project, name, corpora=names) for name in params.encoders
    ]
    seen = {one.encoder for one in trained if one.corpora}
    measured = [
        *kept_rows(compared, moved, encoders),
        *(_mark(row, seen) for row in pair_rows(compared, pairs, encoders)),
    ]
    found, gained, lost = pair_findings(compared, pairs, encoders)
    found = [
        *find_changed_sentences(project, compared, moved, encoders, report),
        *found,
    ]
    counts = save_findings(project, found, report)
    record_measurements(project, measured, report)
    kept = bootstrap_estimate(
        lambda at: float(moved.shares[at].mean()), len(moved.shares)
    )
    by = _by([pair.moved for pair in pairs])
    return CompareEncodersResult(
        encoders=encoders,
        k=k,
        sentences=len(compared.ids),
        asked=len(places),
        kept=round(kept.value, DIGITS),
        kept_interval=rounded_interval(kept),
        gained=gained,
        lost=lost,
        counts=counts,
        by=by,
        measured=measured[:MAX_LISTED],
        seconds=time.monotonic() - begun,
        notes=tuple(note for one in trained for note in one.notes),
        message=(
            f"{format_percent(kept.value)} of the {k} nearest neighbours by "
            f"{encoders[0]} stay the same with {encoders[1]} (95\u00a0% interval: "
            f"{100 * kept.low:.0f} to {format_percent(kept.high)}). "
            f"{_describe_pairs(gained, lost, by)}"
        ),
    )


def _mark(row: Measurement, seen: Collection[str]) -> Measurement:
    """Note in a retrieval error whether its encoder was trained on the corpora."""
    if isinstance(row, Retrieved) and row.encoder in seen:
        return msgspec.structs.replace(row, note=ROW_NOTE)
    return row


def _open(
    project: Project, chosen: SentenceSelection, params: CompareEncoders, report: Report
) -> ComparedSentences:
    """Open the vectors of the sentences that both encoders encode."""
    one, other = (
        encode_selection(project, chosen, name, report) for name in params.encoders
    )
    if one.encoder.fingerprint == other.encoder.fingerprint:
        raise UserError(
            f"{one.encoder.name} can't be compared with itself. Choose another encoder."
        )
    both, of_one, of_other = np.intersect1d(
        one.places, other.places, assume_unique=True, return_indices=True
    )
    if len(both) < MIN_COMPARED:
        raise UserError(
            f"Both encoders encode only {count_text(len(both), 'sentence')} of "
            f"{chosen.named}. A comparison needs at least {MIN_COMPARED}."
        )
    languages = chosen.languages
    return ComparedSentences(
        chosen.ids[both],
        languages.codes[both],
        languages.names,
        one.part(of_one),
        other.part(of_other),
    )


def _drawn(compared: ComparedSentences, n: int, draw: np.random.Generator) -> IdArray:
    """Draw at most n sentences of each language; return sorted indices."""
    parts = [
        draw.permutation(np.flatnonzero(compared.codes == code))[:n]
        for code in np.unique(compared.codes)
    ]
    return np.sort(np.concatenate(parts))


def _pairs(
    project: Project,
    compared: ComparedSentences,
    chosen: SentenceSelection,
    sample: tuple[int, np.random.Generator],
    report: Report,
) -> Iterator[LanguagePair]:
    """Compare pairs of each two languages, preferring linked pairs."""
    n, draw = sample
    linked = _linked_places(project, compared, chosen)
    codes = compared.codes[linked]  # (p, 2)
    sides = compared.one.side, compared.other.side
    pools = {
        code: np.flatnonzero(compared.codes == code)
        for code in np.unique(compared.codes).tolist()
    }
    for source, target in combinations(sorted(pools), 2):
        there = linked[(codes == [source, target]).all(axis=1)]
        back = linked[(codes == [target, source]).all(axis=1)][:, ::-1]
        pairs = np.unique(np.concatenate([there, back]), axis=0)
        both = pools[source], pools[target]
        if len(pairs):
            some = np.sort(draw.permutation(len(pairs))[:n])
            moved = compare_linked_pairs(sides, pairs[some], both, report)
        else:
            asked = np.sort(draw.permutation(pools[source])[:n])
            moved = compare_mutual_pairs(sides, asked, both, report)
        yield LanguagePair(source, target, moved)


def _linked_places(
    project: Project, compared: ComparedSentences, chosen: SentenceSelection
) -> IdArray:
    """Return the source and target index of each link: int64 (p, 2)."""
    links = read_links_from(project.store, [one.id for one in chosen.corpora])
    where = np.searchsorted(compared.ids, links).clip(max=len(compared.ids) - 1)
    is_in = (compared.ids[where] == links).all(axis=1)
    found: IdArray = where[is_in]
    return found


def _by(pairs: Sequence[PairChanges]) -> str:
    """Return the source of the pairs: links, neighbours, both, or none."""
    ways = {"links" if pair.n else "neighbours" for pair in pairs}
    return "both" if len(ways) == 2 else "".join(ways) or "none"


def _describe_pairs(gained: int, lost: int, by: str) -> str:
    """Return a sentence on the pairs gained and lost."""
    if by == "none":
        return "No translation pairs were compared, because there is only one language."
    of = {
        "links": "linked translation pairs",
        "neighbours": "mutual nearest neighbours",
        "both": "linked pairs and mutual nearest neighbours",
    }[by]
    return f"Of {of}, {gained:,} were gained and {lost:,} lost."
