"""Pairs as they are exported: what is told of them all, and each with its facts."""

from sqlalchemy import Engine

from app import VERSION
from app.engine.store.pair_rows import MiningRow
from app.engine.store.pair_texts import PairTexts, SideText
from app.engine.store.rows import CorpusRow, SentenceRow, list_corpora
from app.engine.text.writers import PairHead, PairUnit
from app.params.exports import ExportPairs


def mining_head(store: Engine, mining: MiningRow) -> PairHead:
    """Tell what is known of a set of pairs."""
    known = {row.id: row for row in list_corpora(store, states=("ready", "deleted"))}
    source = known.get(mining.source_corpus_id)
    target = known.get(mining.target_corpus_id)
    return PairHead(
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


def mining_unit(head: PairHead, texts: PairTexts, params: ExportPairs) -> PairUnit:
    """Make a pair of a set, with its scores and what was said of it."""
    pair, judgement = texts.pair, texts.judgement
    source, target = texts.source, texts.target
    is_as_found = not (source.is_swapped or target.is_swapped)
    unit = PairUnit(
        id=str(pair.id),
        source=source.imported if params.as_imported else source.text,
        target=target.imported if params.as_imported else target.text,
        source_parts=_parts(source, params),
        target_parts=_parts(target, params),
        source_language=source.language or head.source_language,
        target_language=target.language or head.target_language,
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
        return unit
    return unit._replace(
        verdict=judgement.verdict,
        tags=tuple(judgement.tags),
        note=judgement.note,
        who=judgement.who,
        judged_at=judgement.created_at,
    )


def _parts(side: SideText, params: ExportPairs) -> tuple[str, ...]:
    """List the sentences of a side; what was written anew is one."""
    if side.is_edited and not params.as_imported:
        return (side.text,)
    return tuple(sentence.text for sentence in side.sentences)


def _score_of(texts: PairTexts) -> float | None:
    """Give the score of what is paired now; None: that pair was never scored."""
    pair = texts.pair
    if texts.source.is_swapped and texts.target.is_swapped:
        return None
    if texts.target.is_swapped:
        return pair.runner_up_score
    return pair.reverse_score if texts.source.is_swapped else pair.score


def link_head(source: CorpusRow, target: CorpusRow) -> PairHead:
    """Tell what is known of two corpora whose sentences are linked."""
    return PairHead(
        name=f"{source.name} – {target.name}",
        source_language=source.language,
        target_language=target.language,
        source_corpus=source.name,
        target_corpus=target.name,
        created_at=source.created_at,
        version=VERSION,
    )


def link_unit(source: SentenceRow, target: SentenceRow) -> PairUnit:
    """Make a pair of two linked sentences."""
    return PairUnit(
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


__all__ = ["link_head", "link_unit", "mining_head", "mining_unit"]
