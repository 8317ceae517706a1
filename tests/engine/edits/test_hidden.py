"""Hidden sentences: remaining sentences, and undo and redo after a restart."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import insert

from app.engine.edits.journal import apply_edit
from app.engine.project.active_sentences import active_positions
from app.engine.project.project import Project, create_project, open_project
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id, list_corpora
from app.engine.store.findings import Finding, open_finding_places, write_findings
from app.engine.store.hidden_sentences import HiddenCount, count_hidden, read_hidden
from app.errors import UserError
from app.protocol.edits import Change
from app.protocol.edits.corpora import FoundSentences, HideSentences, ShowSentences
from app.protocol.edits.general import Redo, RenameCorpus, Undo
from tests.engine.search.made import add_corpus


def _apply(project: Project, change: Change) -> tuple[str, list[tuple[str, int]]]:
    changed: list[tuple[str, int]] = []
    answer = apply_edit(project, change, lambda *row: changed.append(row))
    return answer.text, changed


def _states(project: Project) -> dict[int, tuple[str, str]]:
    ids = [
        first_sentence_id(c.id) + i
        for c in list_corpora(project.store)
        for i in range(9)
    ]
    return read_hidden(project.store, ids)


def test_hidden_and_removed_sentences_take_no_part(tmp_path: Path) -> None:
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpus(project, "one", "en", list("abcd"))
        add_corpus(project, "two", "de", list("ef"))
        one, two = list_corpora(project.store)
        ids = (first_sentence_id(1) + 1, first_sentence_id(1) + 3)
        text, changed = _apply(project, HideSentences(sentences=ids, reason="twice"))
        assert text == "2 sentences are hidden."
        assert changed == [("hidden", 1)]
        gone = HideSentences(sentences=(first_sentence_id(1) + 3,), state="removed")
        assert _apply(project, gone)[0] == "1 sentence is removed."
        assert active_positions(project, two) is None
        left = active_positions(project, one)
        assert left is not None
        assert left.tolist() == [0, 2]
        assert count_hidden(project.store) == {1: HiddenCount(1, 1)}
        assert _states(project)[first_sentence_id(1) + 1] == ("hidden", "twice")


def test_a_sentence_that_is_not_there_is_not_hidden(tmp_path: Path) -> None:
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpus(project, "one", "en", list("ab"))
        with pytest.raises(UserError, match="not in the project"):
            _apply(project, HideSentences(sentences=(first_sentence_id(1) + 2,)))
        wrong = tmp_path / "ids.npy"
        np.save(wrong, np.array([1.5]))
        with pytest.raises(UserError, match="not a list of sentence ids"):
            _apply(project, HideSentences(file=wrong))
        assert not _states(project)


def test_what_a_search_found_is_hidden_by_its_places(tmp_path: Path) -> None:
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpus(project, "one", "en", list("abcd"))
        first = first_sentence_id(1)
        found = [
            Finding("near", first + 1, first),
            Finding("near", first + 3, first),
            Finding("equal", first + 900, first + 2),  # gone since
            Finding("encoding", first + 2),
        ]
        write_findings(project.store, _add_run(project), found, Report())
        places = tmp_path / "places.npy"
        np.save(places, np.array([1, 2, 3]))
        left = FoundSentences(run=1, places=(0,), file=places)
        _apply(project, HideSentences(found=left, state="removed"))
        assert sorted(_states(project)) == [first + 1, first + 2, first + 3]
        right = FoundSentences(run=1, places=(1, 3), side="other")
        assert _apply(project, HideSentences(found=right))[0] == "1 sentence is hidden."
        left = FoundSentences(run=1, places=(0, 3))
        text, changed = _apply(project, HideSentences(found=left))
        assert (text, changed) == (
            "There was nothing to change.",
            [],
        )  # they stay removed
        assert count_hidden(project.store) == {1: HiddenCount(1, 3)}
        assert not len(open_finding_places(project.store, 1))
        both = FoundSentences(run=1, places=(0,), side="both")
        _apply(project, ShowSentences(found=both))
        assert sorted(_states(project)) == [first + 2, first + 3]
        assert open_finding_places(project.store, 1).tolist() == [0]
        assert not len(open_finding_places(project.store, 1, ["equal", "encoding"]))
        _apply(project, Undo())
        assert count_hidden(project.store) == {1: HiddenCount(1, 3)}


def _add_run(project: Project) -> int:
    with project.store.begin() as connection:
        values = {
            "task": "find-duplicates",
            "params": "{}",
            "state": "finished",
            "seed": 1,
            "started_at": 0.0,
        }
        return int(connection.execute(insert(schema.run), values).lastrowid)


@settings(max_examples=8, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["hidden", "removed", "shown"]),
            st.sets(st.integers(0, 5), min_size=1),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_undo_and_redo_survive_a_restart(
    tmp_path_factory: pytest.TempPathFactory, moves: list[tuple[str, set[int]]]
) -> None:
    folder = tmp_path_factory.mktemp("h") / "p.isogloss"
    file = folder.with_name("ids.npy")
    with create_project(folder) as project:
        add_corpus(project, "one", "en", list("abcdef"))
        seen = [_states(project)]
        for i, (state, indices) in enumerate(moves):
            np.save(file, np.array(sorted(indices), np.int64) + first_sentence_id(1))
            change: Change = ShowSentences(file=file)
            if state != "shown":
                change = HideSentences(file=file, state=state, reason=str(i))  # type: ignore[arg-type]  # one of two texts
            _apply(project, change)
            if _states(project) != seen[-1]:
                seen.append(_states(project))
    file.unlink(missing_ok=True)
    with open_project(folder) as project:
        for states in seen[-2::-1]:
            _apply(project, Undo())
            assert _states(project) == states
    with open_project(folder) as project:
        for states in seen[1:]:
            _apply(project, Redo())
            assert _states(project) == states
        if len(seen) > 1:
            _apply(project, Undo())
            _apply(project, RenameCorpus(1, "other"))
    with open_project(folder):  # what can't be redone any more is gone
        files = list((folder / "arrays" / "hidden").glob("*.npy"))
        assert len(files) == max(len(seen) - 2, 0)
