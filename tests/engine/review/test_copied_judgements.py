"""Judgements of the same sentences in another pair set, copied in one step."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project
from app.engine.search.session import SearchSession
from app.engine.store.pairs.copied_judgements import find_same_judgements
from app.engine.store.pairs.sets import first_pair_id, read_current_judgements
from app.protocol.edits.general import Redo, Undo
from app.protocol.edits.pairs import (
    CopyJudgements,
    JudgePairs,
    JudgeRange,
    SetMiningState,
    SwapRunnerUp,
)
from app.protocol.queries.pairs import ThresholdQuery
from tests.engine.review.made import add_corpora, add_pairs, edit, verdicts

N = 6
OLD, NEW = first_pair_id(1), first_pair_id(2)


@pytest.fixture
def project(tmp_path: Path, data_dir: Path) -> Iterator[Project]:
    (data_dir / "settings.json").write_text('{"user_name": "Ada"}')
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpora(project, N)
        add_pairs(project, N)
        yield project


def test_judgements_are_copied_with_texts_authors_and_times_and_undone(
    project: Project, data_dir: Path
) -> None:
    edit(project, JudgePairs(pairs=(OLD,), verdict="accept", target_text="a vessel"))
    edit(project, SwapRunnerUp(pair=OLD + 1))
    edit(project, JudgePairs(pairs=(OLD + 1,), verdict="accept", note="better"))
    edit(project, JudgePairs(pairs=(OLD + 2, OLD + 3), verdict="reject"))
    edit(project, JudgePairs(pairs=(OLD + 3,), verdict=""))  # taken back
    assert find_same_judgements(project.store, 1) == (0, [])
    assert add_pairs(project, N) == 2
    edit(project, JudgePairs(pairs=(NEW + 2,), verdict="accept"))  # stays
    assert find_same_judgements(project.store, 2) == (2, [1])
    (data_dir / "settings.json").write_text('{"user_name": "Ben"}')
    done = edit(project, CopyJudgements(mining=2))
    assert done.text == "2 judgements copied from other pair sets."
    assert verdicts(project, 2, 4) == ["accept", "accept", "accept", ""]
    old = read_current_judgements(project.store, [OLD, OLD + 1])
    new = read_current_judgements(project.store, [NEW, NEW + 1])
    for n in range(2):
        copied, original = new[NEW + n], old[OLD + n]
        for name in ("source_id", "target_id", "target_text", "note", "created_at"):
            assert getattr(copied, name) == getattr(original, name)
        assert copied.who == "Ada"
    assert find_same_judgements(project.store, 2).n == 0
    edit(project, Undo())
    assert verdicts(project, 2, 4) == ["", "", "accept", ""]
    edit(project, Redo())
    assert verdicts(project, 2, 4) == ["accept", "accept", "accept", ""]


def test_copies_of_a_range_stay_unread_and_deleted_sets_have_none(
    project: Project,
) -> None:
    edit(project, JudgePairs(pairs=(OLD,), verdict="reject"))
    edit(project, JudgeRange(mining=1, verdict="accept"))
    add_pairs(project, N)
    assert edit(project, CopyJudgements(mining=2)).text.startswith("6 judgements")
    answer = answer_query(SearchSession(project), ThresholdQuery(mining=2))
    assert answer.n_judged == 1  # the others were not read
    edit(project, Undo())
    edit(project, SetMiningState(minings=(1,), state="deleted"))
    assert edit(project, CopyJudgements(mining=2)).text == (
        "No pair to judge is judged in another set."
    )
