"""Apply edits of pairs: append judgements, and edit pair sets."""

from itertools import compress
from typing import Any

from sqlalchemy import Connection, Row, select

from app.engine.edits.base import (
    NO_CHANGE,
    EditResult,
    clean_name,
    find_row,
    rename_row,
    set_row_states,
)
from app.engine.edits.manual_pairs import add_pair, remove_pair
from app.engine.store import schema
from app.engine.store.pairs.annotators import (
    is_annotator,
    newest_judgement_id,
    rename_annotator,
)
from app.engine.store.pairs.copied_judgements import copy_same_judgements
from app.engine.store.pairs.judgements import (
    NO_NAMES,
    VERDICT_PARTICIPLES,
    PairNames,
    PairState,
    ScoreRange,
    append_judgements,
    append_previous_states,
    append_range,
    append_step_again,
    describe_step,
    next_step,
    read_pair_states,
    read_step_states,
)
from app.engine.store.pairs.packages import set_opinions_merged
from app.engine.store.pairs.sets import first_pair_id, pair_set_of
from app.engine.text.normalisation import clean_text
from app.errors import UserError
from app.plurals import count_text
from app.protocol.edits.pairs import (
    MAX_PAIRS,
    AddPair,
    CopyJudgements,
    JudgePairs,
    JudgeRange,
    PairChange,
    RemovePair,
    RenameAnnotator,
    RenameMining,
    SetMerge,
    SetMiningState,
    SwapRunnerUp,
    UndoJudgement,
)
from app.quotations import quote_first_words


def apply_pair_edit(connection: Connection, change: PairChange, who: str) -> EditResult:
    """Apply one change.

    Raises:
        UserError: the pair, the step or the pair set does not exist.
    """
    match change:
        case JudgePairs():
            return _judge(connection, change, who)
        case SwapRunnerUp():
            return _swap(connection, change, who)
        case JudgeRange():
            return _judge_range(connection, change, who)
        case CopyJudgements():
            return _copy_judgements(connection, change)
        case UndoJudgement():
            return _undo(connection, change)
        case SetMerge():
            return _set_merge(connection, change)
        case RenameAnnotator():
            return _rename_annotator(connection, change)
        case RenameMining():
            return _rename(connection, change)
        case SetMiningState():
            return _set_state(connection, change)
        case AddPair():
            return add_pair(connection, change)
        case RemovePair():
            return remove_pair(connection, change)


def _judge(connection: Connection, change: JudgePairs, who: str) -> EditResult:
    step = next_step(connection)
    ids = list(dict.fromkeys(change.pairs))
    current = read_pair_states(connection, ids)
    if len(current) < len(ids):
        raise UserError("The pair is not in the project any more.")
    before = [current[id_] for id_ in ids]
    after = [_judged(one, change)._replace(who=who, origin="") for one in before]
    if change.verdict is None:  # only a repeated verdict is a new judgement
        is_new = [
            old._replace(who=who, origin="") != new
            for old, new in zip(before, after, strict=True)
        ]
        before, after = list(compress(before, is_new)), list(compress(after, is_new))
    return _append(connection, step, before, after, is_given=change.verdict is not None)


def _append(
    connection: Connection,
    step: int,
    before: list[PairState],
    after: list[PairState],
    *,
    is_given: bool = False,
) -> EditResult:
    """Append the new states, and describe the differences."""
    if not after:
        return NO_CHANGE
    append_judgements(connection, step, after, is_given=is_given)
    names = NO_NAMES
    if len(after) == 1:  # its sentences are other ones, not earlier ones again
        names = _name_texts(connection, after[0])._replace(source="", target="")
    text = describe_step(before, after, names)
    changed = [("pair", row.pair_id) for row in after]
    return EditResult(after[0].pair_id, text, UndoJudgement(step=step), changed)


def _judged(current: PairState, change: JudgePairs) -> PairState:
    """Return the state of a pair after a change."""
    values: dict[str, Any] = {}
    if change.verdict is not None:
        values["verdict"] = change.verdict
    for side in ("source_text", "target_text"):
        text = getattr(change, side)
        if text is not None:
            values[side] = clean_text(text)[0] or None
    if change.note is not None:
        values["note"] = change.note
    tags = [tag for tag in current.tags if tag not in change.remove_tags]
    tags += [tag for tag in dict.fromkeys(change.add_tags) if tag not in tags]
    return current._replace(tags=tuple(tags), **values)


def _swap(connection: Connection, change: SwapRunnerUp, who: str) -> EditResult:
    """Swap in the runner-up or the original sentence; the pair becomes unjudged.

    Edits of the sentence that it replaces are removed.
    """
    step = next_step(connection)
    table = schema.pair
    query = select(table).where(table.c.id == change.pair)
    row = connection.execute(query).one_or_none()
    if row is None:
        raise UserError("The pair is not in the project any more.")
    is_source = change.side == "source"
    own = row.source_id if is_source else row.target_id
    other = row.reverse_id if is_source else row.runner_up_id
    if other is None:
        raise UserError(f"The pair has no runner-up for its {change.side}.")
    current = read_pair_states(connection, [change.pair])[change.pair]
    present = current.source_id if is_source else current.target_id
    values: dict[str, Any] = {
        f"{change.side}_id": other if present == own else own,
        f"{change.side}_text": None,
        "verdict": "",
        "who": who,
        "origin": "",
    }
    after, is_judged = current._replace(**values), bool(current.verdict)
    done = _append(connection, step, [current], [after], is_given=is_judged)
    what = "the runner-up" if present == own else "the original sentence"
    text = f"Swapped in {what} as {change.side}."
    if is_judged:
        text += f" The pair is {VERDICT_PARTICIPLES['']}."
    return done._replace(text=text)


def _judge_range(connection: Connection, change: JudgeRange, who: str) -> EditResult:
    """Judge the selected pairs in a range of scores."""
    step = next_step(connection)
    mining = _mining(connection, change.mining)
    first, last = first_pair_id(mining.id), first_pair_id(mining.id + 1) - 1
    if mining.n_candidates:
        last = first + mining.n_pairs - 1
    where = ScoreRange(first, last, change.lowest, change.highest, change.which)
    n = append_range(connection, step, where, change.verdict, who)
    if not n:
        return NO_CHANGE._replace(text="There are no pairs in this range.")
    what = f"{n:,} pairs are" if n > 1 else "1 pair is"
    text = f"{what} {VERDICT_PARTICIPLES[change.verdict]}."
    changed = [("judgements", mining.id)]
    return EditResult(mining.id, text, UndoJudgement(step=step), changed)


def _copy_judgements(connection: Connection, change: CopyJudgements) -> EditResult:
    step = next_step(connection)
    mining = _mining(connection, change.mining)
    n = copy_same_judgements(connection, mining.id, step)
    if not n:
        return NO_CHANGE._replace(text="No pair to judge is judged in another set.")
    text = f"{count_text(n, 'judgement')} copied from other pair sets."
    changed = [("judgements", mining.id)]
    return EditResult(mining.id, text, UndoJudgement(step=step), changed)


def _undo(connection: Connection, change: UndoJudgement) -> EditResult:
    step = next_step(connection)
    n = append_previous_states(connection, step, change.step)
    if not n:
        raise UserError(f"The judgements of step {change.step} do not exist.")
    inverse = UndoJudgement(step=step)
    if n <= MAX_PAIRS:
        before, after = read_step_states(connection, step, n)
        changed = [("pair", row.pair_id) for row in after]
        names = _name_texts(connection, after[0]) if n == 1 else NO_NAMES
        text = describe_step(before, after, names) or "The pair is as before."
        return EditResult(after[0].pair_id, text, inverse, changed)
    (first, *_), _ = read_step_states(connection, step, 1)
    mining = pair_set_of(first.pair_id)  # a step with many pairs is of one mining
    text = f"{n:,} pairs have their earlier judgements again."
    return EditResult(mining, text, inverse, [("judgements", mining)])


def _name_texts(connection: Connection, state: PairState) -> PairNames:
    """Name a pair by the first words of its source, each side by its own."""
    source = _quote(connection, state.source_id, state.source_text)
    target = _quote(connection, state.target_id, state.target_text)
    table = schema.mining
    kind = select(table.c.kind).where(table.c.id == pair_set_of(state.pair_id))
    is_link = connection.scalar(kind) == "aligned"
    name = f"the {'link' if is_link else 'pair'} {source}".rstrip()
    return PairNames(name, source, target, is_link)


def _quote(connection: Connection, sentence_id: int, edited: str | None) -> str:
    """Quote the first words of a side: “The boat was …”; empty if there is no text."""
    table = schema.sentence
    query = select(table.c.text).where(table.c.id == sentence_id)
    return quote_first_words(edited or connection.scalar(query) or "")


def _set_merge(connection: Connection, change: SetMerge) -> EditResult:
    """Withdraw a merge or repeat it: opinions, and the judgements that apply."""
    step = next_step(connection)
    first, last = change.first_opinion, change.last_opinion
    pair_id, annotator = set_opinions_merged(
        connection, first, last, is_merged=change.is_merged
    )
    if change.step and change.is_merged:
        append_step_again(connection, step, change.step)
    elif change.step:
        append_previous_states(connection, step, change.step)
    opposite = SetMerge(
        step=step if change.step else 0,
        first_opinion=first,
        last_opinion=last,
        is_merged=not change.is_merged,
    )
    mining = pair_set_of(pair_id)
    merged = count_text(last - first + 1, "judgement")
    done = "Merged" if change.is_merged else "Removed"
    text = f"{done} {merged} of {annotator}."
    return EditResult(mining, text, opposite, [("judgements", mining)])


def _rename_annotator(connection: Connection, change: RenameAnnotator) -> EditResult:
    """Rename an annotator to an unused name.

    The inverse also restores the name in later judgements appended by an undo, since
    they repeat a verdict from before the renaming.
    """
    old, new, until = change.old, change.new, change.until
    if until is None and old != new:
        if not new:
            raise UserError("The annotator needs a name. Enter one.")
        if is_annotator(connection, new):
            raise UserError(
                f"{new} already has judgements in this project. Enter another name, or "
                f"keep the earlier judgements under the name {old or 'that they have'}."
            )
        until = newest_judgement_id(connection)
    if until is None:
        return NO_CHANGE
    n, minings = rename_annotator(connection, old, new, until)
    if not n:
        return NO_CHANGE
    named = f"the name {new}" if new else "no name"
    text = f"The judgements of {count_text(n, 'pair')} now have {named}."
    inverse = RenameAnnotator(old=new, new=old, until=until)
    return EditResult(
        minings[0], text, inverse, [("judgements", id_) for id_ in minings]
    )


def _rename(connection: Connection, change: RenameMining) -> EditResult:
    old = _mining(connection, change.mining)
    name = clean_name(change.name, "The name of the pair set is empty. Enter a name.")
    return rename_row(connection, schema.mining, change, old, name)


def _set_state(connection: Connection, change: SetMiningState) -> EditResult:
    """Delete or restore those pair sets that have another state."""
    for id_ in change.minings:
        _mining(connection, id_)  # exists and is complete
    return set_row_states(connection, schema.mining, change)


def _mining(connection: Connection, mining_id: int) -> Row[Any]:
    """Read a complete pair set."""
    missing = "This pair set is not in the project any more."
    row = find_row(connection, schema.mining, mining_id, missing)
    if row.state not in ("ready", "deleted"):
        raise UserError(missing)
    return row
