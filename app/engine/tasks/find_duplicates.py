"""Task: find duplicate sentences within and across languages."""

import time
from itertools import chain, combinations

import numpy as np

from app.engine.mining.approximate_search import Recall
from app.engine.project.project import Project
from app.engine.quality.duplicates import (
    Duplicates,
    K,
    describe_translation,
    duplicate_findings,
    find_translated_pairs,
    group_duplicates,
    read_hashed_texts,
)
from app.engine.quality.findings import describe_recall, save_findings
from app.engine.quality.neighbours import NeighbourOptions, combine_recalls
from app.engine.quality.selection import (
    EncodedSentences,
    SentenceSelection,
    drop_folder,
    encode_selection,
    select_sentences,
)
from app.engine.runtime.report import Report
from app.engine.store.corpora import corpus_of
from app.engine.store.findings import Finding
from app.engine.store.pairs.beads import read_aligned_links
from app.engine.store.pairs.sets import read_links_from
from app.params.quality import FindDuplicates
from app.plurals import count_text
from app.results.task import TaskResult


class FindDuplicatesResult(TaskResult, frozen=True, kw_only=True):
    """Counts of duplicates.

    Attributes:
        sentences: compared sentences.
        groups: number of groups of duplicates, each within one language.
        counts: findings of each kind: equal, near, translation.
        n_unknown: sentences without a vector, which are compared by text only.
        recall: share of the near pairs that the approximate search found; None if all
            pairs were compared.
    """

    sentences: int
    groups: int
    counts: dict[str, int]
    n_unknown: int
    recall: Recall | None
    encoder: str
    seconds: float


def find_duplicates(
    project: Project, params: FindDuplicates, report: Report
) -> FindDuplicatesResult:
    """Find duplicate sentences, within one language or across languages.

    Raises:
        UserError: unknown corpus or encoder, no sentences, or a vector that contains
            NaN.
        Cancelled: nothing is saved.
    """
    begun = time.monotonic()
    chosen = select_sentences(project, params.corpora)
    try:
        known = encode_selection(project, chosen, params.encoder, report)
        texts = read_hashed_texts(project, chosen, report)
        near = NeighbourOptions(K, params.cosine, params.exact, params.seed)
        longest = params.keep == "longest"
        wanted = near, params.similarity, longest
        duplicates = group_duplicates(chosen, known, texts, wanted, report)
        found = duplicate_findings(duplicates, chosen, known, texts, report)
        recalls, n_linked = duplicates.recalls, 0
        if params.across:
            translations, more = _translations(
                chosen, known, duplicates, params, report
            )
            unlinked = _without_linked(project, translations)
            n_linked = len(translations) - len(unlinked)
            found += unlinked
            recalls = recalls + more
    finally:
        drop_folder(project)
    counts = save_findings(project, found, report)
    recall = combine_recalls(recalls)
    message = _message(len(chosen), duplicates.n_groups, counts)
    if params.across:
        message += _describe_translations(counts.get("translation", 0), n_linked)
    if recall is not None:
        message += f" {describe_recall(recall)}"
    return FindDuplicatesResult(
        sentences=len(chosen),
        groups=duplicates.n_groups,
        counts=counts,
        n_unknown=len(chosen) - len(known.places),
        recall=recall,
        encoder=known.encoder.name,
        seconds=time.monotonic() - begun,
        message=message,
    )


def _translations(
    chosen: SentenceSelection,
    known: EncodedSentences,
    duplicates: Duplicates,
    params: FindDuplicates,
    report: Report,
) -> tuple[list[Finding], list[Recall | None]]:
    """Pair the remaining sentences of each two languages."""
    languages = chosen.languages
    is_kept = duplicates.kept[known.places] == known.places
    codes = np.where(is_kept, languages.codes[known.places], -1)
    parts = [known.part(codes == code) for code in range(len(languages.names))]
    found: list[Finding] = []
    recalls: list[Recall | None] = []
    least = params.across_cosine, params.margin
    for one, other in combinations(range(len(parts)), 2):
        if not len(parts[one].places) or not len(parts[other].places):
            continue
        how = params.exact, params.seed
        pairs = find_translated_pairs(parts[one], parts[other], least, how, report)
        recalls += pairs.recalls
        columns = (pairs.ones, pairs.others, pairs.cosines, pairs.margins)
        for first, second, cosine, margin in zip(*columns, strict=True):
            ids = sorted((int(chosen.ids[first]), int(chosen.ids[second])))
            detail = describe_translation(cosine, margin)
            rounded = round(float(cosine), 4)
            found.append(Finding("translation", ids[1], ids[0], rounded, None, detail))
    return found, recalls


def _without_linked(project: Project, found: list[Finding]) -> list[Finding]:
    """Exclude pairs that are linked as translations by an import or alignment."""
    pairs = [(one.sentence_id, one.other_id or 0) for one in found]
    corpora = {corpus_of(id_) for pair in pairs for id_ in pair}
    links = read_links_from(project.store, corpora).tolist()
    aligned = read_aligned_links(project.store, corpora)
    linked = {frozenset(link) for link in chain(links, aligned)}
    return [
        one
        for one, pair in zip(found, pairs, strict=True)
        if frozenset(pair) not in linked
    ]


def _message(n_sentences: int, n_groups: int, counts: dict[str, int]) -> str:
    """Describe the duplicates within the languages."""
    n_duplicates = counts.get("equal", 0) + counts.get("near", 0)
    return (
        f"{count_text(n_duplicates, 'duplicate')} among "
        f"{count_text(n_sentences, 'sentence')} ({counts.get('equal', 0):,} equal, "
        f"{counts.get('near', 0):,} nearly equal), in "
        f"{count_text(n_groups, 'group')}."
    )


def _describe_translations(n: int, n_linked: int) -> str:
    """Describe the found and the excluded translations."""
    found = f" Translations that are not linked: {count_text(n, 'pair')}"
    if n_linked:
        found += f" ({count_text(n_linked, 'linked pair')} left out)"
    return f"{found}."
