"""Task: measure a map by sentence retrieval and by word-by-word translation."""

from typing import TYPE_CHECKING

import msgspec

from app.engine.runtime.report import Report
from app.engine.text.line_files import read_pairs
from app.engine.wordvectors.project_files import find_map_folder
from app.engine.wordvectors.sentences import (
    retrieval_precision,
    sentence_vectors,
    split_sentences,
    translate_words,
)
from app.engine.wordvectors.spaces import load_space
from app.engine.wordvectors.table import WordLookup
from app.errors import UserError
from app.number_format import format_percent
from app.params.word_vectors import EvaluateMappedSentences, RetrievalName
from app.results.task import TaskResult

if TYPE_CHECKING:
    from app.engine.project.project import Project

STAGE = "Translating word by word"


class SentencePrecision(msgspec.Struct, frozen=True):
    """Share of sentences whose translation is among the nearest 1, 5 and 10; 0…1."""

    precision_at_1: float
    precision_at_5: float
    precision_at_10: float


class EvaluateMappedSentencesResult(TaskResult, frozen=True, kw_only=True):
    """Sentence retrieval and translation quality of a map.

    Attributes:
        n: pairs of sentences.
        source_to_target, target_to_source: retrieval among the n sentences.
        bleu: BLEU of the word-by-word translation, 0…1, without punctuation and case.
        bleu_copied: BLEU of the unchanged source words.
        signature: sacreBLEU's signature.
        source_coverage, target_coverage: share of words with a vector.
    """

    n: int
    retrieval: RetrievalName
    source_to_target: SentencePrecision
    target_to_source: SentencePrecision
    bleu: float
    bleu_interval: tuple[float, float]
    bleu_copied: float
    signature: str
    source_coverage: float
    target_coverage: float


def evaluate_mapped_sentences(
    project: "Project | None", params: EvaluateMappedSentences, report: Report
) -> EvaluateMappedSentencesResult:
    """Retrieve translations by IDF-weighted means, and translate word by word.

    Raises:
        UserError: the folder contains no map, or there are fewer than two pairs.
        ResourceError: a file is missing or damaged.
    """
    from app.engine.translation.scores import score_bleu

    space = load_space(find_map_folder(project, params.map))
    pairs = list(dict.fromkeys(read_pairs(params.pairs)))[: params.max_pairs]
    if len(pairs) < 2:
        raise UserError(f"{params.pairs.name} has fewer than two pairs. Add more.")
    source, target = (
        split_sentences(
            [pair[side] for pair in pairs], table.language, WordLookup(table.words)
        )
        for side, table in enumerate((space.source, space.target))
    )
    queries = sentence_vectors(source, space.mapped)
    others = sentence_vectors(target, space.target.vectors)
    both = [
        SentencePrecision(*retrieval_precision(*sides, params.retrieval, report))
        for sides in ((queries, others), (others, queries))
    ]
    report.step(STAGE, 0, 0)
    translated = translate_words(space, source, params.retrieval)
    references = [" ".join(words) for words in target.words]
    copied = [" ".join(words) for words in source.words]
    bleu, bare = (
        score_bleu(texts, references, space.target.language or "en", is_lowercase=True)
        for texts in (translated, copied)
    )
    return EvaluateMappedSentencesResult(
        n=len(pairs),
        retrieval=params.retrieval,
        source_to_target=both[0],
        target_to_source=both[1],
        bleu=bleu.value / 100,
        bleu_interval=(bleu.low / 100, bleu.high / 100),
        bleu_copied=bare.value / 100,
        signature=bleu.signature,
        source_coverage=source.coverage,
        target_coverage=target.coverage,
        message=f"{format_percent(both[0].precision_at_1, 1)} of {len(pairs):,} "
        "sentences have their translation as the nearest sentence. Word by word, BLEU "
        f"is {bleu.value:.1f} ({bare.value:.1f} if words are copied).",
    )
