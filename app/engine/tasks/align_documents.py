"""Task: align two documents that are translations of each other."""

import re
import time
from typing import NamedTuple

import msgspec
import numpy as np

from app.arrays import IdArray
from app.engine.alignment.costs import Costs, compute_costs
from app.engine.alignment.paths import AlignmentSettings, Path, align
from app.engine.alignment.spans import Spans, encode_spans
from app.engine.encoders.encoder import Encoder
from app.engine.encoders.registry import load_encoder
from app.engine.mining.scores import WEAK_VALUE, median_value
from app.engine.project.active_sentences import active_positions
from app.engine.project.project import Project
from app.engine.runtime.devices import preferred_device
from app.engine.runtime.report import Report
from app.engine.store.corpora import CorpusRow, first_sentence_id
from app.engine.store.documents import list_documents
from app.engine.store.lookup import find_corpus, with_subcorpus_name
from app.engine.store.pairs.beads import Bead, write_alignment
from app.engine.store.pairs.sets import NewPairSet, PairSetCounts, find_free_set_name
from app.engine.store.sentences import read_integers, read_texts
from app.errors import UserError
from app.params.mining import AlignDocuments
from app.plurals import count_text
from app.results.task import TaskResult


class AlignmentReport(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of an alignment, stored with its beads.

    Attributes:
        n_sources, n_targets: sentences of the documents.
        n_links: beads with sentences on both sides.
        n_source_alone, n_target_alone: sentences without a translation.
        skip_cost: cost of leaving a sentence unaligned; random pairs cost about 1.
        lines: ranges of lines that were aligned; empty: all lines.
    """

    n_sources: int
    n_targets: int
    n_links: int
    n_source_alone: int
    n_target_alone: int
    skip_cost: float
    lines: tuple[str, str]


class AlignDocumentsResult(TaskResult, frozen=True, kw_only=True):
    """The result of an alignment.

    Attributes:
        mining: id of the alignment.
        links: beads with sentences on both sides.
    """

    mining: int
    name: str
    links: int
    report: AlignmentReport
    encoder: str
    seconds: float


class _Document(NamedTuple):
    """A corpus, or a part of it.

    Attributes:
        positions: int64 (n,), positions of its sentences, ascending.
    """

    corpus: CorpusRow
    positions: IdArray

    @property
    def ids(self) -> IdArray:
        """Return the ids of the sentences: int64 (n,)."""
        return self.positions + first_sentence_id(self.corpus.id)

    @property
    def n(self) -> int:
        """Return the number of sentences."""
        return len(self.positions)


def align_documents(
    project: Project, params: AlignDocuments, report: Report
) -> AlignDocumentsResult:
    """Align two documents that are translations of each other in the same order.

    Raises:
        UserError: unknown corpus or encoder, no sentences, or the two documents
            overlap.
        Cancelled: nothing is written.
    """
    begun = time.monotonic()
    source, target = (
        _open(project, *place)
        for place in (
            (params.source, params.source_document, params.source_lines),
            (params.target, params.target_document, params.target_lines),
        )
    )
    _check_overlap(source, target)
    if params.by_lines and source.n != target.n:
        raise UserError(
            f"{source.corpus.name} has {source.n:,} sentences here, and "
            f"{target.corpus.name} {target.n:,}. To link them one by one, both need "
            "the same number. Otherwise, let the alignment find the pairs."
        )
    report.step("Loading the encoder", 0, 1)
    encoder = load_encoder(params.encoder, project.folder, device=preferred_device())
    path, costs = _find_path(project, encoder, (source, target), params, report)
    beads = list_beads(path, costs, source.ids, target.ids)
    counts = _report(source, target, beads, costs, params)
    stored = PairSetCounts(counts.n_links, 0, msgspec.json.encode(counts).decode())
    name = _suggest_name(project, source, target, params)
    new = _new_mining(source, target, encoder, params, name)
    report.step("Writing", 0, 1)
    mining = write_alignment(project.store, new, beads, stored, report.run)
    report.changed("mining", mining)
    return AlignDocumentsResult(
        mining=mining,
        name=new.name,
        links=counts.n_links,
        report=counts,
        encoder=encoder.name,
        seconds=time.monotonic() - begun,
        message=_message(new.name, counts) + _warn_of_weak_links(beads),
    )


def list_beads(
    path: Path, costs: Costs, source_ids: IdArray, target_ids: IdArray
) -> list[Bead]:
    """Return the beads of a path, with the components of their scores.

    A bead has consecutive sentences. If hidden sentences interrupt it, its sentences
    are left unlinked.

    Args:
        path: alignment path through the two documents.
        costs: costs that the path was found with.
        source_ids: int64 (n,), ids of the source's sentences.
        target_ids: int64 (m,), ids of the target's sentences.
    """
    beads: list[Bead] = []
    all_ids = _with_end(source_ids), _with_end(target_ids)
    nodes = path.nodes()[:-1]
    for (i, j), (n, m) in zip(nodes.tolist(), path.moves.tolist(), strict=True):
        bead = Bead(int(all_ids[0][i]), n, int(all_ids[1][j]), m)
        runs = _run(all_ids[0], i, n), _run(all_ids[1], j, m)
        if runs != (n, m):
            beads += _split_runs(all_ids, (i, j), (n, m))
            continue
        if n and m:
            scores = _score(costs, (n - 1, i + n - 1), (m - 1, j + m - 1))
            bead = Bead(*bead[:4], *scores)
        beads.append(bead)
    return beads


def _with_end(ids: IdArray) -> IdArray:
    """Append the id after the last one."""
    return np.append(ids, ids[-1] + 1)


def _run(ids: IdArray, start: int, n: int) -> int:
    """Count how many of the n sentences from a position are consecutive."""
    gaps = np.flatnonzero(np.diff(ids[start : start + n]) != 1)
    return int(gaps[0]) + 1 if len(gaps) else n


def _split_runs(
    all_ids: tuple[IdArray, IdArray], start: tuple[int, int], sizes: tuple[int, int]
) -> list[Bead]:
    """Return unlinked beads for an interrupted bead, one per consecutive run."""
    beads = []
    (i, j), (n, m) = start, sizes
    last = i + n, j + m
    while i < last[0]:
        run = _run(all_ids[0], i, last[0] - i)
        beads.append(Bead(int(all_ids[0][i]), run, int(all_ids[1][j]), 0))
        i += run
    while j < last[1]:
        run = _run(all_ids[1], j, last[1] - j)
        beads.append(Bead(int(all_ids[0][i]), 0, int(all_ids[1][j]), run))
        j += run
    return beads


def _score(
    costs: Costs, source: tuple[int, int], target: tuple[int, int]
) -> tuple[float, float, float, float]:
    """Return score, cosine and both means of two spans (indices into their vectors)."""
    cosine = float(costs.source.vectors[source] @ costs.target.vectors[target])
    means = float(costs.source_means[source]), float(costs.target_means[target])
    return cosine - sum(means) / 2, cosine, *means


def _open(project: Project, name: str, document: str, lines: str) -> _Document:
    """Find the sentences of a corpus, or of lines of one of its documents."""
    corpus = with_subcorpus_name(project.store, find_corpus(project.store, name))
    rows = active_positions(project, corpus)
    positions = np.arange(corpus.n_sentences) if rows is None else rows
    if document:
        positions = np.intersect1d(positions, _positions_of(project, corpus, document))
    if not len(positions):
        raise UserError(f"{corpus.name} has no sentences to align.")
    if not lines.strip():
        return _Document(corpus, positions)
    first, last = _read_lines(lines)
    numbers = read_integers(project.store, corpus.id, "line")[positions]
    found = np.nonzero((numbers >= first) & (numbers <= last))[0]
    if not len(found):
        raise UserError(
            f"{corpus.name} has no sentences on lines {first:,} to {last:,}. Its "
            f"lines are {int(numbers.min()):,} to {int(numbers.max()):,}."
        )
    return _Document(corpus, positions[found[0] : found[-1] + 1])


def _positions_of(project: Project, corpus: CorpusRow, document: str) -> IdArray:
    """Return the positions of a document's sentences: int64 (n,)."""
    parts = [
        np.arange(row.first, row.first + row.n_sentences)
        for row in list_documents(project.store, corpus.id)
        if row.name == document
    ]
    if not parts:
        raise UserError(
            f"{corpus.name} has no document {document!r}. The documents are listed in "
            "Corpora."
        )
    return np.concatenate(parts)


def _read_lines(text: str) -> tuple[int, int]:
    """Parse a range of lines."""
    match = re.fullmatch(r"(\d+)\s*[-–]\s*(\d+)", text.strip())
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise UserError(
            f"{text.strip()!r} is not a range of lines. Enter the first and the last "
            "line, such as 1-500."
        )
    return int(match[1]), int(match[2])


def _check_overlap(source: _Document, target: _Document) -> None:
    if len(np.intersect1d(source.ids, target.ids, assume_unique=True)):
        raise UserError(
            f"Source and target share sentences of {source.corpus.name}. Choose two "
            "corpora, or ranges of lines that do not overlap."
        )


def _find_path(
    project: Project,
    encoder: Encoder,
    documents: tuple[_Document, _Document],
    params: AlignDocuments,
    report: Report,
) -> tuple[Path, Costs]:
    """Encode both documents and align them, by position if requested."""
    sides = []
    joined = 1 if params.by_lines else params.joined
    for document in documents:
        corpus = document.corpus
        start, end = int(document.positions[0]), int(document.positions[-1]) + 1
        listed = read_texts(project.store, corpus.id, start, end)
        texts = [listed[index] for index in (document.positions - start).tolist()]
        stage = f"Encoding {corpus.name}"
        spans = encode_spans(encoder, texts, corpus.language, joined, report, stage)
        _clear_gaps(spans, document.positions)
        sides.append(spans)
    if params.by_lines:
        random = np.random.default_rng(params.seed)
        one_by_one = Path(np.ones((sides[0].n, 2), np.int64), 0.0)
        return one_by_one, compute_costs(sides[0], sides[1], params.skip, random)
    settings = AlignmentSettings(
        joined=params.joined,
        quantile=params.skip,
        window=params.window,
        seed=params.seed,
    )
    return align(sides[0], sides[1], settings, report)


def _clear_gaps(spans: Spans, positions: IdArray) -> None:
    """Set the vectors of spans that contain hidden sentences to zero."""
    for size in range(2, spans.k + 1):
        length = positions[size - 1 :] - positions[: len(positions) - size + 1]
        spans.vectors[size - 1, size - 1 :][length != size - 1] = 0


def _report(
    source: _Document,
    target: _Document,
    beads: list[Bead],
    costs: Costs,
    params: AlignDocuments,
) -> AlignmentReport:
    return AlignmentReport(
        n_sources=source.n,
        n_targets=target.n,
        n_links=sum(bead.is_link for bead in beads),
        n_source_alone=sum(bead.n_source for bead in beads if not bead.n_target),
        n_target_alone=sum(bead.n_target for bead in beads if not bead.n_source),
        skip_cost=costs.skip,
        lines=(params.source_lines.strip(), params.target_lines.strip()),
    )


def _new_mining(
    source: _Document,
    target: _Document,
    encoder: Encoder,
    params: AlignDocuments,
    name: str,
) -> NewPairSet:
    return NewPairSet(
        name=params.name or name,
        kind="aligned",
        source_corpus_id=source.corpus.id,
        target_corpus_id=target.corpus.id,
        encoder=encoder.name,
        fingerprint=encoder.fingerprint,
        margin="distance",  # uses the means over the complete other document
    )


def _name_text(corpus: str, document: str) -> str:
    return f"{corpus}: {document}" if document else corpus


def _suggest_name(
    project: Project, source: _Document, target: _Document, params: AlignDocuments
) -> str:
    """Name an alignment after its texts and lines, numbered if the name is taken."""
    ranges = [
        "{:,}–{:,}".format(*_read_lines(lines)) if lines.strip() else "all"
        for lines in (params.source_lines, params.target_lines)
    ]
    words = "aligned"
    if ranges != ["all", "all"]:
        words += f", lines {' and '.join(dict.fromkeys(ranges))}"
    documents = params.source_document, params.target_document
    corpora = source.corpus.name, target.corpus.name
    texts = " – ".join(map(_name_text, corpora, documents))
    return find_free_set_name(project.store, texts, words)


def _message(name: str, counts: AlignmentReport) -> str:
    n_unlinked = counts.n_source_alone + counts.n_target_alone
    links = count_text(counts.n_links, "link")
    return f"{name}: {links}, {count_text(n_unlinked, 'unlinked sentence')}."


def _warn_of_weak_links(beads: list[Bead]) -> str:
    """Return a warning if the texts do not seem to be translations of each other."""
    links = [bead for bead in beads if bead.is_link]
    cosines = np.array([bead.cosine for bead in links])
    means = cosines - np.array([bead.score for bead in links])
    median = median_value(cosines, means)  # median of the values that the window shows
    if median >= WEAK_VALUE:
        return ""
    return (
        f" Half of the links have a value of {max(round(100 * median), 0)} or less "
        "out of 100, so these texts do not seem to be translations of each other. "
        "Check which texts you chose, or delete the alignment."
    )
