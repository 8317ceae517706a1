"""Rejected packages: damaged, forged, from another project or annotator."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from app.engine.process.queries import answer_query
from app.engine.project.project import Project
from app.engine.review import packages
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store import schema
from app.engine.tasks.merge_package import merge_package
from app.errors import UserError
from app.params.pairs import MergePackage
from app.protocol.edits.pairs import JudgePairs
from app.protocol.queries.pairs import AgreementQuery
from tests.engine.review.made import edit
from tests.engine.review.packages.handing import (
    FIRST,
    count,
    hand_back,
    hand_over,
    merge,
    repacked,
    take,
    with_row,
)


def with_head(**values: Any) -> Any:
    def change(lines: list[bytes]) -> list[bytes]:
        return [json.dumps({**json.loads(lines[0]), **values}).encode(), *lines[1:]]

    return change


def with_first(line: bytes) -> Any:
    return lambda lines: [line, *lines[1:]]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: f.write_bytes(f.read_bytes()[:-40]), "b is damaged"),
        (
            lambda f: f.write_bytes(b"PK\x03\x04 no package"),
            "b is not a package of pairs",
        ),
        (lambda f: f.write_bytes(gzip.compress(b"{}\n")), "b is damaged"),
        (lambda f: f.unlink(), "The file .*b does not exist"),
        (
            lambda f: repacked(f, with_head(version=0)),
            "from an older version of Isogloss",
        ),
        (
            lambda f: repacked(f, with_head(version=9)),
            "from a newer version .* update Isogloss",
        ),
        (lambda f: repacked(f, with_head(package="0" * 32)), "of another project"),
        (lambda f: repacked(f, with_head(digest="0")), "changed after the export"),
        (lambda f: repacked(f, with_head(n=9)), "b is damaged"),
        (lambda f: repacked(f, with_head(type="x")), "b is not a package of pairs"),
        (lambda f: repacked(f, with_first(b"\xd1")), "b is not a package of pairs"),
        (
            lambda f: repacked(f, with_first(b"[" * 9_999)),
            "b is not a package of pairs",
        ),
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
    with pytest.raises(UserError, match="exported from this project"):
        take(here, tmp_path / "p")
    with pytest.raises(UserError, match="contains pairs to judge, not judgements"):
        merge(here, tmp_path / "p")
    row, ids = take(there, tmp_path / "p")
    assert take(there, tmp_path / "p")[0] == row  # there already
    with pytest.raises(UserError, match="No pair of letters is judged yet"):
        hand_back(there, tmp_path / "b")
    edit(there, JudgePairs(pairs=tuple(ids), verdict="accept"))
    with pytest.raises(UserError, match="annotator has no name"):
        hand_back(there, tmp_path / "b", who="")
    hand_back(there, tmp_path / "b")
    with pytest.raises(UserError, match="b contains returned judgements"):
        take(there, tmp_path / "b")
    with pytest.raises(UserError, match="b was written in this project"):
        merge(there, tmp_path / "b")
    with pytest.raises(UserError, match="already exists"):
        hand_back(there, tmp_path / "b")
    with pytest.raises(UserError, match="letters is not from a package"):
        hand_back(here, tmp_path / "c")
    with pytest.raises(UserError, match="No pair of letters matches"):
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
    with pytest.raises(UserError, match="Ben also judged these pairs in this project"):
        merge(here, tmp_path / "b")
    assert merge(here, tmp_path / "b", who="Ben the younger").new == 2


def test_the_same_person_judges_here_and_there_and_is_merged_again(
    here: Project, there: Project, tmp_path: Path, data_dir: Path
) -> None:
    (data_dir / "settings.json").write_text('{"user_name": "Ben"}')
    hand_over(here, tmp_path / "p", n=3)
    _, ids = take(there, tmp_path / "p")
    edit(there, JudgePairs(pairs=tuple(ids[:2]), verdict="accept"))
    hand_back(there, tmp_path / "b")
    edit(here, JudgePairs(pairs=(FIRST,), verdict="reject"))
    params = MergePackage(package=tmp_path / "b", same_annotator=True)
    result = merge_package(here, params, Report())
    assert (result.new, result.conflicts) == (2, 1)
    found = answer_query(SearchSession(here), AgreementQuery(mining=1))
    assert [one.who for one in found.annotators] == ["Ben"]
    assert found.n_shared == 0  # one person does not agree with themselves
    edit(there, JudgePairs(pairs=(ids[2],), verdict="reject"))
    hand_back(there, tmp_path / "c")
    assert merge(here, tmp_path / "c").new == 1  # known since the first merge


def test_a_file_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, here: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "MAX_BYTES", 1 << 20)
    (tmp_path / "b").write_bytes(gzip.compress(bytes(2 << 20)))
    with pytest.raises(
        UserError, match="larger than 1\u00a0MB, so it is not a package"
    ):
        merge(here, tmp_path / "b")
