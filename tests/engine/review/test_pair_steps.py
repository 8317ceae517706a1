"""Judging: current judgements, answers, undo and redo after a restart."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select

from app.engine.edits.journal import apply_edit
from app.engine.project.project import Project, create_project, open_project
from app.engine.store import schema
from app.engine.store.pairs.sets import (
    first_pair_id,
    list_pair_sets,
    read_current_judgements,
)
from app.engine.store.pairs.texts import read_pair_texts
from app.errors import UserError
from app.paths import settings_file
from app.protocol.answers.edits import EditAnswer
from app.protocol.edits.general import Redo, Undo
from app.protocol.edits.pairs import (
    JudgePairs,
    JudgeRange,
    RenameMining,
    SetMiningState,
    SwapRunnerUp,
    UndoJudgement,
)
from app.settings import Settings, save_settings
from tests.engine.review.made import add_corpora, add_pairs, edit, verdicts

FIRST = first_pair_id(1)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "port.isogloss") as project:
        add_corpora(project)
        add_pairs(project)
        yield project


def n_rows(project: Project) -> int:
    with project.store.connect() as connection:
        query = select(func.count()).select_from(schema.judgement)
        return connection.scalar(query) or 0


def test_a_judgement_is_appended_told_and_said(project: Project) -> None:
    told: list[tuple[str, int]] = []
    change = JudgePairs(pairs=(FIRST + 2,), verdict="accept", add_tags=("sea",))
    answer = apply_edit(project, change, lambda kind, id_: told.append((kind, id_)))
    assert answer == EditAnswer(
        FIRST + 2,
        "The pair “Schiff 2” is accepted. The pair is tagged sea.",
        can_undo=True,
        can_redo=False,
    )
    assert told == [("pair", FIRST + 2)]
    edit(project, JudgePairs(pairs=(FIRST + 2,), note="high tide"))
    (held,) = read_current_judgements(project.store, [FIRST + 2]).values()
    assert (held.verdict, held.tags, held.note) == ("accept", ["sea"], "high tide")
    assert n_rows(project) == 2


def test_undo_and_redo_go_on_after_a_restart(project: Project) -> None:
    folder = project.folder
    edit(project, JudgePairs(pairs=(FIRST, FIRST + 1), verdict="accept"))
    edit(project, JudgePairs(pairs=(FIRST + 1,), verdict="reject"))
    edit(project, RenameMining(mining=1, name="quay"))
    project.close()
    with open_project(folder) as again:
        assert edit(again, Undo()).text == "Undone. Renamed quay to letters."
        undone = edit(again, Undo()).text
        assert undone == "Undone. The pair “Schiff 1” is accepted."
        assert verdicts(again, 1, 2) == ["accept", "accept"]
        answer = edit(again, Undo())
        assert answer.text == "Undone. 2 pairs are not judged any more."
        assert (answer.can_undo, answer.can_redo) == (False, True)
        assert verdicts(again, 1, 2) == ["", ""]
        for _ in range(3):
            edit(again, Redo())
        assert verdicts(again, 1, 2) == ["accept", "reject"]
        assert [row.name for row in list_pair_sets(again.store)] == ["quay"]
        assert n_rows(again) == 3 + 3 + 3  # nothing was taken away


def test_undo_names_the_pair_by_the_first_words_of_its_source(
    project: Project,
) -> None:
    long = "Das alte Schiff liegt seit dem Morgen im Hafen und {wartet}."
    edit(project, JudgePairs(pairs=(FIRST,), verdict="accept"))
    edit(project, JudgePairs(pairs=(FIRST,), source_text=long))
    edit(project, JudgePairs(pairs=(FIRST,), verdict="reject"))
    assert edit(project, Undo()).text == (
        "Undone. The pair “Das alte Schiff liegt seit dem Morgen…” is accepted."
    )
    reset = "Undone. The source of the pair “Schiff 0” is reset."
    assert edit(project, Undo()).text == reset
    undone = "Undone. The pair “Schiff 0” is not judged any more."
    assert edit(project, Undo()).text == undone


def test_texts_are_edited_cleaned_and_brought_back(project: Project) -> None:
    edit(project, JudgePairs(pairs=(FIRST,), target_text="a\u0308 ship\x07 "))
    (texts,) = read_pair_texts(project.store, [FIRST])
    assert texts is not None
    assert (texts.target.text, texts.target.imported) == ("ä ship", "ship 0")
    assert texts.target.is_edited
    assert not texts.source.is_edited
    answer = edit(project, JudgePairs(pairs=(FIRST,), target_text=""))
    assert answer.text == "The target of the pair “Schiff 0” is reset."
    answer = edit(project, JudgePairs(pairs=(FIRST,), target_text=""))
    assert answer.text == "There was nothing to change."


def test_a_runner_up_is_swapped_in_and_back(project: Project) -> None:
    edit(project, JudgePairs(pairs=(FIRST,), target_text="a ship", verdict="flag"))
    answer = edit(project, SwapRunnerUp(pair=FIRST))
    assert answer.text == (
        "Swapped in the runner-up as target. The pair is not judged any more."
    )
    (texts,) = read_pair_texts(project.store, [FIRST])
    assert texts is not None
    assert (texts.target.text, texts.target.is_swapped) == ("ship 1", True)
    assert (texts.source.text, texts.source.is_swapped) == ("Schiff 0", False)
    assert texts.judgement is not None
    assert texts.judgement.verdict == ""  # the flag was for the other target
    assert edit(project, Undo()).text == (
        "Undone. The pair “Schiff 0” is flagged. "
        "The target of the pair is “a ship” again."
    )
    (texts,) = read_pair_texts(project.store, [FIRST])
    assert texts is not None
    assert texts.judgement is not None
    assert (texts.target.text, texts.judgement.verdict) == ("a ship", "flag")
    edit(project, Redo())
    assert verdicts(project, 1, 1) == [""]
    answer = edit(project, SwapRunnerUp(pair=FIRST))
    assert answer.text == "Swapped in the original sentence as target."
    answer = edit(project, SwapRunnerUp(pair=FIRST, side="source"))
    assert answer.text == "Swapped in the runner-up as source."  # it was not judged
    (texts,) = read_pair_texts(project.store, [FIRST])
    assert texts is not None
    assert (texts.source.text, texts.target.text) == ("Schiff 1", "ship 0")
    with pytest.raises(UserError, match="no runner-up for its target"):
        edit(project, SwapRunnerUp(pair=FIRST + 5))


def test_an_undo_restores_the_author_and_the_time(
    project: Project, data_dir: Path
) -> None:
    save_settings(Settings(user_name="Ada"), settings_file())
    edit(project, JudgePairs(pairs=(FIRST,), verdict="accept"))
    before = read_current_judgements(project.store, [FIRST])[FIRST]
    save_settings(Settings(user_name="Ben"), settings_file())
    edit(project, SwapRunnerUp(pair=FIRST))
    edit(project, JudgePairs(pairs=(FIRST + 1,), verdict="accept"))
    edit(project, Undo(n=2))
    held = read_current_judgements(project.store, [FIRST, FIRST + 1])
    assert (held[FIRST].who, held[FIRST].created_at) == ("Ada", before.created_at)
    assert (held[FIRST + 1].who, held[FIRST + 1].created_at) == ("", 0)  # never judged


def test_a_range_of_scores_is_judged_and_taken_back_in_one_step(
    project: Project,
) -> None:
    edit(project, JudgePairs(pairs=(FIRST + 1,), verdict="flag", note="kept"))
    told: list[tuple[str, int]] = []
    change = JudgeRange(mining=1, verdict="accept", lowest=1.0, highest=1.375)
    answer = apply_edit(project, change, lambda kind, id_: told.append((kind, id_)))
    assert answer.text == "3 pairs are accepted."
    assert told == [("judgements", 1)]
    assert verdicts(project, 1) == ["", "flag", "accept", "accept", "accept", ""]
    edit(project, JudgeRange(mining=1, verdict="reject", which="all", highest=1.375))
    assert verdicts(project, 1) == ["", *["reject"] * 5]
    assert read_current_judgements(project.store, [FIRST + 1])[FIRST + 1].note == "kept"
    edit(project, Undo())
    assert verdicts(project, 1) == ["", "flag", "accept", "accept", "accept", ""]
    edit(project, Undo())
    assert verdicts(project, 1) == ["", "flag", "", "", "", ""]
    change = JudgeRange(mining=1, verdict="skip", lowest=9)
    assert edit(project, change).text == "There are no pairs in this range."


def test_pairs_that_were_not_taken_are_not_judged_in_one_go(project: Project) -> None:
    mining = add_pairs(project, n_candidates=4)
    answer = edit(project, JudgeRange(mining=mining, verdict="accept"))
    assert answer.text == "2 pairs are accepted."


def test_an_older_step_is_taken_back_alone_and_that_taken_back_too(
    project: Project,
) -> None:
    edit(project, JudgePairs(pairs=(FIRST,), verdict="accept"))
    edit(project, JudgePairs(pairs=(FIRST + 1,), verdict="reject"))
    edit(project, UndoJudgement(step=1))
    assert verdicts(project, 1, 2) == ["", "reject"]
    edit(project, Undo())
    assert verdicts(project, 1, 2) == ["accept", "reject"]


def test_what_is_gone_is_refused_in_a_sentence(project: Project) -> None:
    for change in (JudgePairs(pairs=(5,), verdict="skip"), SwapRunnerUp(pair=5)):
        with pytest.raises(UserError, match="pair is not in the project any more"):
            edit(project, change)
    with pytest.raises(UserError, match="pair set is not in the project"):
        edit(project, JudgeRange(mining=7, verdict="accept"))
    with pytest.raises(UserError, match="step 7 do not exist"):
        edit(project, UndoJudgement(step=7))
    with pytest.raises(UserError, match="name of the pair set is empty"):
        edit(project, RenameMining(mining=1, name="\x07"))
    assert n_rows(project) == 0


def test_a_set_of_pairs_is_deleted_and_brought_back(project: Project) -> None:
    change = SetMiningState(minings=(1,), state="deleted")
    assert edit(project, change).text == "Deleted the pair set “letters”."
    assert edit(project, change).text == "There was nothing to change."
    assert list_pair_sets(project.store) == []
    edit(project, Undo())
    assert len(list_pair_sets(project.store)) == 1


def test_a_tag_may_hold_any_sign(project: Project) -> None:
    change = JudgePairs(pairs=(FIRST, FIRST + 1), note="{1}", add_tags=("{x}",))
    assert edit(project, change).text == (
        "The note on 2 pairs is saved. 2 pairs are tagged {x}."
    )
