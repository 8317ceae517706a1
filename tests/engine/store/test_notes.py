"""The list of all notes: on sentences and on pairs, and flagged pairs."""

from pathlib import Path

from app.engine.project.project import create_project
from app.engine.store.corpora import first_sentence_id
from app.engine.store.notes import count_labels, count_notes, list_labels, list_notes
from app.engine.store.pairs.sets import first_pair_id
from app.protocol.edits.general import SetCorpusState, SetNote
from app.protocol.edits.labels import LabelSentences
from app.protocol.edits.pairs import JudgePairs
from tests.engine.review.made import add_pairs, edit
from tests.engine.search.made import add_corpus


def test_notes_on_sentences_and_pairs_and_flags_are_listed_newest_first(
    tmp_path: Path,
) -> None:
    english, german = first_sentence_id(1), first_sentence_id(2)
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpus(project, "English", "en", ["one", "two", "three", "four"])
        add_corpus(project, "German", "de", ["eins", "zwei", "drei", "vier"])
        mining = add_pairs(project, 4)
        first, second, third = (first_pair_id(mining) + index for index in range(3))
        for change in (
            SetNote(english, "idiom"),
            JudgePairs(pairs=(first,), note="too free"),
            JudgePairs(pairs=(first,), verdict="accept"),  # keeps its note
            JudgePairs(pairs=(second,), verdict="flag"),
            JudgePairs(pairs=(third,), verdict="flag"),
            JudgePairs(pairs=(third,), verdict="accept"),  # has no flag any more
            SetNote(german, "dialect"),
            SetNote(english + 1, "gone"),
            SetNote(english + 1, ""),
        ):
            edit(project, change)
        notes = list_notes(project.store, limit=10)
        found = [(row.sentence_id, row.pair_id, row.text, row.verdict) for row in notes]
        assert found == [
            (german, 0, "dialect", ""),
            (english + 1, second, "", "flag"),
            (english, first, "too free", "accept"),
            (english, 0, "idiom", ""),
        ]
        assert [row.target_id for row in notes] == [0, german + 1, german, 0]
        assert len(list_notes(project.store, limit=2)) == 2
        older = list_notes(project.store, limit=2, offset=2)
        assert [row.text for row in older] == ["too free", "idiom"]
        assert count_notes(project.store) == 4
        edit(project, SetCorpusState(corpora=(2,), state="deleted"))
        remaining = list_notes(project.store, limit=10)
        assert all(row.text != "dialect" for row in remaining)


def test_the_newest_label_of_each_sentence_is_listed(tmp_path: Path) -> None:
    first, german = first_sentence_id(1), first_sentence_id(2)
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpus(project, "English", "en", ["one", "two", "three"])
        add_corpus(project, "German", "de", ["eins"])
        for ids, name in (
            ((first, first + 1), "sea"),
            ((first + 1,), "wind"),
            ((first + 2,), "sea"),
            ((first + 2,), ""),  # taken away again
            ((german,), "sea"),
        ):
            edit(project, LabelSentences(sentences=ids, class_name=name))
        store = project.store
        rows = list_labels(store, limit=10)
        assert [(row.sentence_id, row.label) for row in rows] == [
            *((german, "sea"), (first + 1, "wind"), (first, "sea")),
        ]
        assert list_labels(store, limit=1, offset=1) == rows[1:2]
        assert list_labels(store, "wind", limit=10) == rows[1:2]
        assert (count_labels(store), count_labels(store, "sea")) == (3, 2)
        edit(project, SetCorpusState(corpora=(2,), state="deleted"))
        assert list_labels(store, limit=10) == rows[1:]
