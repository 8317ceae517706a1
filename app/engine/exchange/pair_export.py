"""Select pairs for export, and add their scores, judgements and documents."""

from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from app import VERSION
from app.arrays import IdArray
from app.engine.project.active_sentences import active_links
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.corpora import CorpusRow, first_sentence_id, list_corpora
from app.engine.store.documents import DocumentCache
from app.engine.store.hidden_sentences import hidden_ids
from app.engine.store.lookup import find_corpus, find_pair_set
from app.engine.store.pairs.judged_ranges import JudgedRanges, read_judged_ranges
from app.engine.store.pairs.judgements import (
    VERDICTS,
    CurrentVerdicts,
    read_current_verdicts,
    read_tagged_pairs,
)
from app.engine.store.pairs.sets import (
    JudgementRow,
    PairIntegerColumn,
    PairSetRow,
    read_links,
    read_pair_integers,
    read_scores,
)
from app.engine.store.pairs.texts import PairTexts, SideText, read_pair_texts
from app.engine.store.sentences import (
    SentenceRow,
    read_coded_segments,
    read_sentences,
)
from app.engine.text.readers.blocks import CodeFormat
from app.engine.text.readers.inline_codes import restore_codes
from app.engine.text.writers.records import PairHeader, PairRecord
from app.engine.text.writers.tally import ExportTally
from app.errors import UserError
from app.params.pairs import ExportPairs, PairFormat, WantedVerdict
from app.protocol.answers.pairs import PairExportPreview


def pair_set_header(store: Engine, mining: PairSetRow) -> PairHeader:
    """Return the header of a pair set."""
    known = {row.id: row for row in list_corpora(store, states=("ready", "deleted"))}
    source = known.get(mining.source_corpus_id)
    target = known.get(mining.target_corpus_id)
    return PairHeader(
        name=mining.name,
        source_language=mining.source_language
        or (source.language if source else "und"),
        target_language=mining.target_language
        or (target.language if target else "und"),
        source_corpus=source.name if source else "",
        target_corpus=target.name if target else "",
        created_at=mining.created_at,
        is_scored=True,
        encoder=mining.encoder,
        fingerprint=mining.fingerprint,
        margin=mining.margin,
        run=mining.run_id,
        version=VERSION,
    )


def pair_set_record(
    header: PairHeader, texts: PairTexts, params: ExportPairs, ranges: JudgedRanges
) -> PairRecord:
    """Return the record of a pair in a set, with its scores and judgement."""
    pair, judgement = texts.pair, texts.judgement
    source, target = texts.source, texts.target
    is_as_found = not (source.is_swapped or target.is_swapped)
    record = PairRecord(
        id=str(pair.id),
        source=source.imported if params.as_imported else source.text,
        target=target.imported if params.as_imported else target.text,
        source_parts=_parts(source, params),
        target_parts=_parts(target, params),
        source_language=source.language or header.source_language,
        target_language=target.language or header.target_language,
        source_line=source.line,
        target_line=target.line,
        score=_score_of(texts),
        cosine=pair.cosine if is_as_found else None,
        source_mean=None if source.is_swapped else pair.source_mean,
        target_mean=None if target.is_swapped else pair.target_mean,
        source_id=source.sentences[0].id if source.sentences else 0,
        target_id=target.sentences[0].id if target.sentences else 0,
    )
    if judgement is None:
        return record
    return record._replace(
        verdict=judgement.verdict,
        tags=tuple(judgement.tags),
        note=judgement.note,
        who=judgement.who,
        judged_at=judgement.created_at,
        judged_as=_judged_as(judgement, ranges),
        edited_after_score=() if params.as_imported else _edited_sides(texts),
    )


def _judged_as(judgement: JudgementRow, ranges: JudgedRanges) -> str:
    if not judgement.verdict:
        return ""
    return "range" if ranges.has(judgement.given_id) else "pair"


def _edited_sides(texts: PairTexts) -> tuple[str, ...]:
    """Return the names of edited sides; the score applies to the imported text."""
    sides = (("source", texts.source), ("target", texts.target))
    return tuple(name for name, side in sides if side.is_edited)


def _parts(side: SideText, params: ExportPairs) -> tuple[str, ...]:
    """Return the sentences of a side; an edited text is a single sentence."""
    if side.is_edited and not params.as_imported:
        return (side.text,)
    return tuple(sentence.text for sentence in side.sentences)


def _score_of(texts: PairTexts) -> float | None:
    """Return the score of the current pair; None if it was never scored."""
    pair = texts.pair
    if texts.source.is_swapped and texts.target.is_swapped:
        return None
    if texts.target.is_swapped:
        return pair.runner_up_score
    return pair.reverse_score if texts.source.is_swapped else pair.score


def link_header(source: CorpusRow, target: CorpusRow) -> PairHeader:
    """Return the header of two linked corpora."""
    return PairHeader(
        name=f"{source.name} – {target.name}",
        source_language=source.language,
        target_language=target.language,
        source_corpus=source.name,
        target_corpus=target.name,
        created_at=source.created_at,
        version=VERSION,
    )


def link_record(source: SentenceRow, target: SentenceRow) -> PairRecord:
    """Return the record of a pair of linked sentences."""
    return PairRecord(
        id=f"{source.id}-{target.id}",
        source=source.text,
        target=target.text,
        source_parts=(source.text,),
        target_parts=(target.text,),
        source_language=source.language,
        target_language=target.language,
        source_line=source.line,
        target_line=target.line,
        source_id=source.id,
        target_id=target.id,
    )


class PairSource(NamedTuple):
    """Pairs to write.

    Attributes:
        n: number of pairs that remain to be examined.
        pages: for each page, the number of examined pairs and the pairs to write.
        notice: message about the default verdicts; empty if verdicts were specified.
        verdicts: default verdicts; empty if verdicts were specified.
        counts: number of pairs by verdict among the pairs to examine.
    """

    header: PairHeader
    n: int
    pages: Iterator[tuple[int, list[PairRecord]]]
    notice: str = ""
    verdicts: tuple[WantedVerdict, ...] = ()
    counts: Mapping[str, int] = MappingProxyType({})


def add_documents(
    store: Engine, source: PairSource, corpora: tuple[int, int]
) -> PairSource:
    """Return the pairs with the documents of their first sentences.

    Args:
        corpora: ids of the corpora of both sides.

    Returns:
        The unchanged source if neither corpus has documents.
    """
    documents = DocumentCache(store)
    if not any(documents.sections(id_) for id_ in corpora):
        return source
    fields = [tuple(documents.fields([id_])) for id_ in corpora]
    header = source.header._replace(
        has_documents=True, source_fields=fields[0], target_fields=fields[1]
    )

    def pages() -> Iterator[tuple[int, list[PairRecord]]]:
        for n, records in source.pages:
            yield n, [_with_documents(record, header, documents) for record in records]

    return source._replace(header=header, pages=pages())


def _with_documents(
    record: PairRecord, header: PairHeader, documents: DocumentCache
) -> PairRecord:
    return record._replace(
        source_document=documents.name_of(record.source_id),
        target_document=documents.name_of(record.target_id),
        source_values=documents.values_of(record.source_id, header.source_fields),
        target_values=documents.values_of(record.target_id, header.target_fields),
    )


def add_codes(
    store: Engine, source: PairSource, kind: PairFormat, tally: ExportTally
) -> PairSource:
    """Return the pairs with the inline codes of their imported segments.

    Args:
        kind: export format; formats without inline codes ignore them.
        tally: counts texts with codes, and texts that no longer match their codes.
    """
    if kind not in get_args(CodeFormat):
        return source

    def pages() -> Iterator[tuple[int, list[PairRecord]]]:
        for n, records in source.pages:
            ids = [id_ for record in records for id_ in _sentence_ids(record)]
            found = read_coded_segments(store, ids)
            yield n, [_with_codes(record, found, kind, tally) for record in records]

    return source._replace(pages=pages())


def _sentence_ids(record: PairRecord) -> list[int]:
    sources = range(record.source_id, record.source_id + len(record.source_parts))
    targets = range(record.target_id, record.target_id + len(record.target_parts))
    return [*sources, *targets]


def _with_codes(
    record: PairRecord,
    found: dict[int, tuple[str, str]],
    kind: PairFormat,
    tally: ExportTally,
) -> PairRecord:
    coded = []
    for text, parts, first in (
        (record.source, record.source_parts, record.source_id),
        (record.target, record.target_parts, record.target_id),
    ):
        segments = [found.get(first + index) for index in range(len(parts))]
        made = None
        if any(segments):
            made = restore_codes(text, parts, segments, kind)
            tally.n_coded += made is not None
            tally.n_codes_left_out += made is None
        coded.append(made or "")
    return record._replace(source_coded=coded[0], target_coded=coded[1])


CHOOSING = "Choosing pairs"
PAGE = 1_000  # pairs per page: a cancel waits for one page
WRONG_VERDICT = "not of the wanted verdict"
BELOW_THRESHOLD = "score below the threshold"
NO_TAG = "without the wanted tag"
NO_TEXT = "no text on one side"
HIDDEN = "a sentence is hidden"


def open_pair_source(
    project: Project, params: ExportPairs, tally: ExportTally, report: Report
) -> PairSource:
    """Select the pairs of an export; the tally counts the pairs left out.

    Raises:
        UserError: there are no such pairs, or they lack the requested data.
    """
    report.step(CHOOSING, 0, 0)
    has_corpora = bool(params.source or params.target)
    if bool(params.pairs) == has_corpora:
        raise UserError(
            "Set either a pair set, or the source and the target corpus whose "
            "linked sentences to export."
        )
    if params.pairs:
        source = _mining_source(project.store, params, tally, report)
        mining = find_pair_set(project.store, params.pairs)
        corpora = (mining.source_corpus_id, mining.target_corpus_id)
        return add_documents(project.store, source, corpora)
    if not (params.source and params.target):
        raise UserError("Linked sentences need both the source and the target corpus.")
    if params.verdicts or params.tags or params.threshold is not None:
        raise UserError(
            "Linked sentences have no verdicts, tags or scores. Score the pair of "
            "corpora first, then export that pair set."
        )
    return _link_source(project, params, tally)


def _mining_source(
    store: Engine, params: ExportPairs, tally: ExportTally, report: Report
) -> PairSource:
    mining = find_pair_set(store, params.pairs)
    ids = read_pair_integers(store, mining.id, "id")
    report.step(CHOOSING, 1, 3)
    scores = read_scores(store, mining.id)
    is_hidden = _are_hidden(store, mining, len(ids))
    report.step(CHOOSING, 2, 3)
    if not params.with_candidates and mining.n_candidates:
        ids, scores = ids[: mining.n_pairs], scores[: mining.n_pairs]
    is_hidden = is_hidden[: len(ids)]
    tally.left_out[HIDDEN] += int(np.count_nonzero(is_hidden))
    ids, scores = ids[~is_hidden], scores[~is_hidden]
    current = read_current_verdicts(store, mining.id)
    params, notice = _with_default_verdicts(mining, current, params)
    ranges = read_judged_ranges(store)
    ids = ids[_are_wanted(store, mining, (ids, scores), current, params, tally)]
    header = pair_set_header(store, mining)

    def pages() -> Iterator[tuple[int, list[PairRecord]]]:
        for start in range(0, len(ids), PAGE):
            part = ids[start : start + PAGE].tolist()
            found = (texts for texts in read_pair_texts(store, part) if texts)
            records = [
                pair_set_record(header, texts, params, ranges) for texts in found
            ]
            yield len(part), _keep_good(records, params, tally)

    verdicts = params.verdicts if notice else ()
    found = np.bincount(current.of(ids), minlength=len(VERDICTS)).tolist()
    counts = {name: n for name, n in zip(VERDICTS, found, strict=True) if n}
    return PairSource(header, len(ids), pages(), notice, verdicts, counts)


def _with_default_verdicts(
    mining: PairSetRow, current: CurrentVerdicts, params: ExportPairs
) -> tuple[ExportPairs, str]:
    """Return the params with the default verdicts of a set, and a notice about them."""
    if params.verdicts:
        return params, ""
    verdicts: tuple[WantedVerdict, ...] = ("accept",)
    notice = "Only accepted pairs are included."
    if mining.kind == "aligned":
        verdicts = ("accept", "unjudged", "skip", "flag")
        notice = "All links but rejected ones are included."
    elif not current.verdicts.any():
        verdicts = ("all",)
        notice = "No pair is judged yet, so all pairs are included."
    return msgspec.structs.replace(params, verdicts=verdicts), notice


N_PREVIEWED = 5
MAX_COUNTED = 10_000  # maximum of pairs to read for an exact count


def preview_pair_export(project: Project, params: ExportPairs) -> PairExportPreview:
    """Return the number and the first pairs of an export.

    Raises:
        UserError: there are no such pairs.
    """
    source = open_pair_source(project, params, ExportTally(), Report())
    rows: list[tuple[str, str]] = []
    n, read = source.n, Counter[str]()
    for n_page, records in source.pages:
        n += len(records) - n_page
        read.update(record.verdict for record in records)
        rows += [(record.source, record.target) for record in records[:N_PREVIEWED]]
        if source.n > MAX_COUNTED and len(rows) >= N_PREVIEWED:
            break
    # If the loop did not break, all pairs were read.
    counts = dict(read) if read.total() == n else dict(source.counts)
    return PairExportPreview(
        n, rows[:N_PREVIEWED], source.notice, source.verdicts, counts
    )


def _are_hidden(store: Engine, mining: PairSetRow, n: int) -> NDArray[np.bool_]:
    """Return a mask of the pairs with a hidden sentence: bool (n,)."""
    found = np.zeros(n, bool)
    ends: tuple[tuple[int, PairIntegerColumn, PairIntegerColumn], ...] = (
        (mining.source_corpus_id, "source_id", "n_source"),
        (mining.target_corpus_id, "target_id", "n_target"),
    )
    for corpus_id, first, size in ends:
        hidden = hidden_ids(store, corpus_id)
        if not len(hidden):
            continue
        firsts = read_pair_integers(store, mining.id, first)
        sizes = read_pair_integers(store, mining.id, size)
        low, high = np.searchsorted(hidden, [firsts, firsts + sizes])
        found |= high > low
    return found


def _are_wanted(
    store: Engine,
    mining: PairSetRow,
    pairs: tuple[IdArray, NDArray[np.float64]],
    current: CurrentVerdicts,
    params: ExportPairs,
    tally: ExportTally,
) -> NDArray[np.bool_]:
    """Select pairs by verdict and tag, and unjudged pairs also by score.

    Args:
        mining: pair set.
        pairs: ids and scores, (p,) each.
        current: current judgements.
        tally: counts the pairs left out.

    Returns:
        Mask of the selected pairs, bool (p,).
    """
    ids, scores = pairs
    kept = np.ones(len(ids), bool)
    if "all" not in params.verdicts:
        wanted = {verdict.replace("unjudged", "") for verdict in params.verdicts}
        codes = [VERDICTS.index(verdict) for verdict in wanted]
        kept &= np.isin(current.of(ids), codes)
        tally.left_out[WRONG_VERDICT] += int(np.count_nonzero(~kept))
    if params.tags:
        tagged = [read_tagged_pairs(store, mining.id, tag) for tag in params.tags]
        has_tag = np.isin(ids, np.concatenate(tagged))
        tally.left_out[NO_TAG] += int(np.count_nonzero(kept & ~has_tag))
        kept &= has_tag
    if params.threshold is not None:
        is_low = (scores < params.threshold) & ~np.isin(ids, current.pair_ids)
        tally.left_out[BELOW_THRESHOLD] += int(np.count_nonzero(kept & is_low))
        kept &= ~is_low
    return kept


def _keep_good(
    records: list[PairRecord], params: ExportPairs, tally: ExportTally
) -> list[PairRecord]:
    """Clean pairs, and leave out pairs with a low score or without a text."""
    kept = []
    for record in map(tally.clean_record, records):
        is_low = params.threshold is not None and (
            record.score is None or record.score < params.threshold
        )
        if is_low:
            tally.left_out[BELOW_THRESHOLD] += 1
        elif not record.source.strip() or not record.target.strip():
            tally.left_out[NO_TEXT] += 1
        else:
            kept.append(record)
    return kept


def _link_source(
    project: Project, params: ExportPairs, tally: ExportTally
) -> PairSource:
    store = project.store
    source = find_corpus(store, params.source)
    target = find_corpus(store, params.target)
    links = read_links(store, source.id, target.id)
    source_places, target_places = active_links(project, (source, target), links)
    if not len(source_places):
        raise UserError(
            f"No sentence of {source.name} is linked with one of {target.name}. Import "
            "them as the sides of one parallel text, or mine pairs between them."
        )
    header = link_header(source, target)
    firsts = first_sentence_id(source.id), first_sentence_id(target.id)

    def pages() -> Iterator[tuple[int, list[PairRecord]]]:
        for start in range(0, len(source_places), PAGE):
            ids = [
                (places[start : start + PAGE] + first).tolist()
                for places, first in zip(
                    (source_places, target_places), firsts, strict=True
                )
            ]
            sides = [read_sentences(store, part) for part in ids]
            found = zip(*sides, strict=True)
            records = [link_record(one, two) for one, two in found if one and two]
            yield len(ids[0]), _keep_good(records, params, tally)

    made = PairSource(header, len(source_places), pages())
    return add_documents(store, made, (source.id, target.id))
