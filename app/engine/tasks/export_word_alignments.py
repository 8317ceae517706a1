"""Task: export word alignments of linked sentences."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from app.arrays import DoubleArray, IntArray
from app.engine.encoders.registry import load_encoder
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.corpora import CorpusRow, corpus_of
from app.engine.store.lookup import find_whole_corpus
from app.engine.text.writers.output import OutputFiles
from app.engine.words.equivalents.bitext import (
    BitextCache,
    BitextOptions,
    BitextSide,
)
from app.engine.words.selection import index_opener
from app.engine.words.word_links.counts import CommonCounts, count_common
from app.engine.words.word_links.scores import (
    choose_links,
    combine_evidence,
    link_confidences,
    other_pairs_dice,
)
from app.errors import UserError
from app.params.words import ExportWordAlignments
from app.plurals import count_text
from app.results.task import TaskResult

COUNTING, COMPARING, WRITING = "count words", "compare words", "link words"
WORDS_AT_ONCE = 5_000  # words encoded between two progress reports
WHY_WHOLE = "the words of all its linked sentences are counted"


class ExportWordAlignmentsResult(TaskResult, frozen=True):
    """The exported files.

    Attributes:
        files: the links, the source words and the target words.
        n_pairs: lines of each file.
        n_links: links between words.
    """

    files: tuple[Path, ...]
    n_pairs: int
    n_links: int


class _SideWords(NamedTuple):
    """Words of the exported pairs on one side.

    Attributes:
        begins: int64 (p,), first token of each pair in its corpus.
        ends: int64 (p,), index after the last token of each pair.
        ids: int (t,), word id of each token of the corpus; -1: no word.
        n_pairs_of: int64 (v,), number of pairs that contain each word.
        forms: word forms of the corpus, as written.
        form_ids: int (t,), form id of each token of the corpus.
        vectors: float64 (v, d), unit vector of each word; None: vectors are not
            compared.
    """

    begins: IntArray
    ends: IntArray
    ids: IntArray
    n_pairs_of: IntArray
    forms: list[str]
    form_ids: IntArray
    vectors: DoubleArray | None


def export_word_alignments(
    project: Project, params: ExportWordAlignments, report: Report
) -> ExportWordAlignmentsResult:
    """Export links between the words of linked sentences in Pharaoh format.

    Each line has the links of a pair, `0-0 1-2`: word positions, from 0.

    Raises:
        UserError: unknown corpus or encoder, no links connect the corpora, or a file
            can't be written.
    """
    source = find_whole_corpus(project.store, params.source, WHY_WHOLE)
    target = find_whole_corpus(project.store, params.target, WHY_WHOLE)
    opened = index_opener(project, report)
    options = BitextOptions([source], "", target.language)
    bitext, _ = BitextCache().open(project, options, opened)
    is_wanted = corpus_of(bitext.pairs.targets) == target.id
    pairs = np.flatnonzero(is_wanted)
    if not len(pairs):
        raise UserError(
            f"No links connect {source.name} and {target.name}. Import translations "
            "as linked corpora, or align the two."
        )
    counts = count_common(
        bitext.source.words,
        bitext.target.words,
        lambda done, total: report.step(COUNTING, done, total),
    )
    sides = [
        _side_words(project, params, side, corpus, pairs, report)
        for side, corpus in ((bitext.source, source), (bitext.target, target))
    ]
    n_links = 0
    with OutputFiles(replace=True) as files:
        streams = [files.open(path) for path in output_paths(params.out)]
        for done, (links, *texts) in enumerate(_lines(counts, sides, params.least)):
            n_links += len(links)
            written = " ".join(f"{first}-{second}" for first, second in links)
            for stream, line in zip(streams, (written, *texts), strict=True):
                stream.write(f"{line}\n".encode())
            report.step(WRITING, done + 1, len(pairs))
        files.commit()
    n = count_text(len(pairs), "linked pair")
    message = f"Exported {count_text(n_links, 'word link')} of {n} to {params.out}."
    return ExportWordAlignmentsResult(
        output_paths(params.out), len(pairs), n_links, message=message
    )


def output_paths(out: Path) -> tuple[Path, Path, Path]:
    """Return the files of an export: links, source words and target words."""
    source, target = (out.with_suffix(f".{side}.txt") for side in ("source", "target"))
    return out, source, target


def _side_words(
    project: Project,
    params: ExportWordAlignments,
    side: BitextSide,
    corpus: CorpusRow,
    pairs: IntArray,
    report: Report,
) -> _SideWords:
    """Gather the words of one side of the exported pairs."""
    place = [index.corpus_id for index in side.indexes].index(corpus.id)
    part, index = side.parts[place], side.indexes[place]
    at = np.searchsorted(part.pairs, pairs)
    layer = index.layer("form")
    vectors = None
    if not params.association_only:
        encoder = load_encoder(params.encoder, project.folder)
        vectors = np.zeros((len(side.lexicon), encoder.dim))
        wanted = np.unique(part.words[part.words >= 0])
        for done in range(0, len(wanted), WORDS_AT_ONCE):
            some = wanted[done : done + WORDS_AT_ONCE]
            encoded = encoder.encode(side.lexicon.items(some)).astype(np.float64)
            lengths = np.linalg.norm(encoded, axis=1, keepdims=True)
            vectors[some] = encoded / np.where(lengths > 0, lengths, 1)
            report.step(COMPARING, done + len(some), len(wanted))
    return _SideWords(
        part.begins[at],
        part.ends[at],
        np.asarray(part.words),
        side.words.n_pairs_of,
        [form.replace(" ", "_") for form in layer.lexicon.all_items()],
        np.asarray(layer.tokens),
        vectors,
    )


def _lines(
    counts: CommonCounts, sides: list[_SideWords], least: float
) -> Iterator[tuple[list[tuple[int, int]], str, str]]:
    """Return the lines of each pair: links, source words and target words."""
    source, target = sides
    for row in range(len(source.begins)):
        tokens = [slice(one.begins[row], one.ends[row]) for one in sides]
        texts = [
            " ".join(one.forms[form] for form in one.form_ids[some].tolist())
            for one, some in zip(sides, tokens, strict=True)
        ]
        words, others = source.ids[tokens[0]], target.ids[tokens[1]]
        yield _link(source, target, counts, words, others, least), texts[0], texts[1]


def _link(
    source: _SideWords,
    target: _SideWords,
    counts: CommonCounts,
    words: IntArray,
    others: IntArray,
    least: float,
) -> list[tuple[int, int]]:
    """Return the links between the words of a pair."""
    if not len(words) or not len(others):
        return []
    first, second = np.maximum(words, 0), np.maximum(others, 0)
    association = other_pairs_dice(
        counts.find(first.astype(np.int64), second.astype(np.int64)),
        source.n_pairs_of[first][:, None],
        target.n_pairs_of[second],
    )
    association[words < 0] = 0
    association[:, others < 0] = 0
    similarity = None
    if source.vectors is not None and target.vectors is not None:
        similarity = source.vectors[first] @ target.vectors[second].T
    confidences = link_confidences(combine_evidence(association, similarity))
    chosen = choose_links(confidences, least)
    return list(zip(chosen.first.tolist(), chosen.second.tolist(), strict=True))
