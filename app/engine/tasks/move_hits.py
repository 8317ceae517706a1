"""Task: find the hits of a saved list again in a re-imported corpus."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
from sqlalchemy import Engine

from app.arrays import IntArray
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.corpora import CorpusRow, corpus_of, first_sentence_id
from app.engine.store.documents import DocumentCache
from app.engine.store.findings import Finding, write_findings
from app.engine.store.lookup import find_whole_corpus
from app.engine.store.sentences import SentenceRow, read_integers, read_sentences
from app.engine.store.words.hit_lists import (
    HitListRow,
    NewHitList,
    SavedHits,
    find_hit_list,
    read_saved_hits,
    write_hit_list,
)
from app.engine.text.normalisation import clean_text
from app.engine.words.realignment import (
    LOST,
    TextVersions,
    realign_sentences,
    realign_span,
)
from app.errors import UserError
from app.params.words import MoveHits
from app.plurals import count_text
from app.results.moved_hits import HitChange, MovedHit, MoveHitsResult

MATCH_STAGE, CARRY_STAGE = "Matching sentences", "Matching hits"
MAX_LISTED = 20  # hits listed in the result; the run's findings contain all of them
MAX_TEXT = 120  # characters of a listed sentence


class _Carried(NamedTuple):
    """A hit of the old corpus and its position in the new one (-1: missing)."""

    place: int  # index in the list
    old_id: int
    new_id: int
    span: tuple[int, int]
    fate: HitChange
    line: int
    new_line: int
    text: str
    document: str = ""
    old_document: str = ""  # if the document changed


def move_hits(project: Project, params: MoveHits, report: Report) -> MoveHitsResult:
    """Make a new list of the hits that also occur in the corpus.

    Raises:
        UserError: unknown list or corpus, or none of the hits can be moved.
    """
    hit_list = find_hit_list(project.store, params.hits)
    corpus = find_whole_corpus(
        project.store, params.corpus, "hits are searched in whole corpora"
    )
    hits = read_saved_hits(project.store, hit_list.id)
    old_corpus = _old_corpus(project.store, hit_list, hits, corpus)
    carried = _carry(project.store, hits, old_corpus, corpus, report)
    if all(one.fate == "lost" for one in carried):
        raise UserError(
            f"{corpus.name} contains no hit of {hit_list.name}. Choose the corpus that "
            "was reimported from the corrected file."
        )
    name = clean_text(params.name)[0] or f"{hit_list.name} in {corpus.name}"
    new = _new_hits(project.store, hits, carried, corpus.id)
    query = msgspec.json.decode(hit_list.query)
    query["corpora"] = [str(corpus.id)]
    record = msgspec.json.encode(query).decode()
    new_id = write_hit_list(project.store, NewHitList(name, record, report.run), new)
    report.changed("hit_list", new_id)
    if report.run is not None:
        write_findings(project.store, report.run, _findings(carried), report)
    return _result(new_id, name, carried, len(hits.lines) - len(carried))


def _old_corpus(
    store: Engine, hit_list: HitListRow, hits: SavedHits, corpus: CorpusRow
) -> int:
    """Return the corpus whose hits are moved: the corpus that shares most texts."""
    owners = hits.lines[:, 0] // first_sentence_id(1)
    others = [int(id_) for id_ in np.unique(owners) if id_ != corpus.id]
    if not others:
        problem = "is empty" if not len(owners) else f"already belongs to {corpus.name}"
        raise UserError(
            f"The list {hit_list.name} {problem}. Choose the reimported corpus."
        )
    if len(others) == 1:
        return others[0]
    is_known = np.isin(hits.hashes, read_integers(store, corpus.id, "hash"))
    shared = Counter(owners[is_known].tolist())
    return max(others, key=lambda id_: shared[id_])


def _carry(
    store: Engine, hits: SavedHits, old_corpus: int, corpus: CorpusRow, report: Report
) -> list[_Carried]:
    """Find the sentences and then the words in the new corpus."""
    report.step(MATCH_STAGE, 0, 0, corpus.name)
    chosen = np.flatnonzero(hits.lines[:, 0] // first_sentence_id(1) == old_corpus)
    ids = hits.lines[chosen, 0]
    wanted, which = np.unique(ids, return_inverse=True)
    found = _sentences_again(store, wanted, hits.hashes[chosen], which, corpus.id)
    new_ids = np.where(found >= 0, found + first_sentence_id(corpus.id), LOST)
    old_rows = read_sentences(store, wanted.tolist())
    new_rows = read_sentences(store, new_ids.tolist())
    carried, documents = [], DocumentCache(store)
    for done, (index, row) in enumerate(zip(chosen.tolist(), which, strict=True)):
        report.step(CARRY_STAGE, done, len(chosen))
        line = (*hits.lines[index].tolist(), int(hits.numbers[index]))
        one = _carry_one(index, line, old_rows[row], new_rows[row])
        carried.append(_in_documents(one, documents))
    return carried


def _in_documents(one: _Carried, documents: DocumentCache) -> _Carried:
    """Set the documents of a hit, which was moved if its document changed."""
    old = documents.name_of(one.old_id)
    new = old if one.fate == "lost" else documents.name_of(one.new_id)
    if not old or not new or old == new:
        return one._replace(document=new)
    fate: HitChange = "moved" if one.fate == "stayed" else one.fate
    return one._replace(document=new, old_document=old, fate=fate)


def _carry_one(
    index: int,
    hit: tuple[int, int, int, int],
    old: SentenceRow | None,
    new: SentenceRow | None,
) -> _Carried:
    """Find the words of a hit (id, begin, end, line) in its new sentence."""
    old_id, begin, end, line = hit
    # a sentence no longer in the store was found by the hash of its text
    known = old or new
    old_text = known.text if known else ""
    span = realign_span(old_text, new.text, (begin, end)) if new else None
    if new is None or span is None:
        return _Carried(index, old_id, LOST, (0, 0), "lost", line, LOST, old_text)
    fate: HitChange = "changed"
    if old_text == new.text:
        fate = "stayed" if new.line == line else "moved"
    return _Carried(index, old_id, new.id, span, fate, line, new.line, new.text)


def _sentences_again(
    store: Engine, wanted: IntArray, hashes: IntArray, which: IntArray, new_corpus: int
) -> IntArray:
    """Return the sentences' positions in the new corpus: int64 (w,), -1: missing."""
    old_corpus = corpus_of(int(wanted[0]))
    old_first, new_first = first_sentence_id(old_corpus), first_sentence_id(new_corpus)
    old, rows = read_integers(store, old_corpus, "hash"), wanted - old_first
    if not len(old):  # the project was compacted: only the texts of the hits are stored
        rows = np.arange(len(wanted))
        old = np.zeros(len(wanted), np.int64)
        old[which] = hashes
        old_first = -1
    new = read_integers(store, new_corpus, "hash")

    def texts_from(first: int, asked: Sequence[int]) -> list[str]:
        read = read_sentences(store, [first + row for row in asked])
        return [row.text if row else "" for row in read]

    sides = TextVersions(
        old,
        new,
        lambda asked: (
            texts_from(old_first, asked) if old_first >= 0 else [""] * len(asked)
        ),
        lambda asked: texts_from(new_first, asked),
    )
    return realign_sentences(sides, rows)


def _new_hits(
    store: Engine, hits: SavedHits, carried: Sequence[_Carried], new_corpus: int
) -> SavedHits:
    """Return the hits of the new list, in the order of the old one."""
    lines, hashes = hits.lines.copy(), hits.hashes.copy()
    numbers = hits.numbers.copy()
    is_kept = np.ones(len(lines), bool)
    all_hashes = read_integers(store, new_corpus, "hash")
    for one in carried:
        is_kept[one.place] = one.fate != "lost"
        if one.fate != "lost":
            lines[one.place] = (one.new_id, *one.span)
            hashes[one.place] = all_hashes[one.new_id - first_sentence_id(new_corpus)]
            numbers[one.place] = one.new_line
    return SavedHits(lines[is_kept], hashes[is_kept], numbers[is_kept])


def _findings(carried: Sequence[_Carried]) -> list[Finding]:
    """Return the moved and missing hits, in the order of the list."""
    return [
        Finding(
            one.fate,
            one.old_id if one.fate == "lost" else one.new_id,
            None if one.fate == "lost" else one.old_id,
            detail=_describe_hit(one),
        )
        for one in carried
        if one.fate != "stayed"
    ]


def _describe_hit(one: _Carried) -> str:
    begin = f"{one.document}, line" if one.document else "Line"
    if one.old_document:
        return (
            f"{one.old_document}, line {one.line:,} → {begin} {one.new_line:,}: "
            f"{one.fate}."
        )
    is_elsewhere = one.new_line not in (LOST, one.line)
    end = f" → {one.new_line:,}" if is_elsewhere else ""
    return f"{begin} {one.line:,}{end}: {one.fate}."


def _result(
    hits: int, name: str, carried: Sequence[_Carried], n_others: int
) -> MoveHitsResult:
    counts = Counter(one.fate for one in carried)
    order: dict[HitChange, int] = {"lost": 0, "changed": 1, "moved": 2}
    others = [one for one in carried if one.fate != "stayed"]
    others.sort(key=lambda one: (order[one.fate], one.line))
    return MoveHitsResult(
        hits=hits,
        name=name,
        n_stayed=counts["stayed"],
        n_moved=counts["moved"],
        n_changed=counts["changed"],
        n_lost=counts["lost"],
        n_others=n_others,
        named=[_named(one) for one in others[:MAX_LISTED]],
        message=_message(name, counts, n_others),
    )


def _named(one: _Carried) -> MovedHit:
    text = one.text if len(one.text) <= MAX_TEXT else f"{one.text[:MAX_TEXT]}…"
    new_line = None if one.fate == "lost" else one.new_line
    return MovedHit(one.fate, one.line, new_line, text, one.document, one.old_document)


def _message(name: str, counts: "Counter[Any]", n_others: int) -> str:
    changed, lost = (
        f"{counts[fate]:,} {'is' if counts[fate] == 1 else 'are'}"
        for fate in ("changed", "lost")
    )
    parts = [
        f"{counts['stayed']:,} stayed",
        f"{counts['moved']:,} moved to another line or document",
        f"{changed} in a text that was corrected",
        f"{lost} lost",
    ]
    n = sum(counts.values()) - counts["lost"] + n_others
    others = f" {count_text(n_others, 'hit')} of other corpora kept." * bool(n_others)
    return f"{name}: {count_text(n, 'hit')}; {', '.join(parts)}.{others}"
