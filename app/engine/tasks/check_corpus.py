"""Task: find wrong languages, corrupted or untranslated text, and boilerplate."""

import time
from collections.abc import Callable, Sequence
from typing import get_args

import numpy as np

from app.arrays import IdArray
from app.engine.project.project import Project
from app.engine.quality.findings import save_findings
from app.engine.quality.selection import (
    SentenceSelection,
    read_all_texts,
    select_sentences,
)
from app.engine.quality.text_checks import (
    count_repeated,
    describe_boilerplate,
    describe_damage,
    describe_repeated,
    describe_wrong_language,
)
from app.engine.runtime.report import Report
from app.engine.store.corpora import first_sentence_id
from app.engine.store.documents import document_numbers
from app.engine.store.findings import Finding
from app.engine.store.pairs.sets import read_links_from
from app.engine.text.normalisation import near_hashes
from app.params.quality import CheckCorpus, CorpusCheck
from app.plurals import count_text
from app.results.task import TaskResult

ALL: tuple[CorpusCheck, ...] = get_args(CorpusCheck)
MIN_UNTRANSLATED = 12  # letters: names and terms are often the same in both languages
STEP = 100  # sentences between two steps, so that Cancel takes milliseconds


class CheckCorpusResult(TaskResult, frozen=True, kw_only=True):
    """Counts of a corpus check.

    Attributes:
        sentences: number of checked sentences.
        counts: findings of each kind that was checked.
    """

    sentences: int
    counts: dict[str, int]
    seconds: float


def check_corpus(
    project: Project, params: CheckCorpus, report: Report
) -> CheckCorpusResult:
    """Find wrong languages, corrupted characters, boilerplate and untranslated text.

    Raises:
        UserError: unknown corpus, or no sentences.
        Cancelled: nothing is saved.
    """
    begun = time.monotonic()
    chosen = select_sentences(project, params.corpora)
    texts = read_all_texts(project, chosen, report)
    found: list[Finding] = []
    wanted = [check for check in ALL if not params.checks or check in params.checks]
    for check in wanted:
        found += _CHECKS[check](project, chosen, texts, params, report)
    kept = save_findings(project, found, report)
    counts: dict[str, int] = dict.fromkeys(wanted, 0) | kept
    return CheckCorpusResult(
        sentences=len(chosen),
        counts=counts,
        seconds=time.monotonic() - begun,
        message=_message(len(chosen), counts),
    )


def _check_language(
    _project: Project,
    chosen: SentenceSelection,
    texts: Sequence[str],
    params: CheckCorpus,
    report: Report,
) -> list[Finding]:
    names = [chosen.languages.names[code] for code in chosen.languages.codes.tolist()]

    def describe(index: int) -> str:
        return describe_wrong_language(texts[index], names[index], params.sure)

    return _check_all("language", chosen, describe, report)


def _check_encoding(
    _project: Project,
    chosen: SentenceSelection,
    texts: Sequence[str],
    _params: CheckCorpus,
    report: Report,
) -> list[Finding]:
    return _check_all(
        "encoding", chosen, lambda index: describe_damage(texts[index]), report
    )


def _check_boilerplate(
    project: Project,
    chosen: SentenceSelection,
    texts: Sequence[str],
    params: CheckCorpus,
    report: Report,
) -> list[Finding]:
    repeated = count_repeated(near_hashes(texts), _documents(project, chosen))

    def describe(index: int) -> str:
        count = int(repeated.counts[index])
        if count >= params.repeats:
            return describe_repeated(count, int(repeated.n_documents[index]))
        return describe_boilerplate(texts[index])

    return _check_all("boilerplate", chosen, describe, report)


def _check_untranslated(
    project: Project,
    chosen: SentenceSelection,
    texts: Sequence[str],
    _params: CheckCorpus,
    report: Report,
) -> list[Finding]:
    """Find targets of links in another language that equal their sources."""
    links = read_links_from(project.store, [corpus.id for corpus in chosen.corpora])
    links = links[np.isin(links, chosen.ids).all(axis=1)]
    indices = np.searchsorted(chosen.ids, links)  # (p, 2): source, target
    hashes, codes = near_hashes(texts), chosen.languages.codes
    is_equal = hashes[indices[:, 0]] == hashes[indices[:, 1]]
    is_other = codes[indices[:, 0]] != codes[indices[:, 1]]
    origins = dict(indices[is_equal & is_other][:, ::-1].tolist())  # by target

    def describe(index: int) -> str:
        n_letters = sum(letter.isalpha() for letter in texts[index])
        if index not in origins or n_letters < MIN_UNTRANSLATED:
            return ""
        return "The text equals its source."

    found = _check_all("untranslated", chosen, describe, report)
    target_places = np.searchsorted(chosen.ids, [one.sentence_id for one in found])
    sources = [int(chosen.ids[origins[index]]) for index in target_places.tolist()]
    return [
        one._replace(other_id=source)
        for one, source in zip(found, sources, strict=True)
    ]


_CHECKS: dict[CorpusCheck, Callable[..., list[Finding]]] = {
    "language": _check_language,
    "encoding": _check_encoding,
    "boilerplate": _check_boilerplate,
    "untranslated": _check_untranslated,
}


def _check_all(
    kind: CorpusCheck,
    chosen: SentenceSelection,
    describe: Callable[[int], str],
    report: Report,
) -> list[Finding]:
    """Return a finding for each sentence that `describe` returns a reason for."""
    found = []
    for index, id_ in enumerate(chosen.ids.tolist()):
        if index % STEP == 0:
            report.step(f"Checking {kind}", index, len(chosen))
        if detail := describe(index):
            found.append(Finding(kind, id_, detail=detail))
    return found


def _documents(project: Project, chosen: SentenceSelection) -> IdArray:
    """Return the number of each sentence's document, over all corpora: int64 (n,)."""
    numbers = np.empty(len(chosen), np.int64)
    before = 0
    for corpus in chosen.corpora:
        bounds = [first_sentence_id(corpus.id), first_sentence_id(corpus.id + 1)]
        part = slice(*np.searchsorted(chosen.ids, bounds))
        own = document_numbers(project.store, corpus).astype(np.int64)
        numbers[part] = own[chosen.ids[part] - bounds[0]] + before
        before += int(own.max(initial=0)) + 1
    return numbers


def _message(n: int, counts: dict[str, int]) -> str:
    """Return the message of the result."""
    words = {
        "language": "in another language",
        "encoding": "with corrupted characters",
        "boilerplate": "boilerplate",
        "untranslated": "untranslated",
    }
    parts = ", ".join(f"{counts[kind]:,} {words[kind]}" for kind in counts)
    return f"{count_text(n, 'sentence')} checked: {parts}."
