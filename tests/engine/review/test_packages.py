"""Two annotators: what is handed over, judged, handed back, merged and settled."""

import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import func, select

from app.engine.project import Project, create_project
from app.engine.queries import SearchDesk, answer_query
from app.engine.report import Report
from app.engine.review import package_file
from app.engine.runs import queue_run
from app.engine.store import schema
from app.engine.store.pair_rows import (
    MiningRow,
    first_pair_id,
    list_minings,
    read_judgements,
)
from app.engine.store.pair_texts import PairTexts, read_pair_texts
from app.engine.store.rows import list_corpora, read_context
from app.engine.tasks.export_package import export_package
from app.engine.tasks.merge_package import MergePackageResult, merge_package
from app.engine.tasks.open_package import open_package
from app.engine.tasks.return_package import return_package
from app.errors import Cancelled, UserError
from app.messages import Undo
from app.pair_changes import JudgePairs, JudgeRange, SwapRunnerUp
from app.pair_questions import AgreementQuery, ExplainQuery, QueueQuery, ThresholdQuery
from app.params import build_params
from app.params.packages import (
    ExportPackage,
    MergePackage,
    OpenPackage,
    ReturnPackage,
)
from tests.engine.review.made import add_corpora, add_pairs, edit, verdicts

N = 12
FIRST = first_pair_id(1)


@pytest.fixture
def here(tmp_path: Path, data_dir: Path) -> Iterator[Project]:
    with create_project(tmp_path / "here.isogloss") as project:
        add_corpora(project, N)
        add_pairs(project, N)
        yield project


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "there.isogloss") as project:
        yield project


def hand_over(here: Project, file: Path, **fields: Any) -> None:
    values = {"pairs": "letters", "out": file, "order": "score", **fields}
    export_package(here, build_params(ExportPackage, values), Report())


def take(there: Project, file: Path) -> tuple[MiningRow, list[int]]:
    """Open a package; gives the pairs' ids too."""
    result = open_package(there, OpenPackage(package=file), Report())
    row = next(one for one in list_minings(there.store) if one.id == result.mining)
    return row, [first_pair_id(row.id) + i for i in range(row.n_pairs)]


def hand_back(there: Project, file: Path, who: str = "Ben") -> None:
    params = ReturnPackage(pairs="letters", out=file, annotator=who)
    return_package(there, params, Report())


def merge(here: Project, file: Path, who: str = "") -> MergePackageResult:
    return merge_package(here, MergePackage(package=file, annotator=who), Report())


def count(project: Project, table: Any) -> int:
    with project.store.connect() as connection:
        return connection.scalar(select(func.count()).select_from(table)) or 0


def texts_of(project: Project, pair: int) -> PairTexts:
    (texts,) = read_pair_texts(project.store, [pair])
    assert texts is not None
    return texts


def ask(project: Project) -> dict[str, Any]:
    return answer_query(SearchDesk(project), AgreementQuery(mining=1))


def conflicts(project: Project) -> list[int]:
    query = QueueQuery(mining=1, which="conflict")
    answer = answer_query(SearchDesk(project), query)
    return [int(id_) for id_ in np.load(project.folder / answer["file"]) - FIRST]


def test_a_package_holds_pairs_with_their_surroundings_and_nothing_said_of_them(
    here: Project, there: Project, tmp_path: Path
) -> None:
    edit(here, JudgePairs(pairs=(FIRST,), verdict="reject", target_text="edited"))
    hand_over(here, tmp_path / "p", n=3)
    row, ids = take(there, tmp_path / "p")
    assert (row.name, row.kind, row.n_pairs, row.margin) == (
        "letters",
        "package",
        3,
        "",
    )
    assert row.report["is_blind"]
    found = [texts_of(there, id_) for id_ in ids]
    assert [(one.source.text, one.target.text) for one in found] == [
        ("Schiff 0", "ship 0"),
        ("Schiff 1", "ship 1"),
        ("Schiff 2", "ship 2"),
    ]
    assert {one.pair.score for one in found} == {0}
    assert all(one.judgement is None for one in found)
    assert (found[2].source.language, found[2].source.line) == ("de", 3)
    around = read_context(there.store, found[2].pair.source_id)
    assert [row.text for row in around] == [f"Schiff {i}" for i in range(5)]
    names = [corpus.name for corpus in list_corpora(there.store)]
    assert names == ["Hafen", "harbour"]
    told = answer_query(SearchDesk(there), ExplainQuery(pair=ids[0]))
    assert told["text"].startswith("Of a pair that was handed over nothing is")
    assert told["strip"] is None
    estimate = answer_query(SearchDesk(there), ThresholdQuery(mining=row.id))
    assert estimate["text"].startswith(
        "The pairs were handed over without their scores"
    )
    packed = gzip.decompress((tmp_path / "p").read_bytes())
    assert b"edited" not in packed
    assert b"reject" not in packed


def test_scores_are_handed_over_where_they_are_asked_for(
    here: Project, there: Project, tmp_path: Path
) -> None:
    hand_over(here, tmp_path / "p", n=2, with_scores=True)
    row, ids = take(there, tmp_path / "p")
    told = answer_query(SearchDesk(there), ExplainQuery(pair=ids[0]))
    assert told["text"].startswith("The score 1.500 is the cosine 0.750 ")
    assert row.margin == "ratio"
    assert [texts_of(there, id_).pair.score for id_ in ids] == [1.5, 1.375]


def test_what_was_left_out_between_sentences_is_marked(
    here: Project, there: Project, tmp_path: Path
) -> None:
    for place in range(1, N - 2):
        edit(here, JudgePairs(pairs=(FIRST + place,), verdict="accept"))
    hand_over(here, tmp_path / "p", which="unjudged")
    _, ids = take(there, tmp_path / "p")
    around = read_context(
        there.store, texts_of(there, ids[1]).pair.source_id, n_around=3
    )
    # the last but one pair; before it come its runner-up's neighbours
    assert [row.text for row in around][:3] == ["[…]", "Schiff 8", "Schiff 9"]


def test_judgements_come_back_and_hold_where_nobody_had_judged(
    here: Project, there: Project, tmp_path: Path
) -> None:
    hand_over(here, tmp_path / "p", n=6)
    _, ids = take(there, tmp_path / "p")
    edit(there, JudgePairs(pairs=tuple(ids[:3]), verdict="accept"))
    edit(
        there, JudgePairs(pairs=(ids[3],), verdict="reject", note="no", add_tags=("x",))
    )
    edit(there, SwapRunnerUp(pair=ids[1]))
    hand_back(there, tmp_path / "b")
    edit(here, JudgePairs(pairs=(FIRST, FIRST + 3), verdict="accept"))
    result = merge(here, tmp_path / "b")
    assert (result.judgements, result.new, result.holding) == (4, 4, 2)
    assert result.conflicts == 1
    assert verdicts(here, 1, 5) == ["accept"] * 4 + [""]
    assert texts_of(here, FIRST + 1).target.text == "ship 2"  # swapped there
    held = read_judgements(here.store, [FIRST, FIRST + 1])
    assert [held[FIRST + i].who for i in (0, 1)] == ["", "Ben"]
    assert conflicts(here) == [3]


def test_merging_again_appends_only_what_changed(
    here: Project, there: Project, tmp_path: Path
) -> None:
    hand_over(here, tmp_path / "p", n=4)
    _, ids = take(there, tmp_path / "p")
    edit(there, JudgePairs(pairs=tuple(ids), verdict="accept"))
    hand_back(there, tmp_path / "b")
    merge(here, tmp_path / "b")
    before = count(here, schema.opinion), count(here, schema.judgement)
    again = merge(here, tmp_path / "b")
    assert (again.new, again.message) == (
        0,
        "Every judgement of Ben was merged before.",
    )
    assert (count(here, schema.opinion), count(here, schema.judgement)) == before
    edit(there, JudgePairs(pairs=(ids[2],), verdict="reject"))
    hand_back(there, tmp_path / "c")
    assert merge(here, tmp_path / "c").new == 1
    assert verdicts(here, 1, 4) == ["accept", "accept", "reject", "accept"]


def test_a_conflict_is_settled_by_a_verdict_alone_and_undone(
    here: Project, there: Project, tmp_path: Path
) -> None:
    edit(here, JudgePairs(pairs=(FIRST, FIRST + 1), verdict="accept"))
    hand_over(here, tmp_path / "p", n=2)
    _, ids = take(there, tmp_path / "p")
    edit(there, JudgePairs(pairs=tuple(ids), verdict="reject"))
    hand_back(there, tmp_path / "b")
    merge(here, tmp_path / "b")
    assert conflicts(here) == [0, 1]
    edit(here, JudgePairs(pairs=(FIRST,), note="let us talk"))
    assert conflicts(here) == [0, 1]
    edit(here, JudgePairs(pairs=(FIRST,), verdict="accept"))
    assert conflicts(here) == [1]
    edit(here, Undo())
    assert conflicts(here) == [0, 1]
    edit(here, JudgePairs(pairs=(FIRST + 1,), verdict="reject"))
    assert conflicts(here) == [0]
    assert ask(here)["raw"][0] == 0  # what was said before they knew


def test_agreement_is_that_of_a_table_worked_out_by_hand(
    here: Project, there: Project, tmp_path: Path
) -> None:
    assert ask(here)["text"].startswith("No pair was judged by two people")
    # both accept 4, both reject 2, one accepts 1: po = 6 / 7
    edit(here, JudgePairs(pairs=tuple(FIRST + i for i in range(5)), verdict="accept"))
    edit(here, JudgePairs(pairs=(FIRST + 5, FIRST + 6), verdict="reject"))
    edit(here, JudgePairs(pairs=(FIRST + 7,), verdict="skip"))
    hand_over(here, tmp_path / "p")
    _, ids = take(there, tmp_path / "p")
    edit(there, JudgePairs(pairs=tuple(ids[:4]), verdict="accept"))
    edit(there, JudgePairs(pairs=tuple(ids[4:]), verdict="reject"))
    hand_back(there, tmp_path / "b")
    merge(here, tmp_path / "b")
    edit(here, JudgePairs(pairs=(FIRST + 8,), verdict="reject"))  # knowing of Ben's
    found = ask(here)
    assert found["annotators"] == [{"who": "", "n": 7}, {"who": "Ben", "n": 12}]
    assert (found["n_shared"], found["n_conflicts"]) == (7, 1)
    raw, expected = 6 / 7, (5 * 4 + 2 * 3) / 49
    assert found["raw"][0] == pytest.approx(raw)
    assert found["kappa"][0] == pytest.approx((raw - expected) / (1 - expected))
    # 14 values, 9 of them accept; one pair differs: De = (14² - 9² - 5²) / (14 * 13)
    assert found["alpha"][0] == pytest.approx(1 - (2 / 14) / (90 / (14 * 13)))
    for name in ("raw", "kappa", "alpha"):
        value, low, high = found[name]
        assert low <= value <= high
    assert found["text"].startswith(
        "7 pairs were judged by two or more of you, Ben; 86 %"
    )
    assert found["text"].endswith("1 conflict is to be settled.")


def repacked(file: Path, change: Any) -> None:
    """Change the lines of a package and write sums that fit, as a forger would."""
    lines = gzip.decompress(file.read_bytes()).splitlines()[:-1]
    lines = change(lines)
    data = b"".join(line + b"\n" for line in lines)
    end = {"lines": len(lines), "sha256": hashlib.sha256(data).hexdigest()}
    file.write_bytes(gzip.compress(data + json.dumps(end).encode() + b"\n"))


def with_head(**values: Any) -> Any:
    def change(lines: list[bytes]) -> list[bytes]:
        return [json.dumps({**json.loads(lines[0]), **values}).encode(), *lines[1:]]

    return change


def with_row(*values: Any) -> Any:
    return lambda lines: [*lines[:-1], json.dumps(values).encode()]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: f.write_bytes(f.read_bytes()[:-40]), "b is damaged"),
        (lambda f: f.write_bytes(b"PK\x03\x04 no package"), "b is no package of pairs"),
        (lambda f: f.write_bytes(gzip.compress(b"{}\n")), "b is damaged"),
        (lambda f: f.unlink(), "There is no file .*b: name the package"),
        (lambda f: repacked(f, with_head(version=0)), "made by an older Isogloss"),
        (lambda f: repacked(f, with_head(version=9)), "made by a newer .* update this"),
        (lambda f: repacked(f, with_head(package="0" * 32)), "of another project"),
        (lambda f: repacked(f, with_head(digest="0")), "not as it was handed over"),
        (lambda f: repacked(f, with_head(n=9)), "b is damaged"),
        (lambda f: repacked(f, with_head(type="x")), "b is no package of pairs"),
        (
            lambda f: repacked(
                f, with_row(99, "accept", False, False, None, None, "", [], 0.0)
            ),
            "b is damaged",
        ),
        (
            lambda f: repacked(
                f, with_row(0, "perhaps", False, False, None, None, "", [], 0.0)
            ),
            "b is damaged",
        ),
    ],
)
def test_what_cannot_be_merged_is_refused_and_changes_nothing(
    here: Project, there: Project, tmp_path: Path, spoil: Any, message: str
) -> None:
    hand_over(here, tmp_path / "p", n=3)
    _, ids = take(there, tmp_path / "p")
    edit(there, JudgePairs(pairs=tuple(ids), verdict="accept"))
    hand_back(there, tmp_path / "b")
    spoil(tmp_path / "b")
    with pytest.raises(UserError, match=message):
        merge(here, tmp_path / "b")
    assert (count(here, schema.opinion), count(here, schema.judgement)) == (0, 0)


def test_files_in_the_wrong_place_are_named(
    here: Project, there: Project, tmp_path: Path
) -> None:
    hand_over(here, tmp_path / "p", n=3)
    with pytest.raises(UserError, match="handed over from this project"):
        take(here, tmp_path / "p")
    with pytest.raises(UserError, match="holds pairs to judge, not judgements"):
        merge(here, tmp_path / "p")
    row, ids = take(there, tmp_path / "p")
    assert take(there, tmp_path / "p")[0] == row  # there already
    with pytest.raises(UserError, match="No pair of letters is judged yet"):
        hand_back(there, tmp_path / "b")
    edit(there, JudgePairs(pairs=tuple(ids), verdict="accept"))
    with pytest.raises(UserError, match="Say who judged"):
        hand_back(there, tmp_path / "b", who="")
    hand_back(there, tmp_path / "b")
    with pytest.raises(UserError, match="b holds judgements that were handed back"):
        take(there, tmp_path / "b")
    with pytest.raises(UserError, match="b was written in this project"):
        merge(there, tmp_path / "b")
    with pytest.raises(UserError, match="exists already"):
        hand_back(there, tmp_path / "b")
    with pytest.raises(UserError, match="letters was not handed over in a package"):
        hand_back(here, tmp_path / "c")
    with pytest.raises(UserError, match="No pair of letters is left"):
        hand_over(here, tmp_path / "q", which="conflict")
    assert not (tmp_path / "q").exists()


def test_a_name_that_judged_here_is_refused_until_another_is_given(
    here: Project, there: Project, tmp_path: Path, data_dir: Path
) -> None:
    (data_dir / "settings.json").write_text('{"user_name": "Ben"}')
    edit(here, JudgePairs(pairs=(FIRST,), verdict="accept"))
    hand_over(here, tmp_path / "p", n=2)
    _, ids = take(there, tmp_path / "p")
    edit(there, JudgePairs(pairs=tuple(ids), verdict="accept"))
    hand_back(there, tmp_path / "b", who="")
    with pytest.raises(UserError, match="Ben has judged these pairs in this project"):
        merge(here, tmp_path / "b")
    assert merge(here, tmp_path / "b", who="Ben the younger").new == 2


class _Stops(Report):
    """Cancels once something was done."""

    def step(self, stage: str, done: int, total: int, note: str = "") -> None:
        if done:
            self.cancel()
        super().step(stage, done, total, note)


def test_a_package_that_was_half_opened_leaves_nothing_to_see(
    here: Project, there: Project, tmp_path: Path
) -> None:
    hand_over(here, tmp_path / "p", n=3)
    params = OpenPackage(package=tmp_path / "p")
    run = queue_run(there, params)
    with pytest.raises(Cancelled):
        open_package(there, params, _Stops(run=run))
    assert list_corpora(there.store) == []
    assert list_minings(there.store) == []
    open_package(there, params, Report(run=run))
    assert count(there, schema.corpus) == 2
    assert len(list_minings(there.store)) == 1


def test_a_file_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, here: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(package_file, "MAX_BYTES", 1 << 20)
    (tmp_path / "b").write_bytes(gzip.compress(bytes(2 << 20)))
    with pytest.raises(UserError, match="over 1 MB: it is no package"):
        merge(here, tmp_path / "b")


def test_all_conflicts_are_settled_at_once_by_a_range(
    here: Project, there: Project, tmp_path: Path
) -> None:
    edit(here, JudgePairs(pairs=(FIRST, FIRST + 1), verdict="accept"))
    hand_over(here, tmp_path / "p", n=4)
    _, ids = take(there, tmp_path / "p")
    edit(there, JudgePairs(pairs=tuple(ids), verdict="reject"))
    hand_back(there, tmp_path / "b")
    merge(here, tmp_path / "b")
    change = JudgeRange(mining=1, verdict="reject", which="conflict")
    assert edit(here, change)["text"] == "2 pairs are rejected."
    assert conflicts(here) == []
