"""Renaming of an annotator, with undo, but not to another annotator's name."""

from pathlib import Path

import pytest

from app.engine.project.project import Project, create_project, open_project
from app.engine.review.agreement import measure_agreement
from app.engine.store.pairs.annotators import count_judged_by, has_judgements
from app.engine.store.pairs.history import read_judged_steps
from app.engine.store.pairs.sets import read_all_current_judgements
from app.errors import UserError
from app.paths import settings_file
from app.protocol.edits.general import Redo, Undo
from app.protocol.edits.pairs import JudgePairs, JudgeRange, RenameAnnotator
from app.settings import Settings, save_settings
from tests.engine.review.made import edit
from tests.engine.review.packages.handing import hand_back, hand_over, merge, take
from tests.views.reviewing import make_pairs, pair_id

N = 6


@pytest.fixture
def mining(tmp_path: Path) -> int:
    return make_pairs(tmp_path / "mine.isogloss", N)


def judge_as(who: str, project: Project, pair: int, verdict: str = "accept") -> None:
    save_settings(Settings(user_name=who), settings_file())
    edit(project, JudgePairs(pairs=(pair,), verdict=verdict))  # type: ignore[arg-type]


def names(project: Project, mining: int) -> list[str]:
    return [row.who for row in read_all_current_judgements(project.store, mining)]


def test_earlier_judgements_get_the_new_name_and_undo_restores_the_old_one(
    tmp_path: Path, mining: int
) -> None:
    first, second, third = (pair_id(mining, index) for index in range(3))
    with open_project(tmp_path / "mine.isogloss") as project:
        for pair in (first, second):
            judge_as("root", project, pair)
        assert count_judged_by(project.store, "root") == 2
        answer = edit(project, RenameAnnotator(old="root", new="Ada"))
        assert answer.text == "The judgements of 2 pairs now have the name Ada."
        assert names(project, mining) == ["Ada", "Ada"]
        assert {step.row.who for step in read_judged_steps(project.store)} == {"Ada"}
        for pair in (first, third):  # the first one once more, and a new one
            judge_as("Ada", project, pair, "reject")
        edit(project, Undo(n=3))
        assert names(project, mining) == ["root", "root", ""]
        assert not has_judgements(project.store, "Ada")
        edit(project, Redo())
        assert names(project, mining) == ["Ada", "Ada", ""]
        assert count_judged_by(project.store, "root") == 0


def test_judgements_of_a_range_and_of_one_pair_are_named(
    tmp_path: Path, mining: int
) -> None:
    with open_project(tmp_path / "mine.isogloss") as project:
        save_settings(Settings(user_name="root"), settings_file())
        edit(project, JudgeRange(mining=mining, verdict="accept"))
        edit(project, RenameAnnotator(old="root", new="Ada"))
        assert names(project, mining) == ["Ada"] * N
        with pytest.raises(UserError, match="needs a name"):
            edit(project, RenameAnnotator(old="Ada", new=""))


def test_two_annotators_never_become_one(tmp_path: Path, mining: int) -> None:
    pair, other = pair_id(mining, 0), pair_id(mining, 1)
    with open_project(tmp_path / "mine.isogloss") as project:
        judge_as("Ada", project, pair)
        judge_as("Eve", project, other)
        with pytest.raises(UserError, match="Eve already has judgements"):
            edit(project, RenameAnnotator(old="Ada", new="Eve"))
        assert names(project, mining) == ["Ada", "Eve"]


def test_agreement_follows_and_the_name_of_a_merged_annotator_is_refused(
    tmp_path: Path, mining: int
) -> None:
    judged, ids = tmp_path / "judged.pairs.gz", [pair_id(mining, n) for n in range(2)]
    with open_project(tmp_path / "mine.isogloss") as project:
        judge_as("root", project, ids[0])
        hand_over(project, tmp_path / "p.pairs.gz", pairs=str(mining))
    with create_project(tmp_path / "other.isogloss") as project:
        row, taken = take(project, tmp_path / "p.pairs.gz")
        edit(project, JudgePairs(pairs=tuple(taken[:2]), verdict="reject"))
        hand_back(project, judged, pairs=str(row.id))
    with open_project(tmp_path / "mine.isogloss") as project:
        merge(project, judged)
        before = measure_agreement(project.store, mining)
        with pytest.raises(UserError, match="Ben already has judgements"):
            edit(project, RenameAnnotator(old="root", new="Ben"))
        edit(project, RenameAnnotator(old="root", new="Ada"))
        assert names(project, mining) == ["Ada", "Ben"]
        after = measure_agreement(project.store, mining)
        assert [one.who for one in before.annotators] == ["Ben", "root"]
        assert [one.who for one in after.annotators] == ["Ada", "Ben"]
        assert after.raw == before.raw
        assert after.n_conflicts == before.n_conflicts == 1
        edit(project, RenameAnnotator(old="Ben", new="Benjamin"))  # made elsewhere
        assert names(project, mining) == ["Ada", "Ben"]
