"""Task: align two documents that are translations of each other in the same order."""

import re
import time
from typing import NamedTuple

import msgspec
import numpy as np

from app.engine.alignment.coarse import Search, align
from app.engine.alignment.costs import Costs
from app.engine.alignment.paths import Path
from app.engine.alignment.spans import encode_spans
from app.engine.device import wanted_device
from app.engine.encoders.checkpoint import load_encoder
from app.engine.encoders.encoder import Encoder
from app.engine.project import Project
from app.engine.report import Report
from app.engine.store.bead_writes import Bead, write_alignment
from app.engine.store.bulk import read_integers, read_texts
from app.engine.store.find import find_corpora
from app.engine.store.pair_writes import MiningCounts, NewMining
from app.engine.store.rows import CorpusRow, first_id
from app.errors import UserError
from app.params.alignment import AlignDocuments


class AlignmentReport(msgspec.Struct, frozen=True, kw_only=True):
    """What an alignment counted; it is kept beside the beads.

    Attributes:
        n_sources, n_targets: sentences of the documents.
        n_links: beads with sentences on both sides.
        n_source_alone, n_target_alone: sentences without a translation.
        skip_cost: of one of these, where random pairs of sentences cost about 1.
        lines: of the files, as they were asked for; empty: all.
    """

    n_sources: int
    n_targets: int
    n_links: int
    n_source_alone: int
    n_target_alone: int
    skip_cost: float
    lines: tuple[str, str]


class AlignDocumentsResult(msgspec.Struct, frozen=True, kw_only=True):
    """What was aligned.

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
    message: str


class _Document(NamedTuple):
    """A corpus, or a part of it.

    Attributes:
        start, end: positions of its sentences: start … end - 1.
    """

    corpus: CorpusRow
    start: int
    end: int

    @property
    def first_id(self) -> int:
        """Id of its first sentence."""
        return first_id(self.corpus.id) + self.start

    @property
    def n(self) -> int:
        """Count its sentences."""
        return self.end - self.start


def align_documents(
    project: Project, params: AlignDocuments, report: Report
) -> AlignDocumentsResult:
    """Align two documents that are translations of each other in the same order.

    Raises:
        UserError: an unknown corpus or encoder, no sentence, or the same ones twice.
        Cancelled: nothing is written.
    """
    begun = time.monotonic()
    source = _open(project, params.source, params.source_lines)
    target = _open(project, params.target, params.target_lines)
    _check_apart(source, target)
    report.step("load encoder", 0, 1)
    encoder = load_encoder(params.encoder, project.folder, device=wanted_device())
    path, costs = _find_path(project, encoder, (source, target), params, report)
    beads = list_beads(path, costs, source.first_id, target.first_id)
    told = _report(source, target, beads, costs, params)
    counts = MiningCounts(told.n_links, 0, msgspec.json.encode(told).decode())
    new = _new_mining(source, target, encoder, params)
    report.step("write", 0, 1)
    mining = write_alignment(project.store, new, beads, counts, report.run)
    report.changed("mining", mining)
    return AlignDocumentsResult(
        mining=mining,
        name=new.name,
        links=told.n_links,
        report=told,
        encoder=encoder.name,
        seconds=time.monotonic() - begun,
        message=_message(new.name, told),
    )


def list_beads(path: Path, costs: Costs, source_id: int, target_id: int) -> list[Bead]:
    """Give the beads of a path, with the parts of their scores.

    Args:
        path: through the two documents.
        costs: by which it was found.
        source_id: of the source's first sentence.
        target_id: of the target's first sentence.
    """
    beads = []
    nodes = path.nodes()[:-1]
    for (i, j), (n, m) in zip(nodes.tolist(), path.moves.tolist(), strict=True):
        bead = Bead(source_id + i, n, target_id + j, m)
        if n and m:
            ends = (n - 1, i + n - 1), (m - 1, j + m - 1)
            cosine = float(
                costs.source.vectors[ends[0]] @ costs.target.vectors[ends[1]]
            )
            means = (
                float(costs.source_means[ends[0]]),
                float(costs.target_means[ends[1]]),
            )
            score = cosine - sum(means) / 2
            bead = Bead(*bead[:4], score, cosine, *means)
        beads.append(bead)
    return beads


def _score(
    costs: Costs, source: tuple[int, int], target: tuple[int, int]
) -> tuple[float, float, float, float]:
    """Give score, cosine and both means of two spans (places in their vectors)."""
    cosine = float(costs.source.vectors[source] @ costs.target.vectors[target])
    means = float(costs.source_means[source]), float(costs.target_means[target])
    return cosine - sum(means) / 2, cosine, *means


def _open(project: Project, name: str, lines: str) -> _Document:
    """Find a document's sentences."""
    (corpus,) = find_corpora(project.store, [name])
    if not corpus.n_sentences:
        raise UserError(f"{corpus.name} has no sentence: nothing can be aligned.")
    if not lines.strip():
        return _Document(corpus, 0, corpus.n_sentences)
    first, last = _read_lines(lines)
    numbers = read_integers(project.store, corpus.id, "line")
    found = np.nonzero((numbers >= first) & (numbers <= last))[0]
    if not len(found):
        raise UserError(
            f"{corpus.name} has no sentence on the lines {first:,} to {last:,}: its "
            f"lines are {int(numbers.min()):,} to {int(numbers.max()):,}."
        )
    return _Document(corpus, int(found[0]), int(found[-1]) + 1)


def _read_lines(text: str) -> tuple[int, int]:
    """Read the first and the last of a range of lines."""
    match = re.fullmatch(r"(\d+)\s*[-–]\s*(\d+)", text.strip())
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise UserError(
            f"{text.strip()!r} is no range of lines: write the first and the last, "
            "such as 1-500."
        )
    return int(match[1]), int(match[2])


def _check_apart(source: _Document, target: _Document) -> None:
    is_shared = source.corpus.id == target.corpus.id and (
        max(source.start, target.start) < min(source.end, target.end)
    )
    if is_shared:
        raise UserError(
            f"The same sentences of {source.corpus.name} are on both sides: choose two "
            "corpora, or lines of one that do not overlap."
        )


def _find_path(
    project: Project,
    encoder: Encoder,
    documents: tuple[_Document, _Document],
    params: AlignDocuments,
    report: Report,
) -> tuple[Path, Costs]:
    """Encode both documents and align them."""
    sides = []
    for document in documents:
        corpus = document.corpus
        texts = read_texts(project.store, corpus.id, document.start, document.end)
        stage = f"encode {corpus.name}"
        joined = params.joined
        sides.append(
            encode_spans(encoder, texts, corpus.language, joined, report, stage)
        )
    settings = Search(
        joined=params.joined,
        quantile=params.skip,
        window=params.window,
        seed=params.seed,
    )
    return align(sides[0], sides[1], settings, report)


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
    source: _Document, target: _Document, encoder: Encoder, params: AlignDocuments
) -> NewMining:
    names = f"{source.corpus.name} – {target.corpus.name}"
    return NewMining(
        name=params.name or f"{names} (aligned)",
        kind="aligned",
        source_corpus_id=source.corpus.id,
        target_corpus_id=target.corpus.id,
        source_language="",
        target_language="",
        encoder=encoder.name,
        fingerprint=encoder.fingerprint,
        margin="distance",  # from the means over the whole other document
        k=0,
        retrieval="",
        threshold=None,
        filters=[],
    )


def _message(name: str, told: AlignmentReport) -> str:
    links = "1 link" if told.n_links == 1 else f"{told.n_links:,} links"
    n_alone = told.n_source_alone + told.n_target_alone
    alone = "1 sentence stands" if n_alone == 1 else f"{n_alone:,} sentences stand"
    return f"{name}: {links}; {alone} alone."
