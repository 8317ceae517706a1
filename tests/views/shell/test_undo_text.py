"""The Edit menu names the changes that are undone and redone next."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast, get_args

import pytest

from app.engine.edits.journal import apply_edit
from app.engine.project.project import open_project
from app.engine.store.journal import NextChanges
from app.engine.store.pairs.sets import first_pair_id
from app.protocol.edits import Change
from app.protocol.edits.alignments import (
    MergeBead,
    MoveBoundary,
    RestoreBeads,
    SplitBead,
    UnlinkBead,
)
from app.protocol.edits.corpora import (
    EditSentence,
    HideSentences,
    RenameHitList,
    RenameSubcorpus,
    RestoreDocuments,
    RestoreHidden,
    SaveHits,
    SetDictionaryState,
    SetDocumentField,
    SetHitListState,
    SetSubcorpusMembers,
    SetSubcorpusState,
    SetVectorsLanguage,
    ShowSentences,
)
from app.protocol.edits.encoders import (
    ChooseEncoder,
    DropVectors,
    RemoveEncoder,
    RenameEncoder,
    RestoreEncoder,
)
from app.protocol.edits.general import (
    AddSearch,
    DropRun,
    Redo,
    RenameCorpus,
    SaveViewState,
    SetCorpusLanguage,
    SetCorpusState,
    SetNote,
    SetRunState,
    Undo,
)
from app.protocol.edits.labels import (
    LabelSentences,
    RenameClass,
    RenameClassifier,
    RestoreClasses,
    RestoreLabels,
    SetClassifierState,
)
from app.protocol.edits.links import ChangeLinks
from app.protocol.edits.maps import RenameProjection, SetProjectionState
from app.protocol.edits.pairs import (
    AddPair,
    CopyJudgements,
    JudgePairs,
    JudgeRange,
    RemovePair,
    RenameAnnotator,
    RenameMining,
    SetMerge,
    SetMiningState,
    SwapRunnerUp,
    UndoJudgement,
)
from app.views.client.project_reader import ProjectReader
from app.views.shell.undo_text import name_redone, name_undone
from tests.views.editing import add_alignment
from tests.views.stage import add_document, build_project, sentence_id

FERRY = sentence_id(1, 1)


def names_after(folder: Path, *changes: Change) -> tuple[str, str]:
    """Make changes, and name what is undone next and what is redone next."""
    with open_project(folder) as project:
        for change in changes:
            apply_edit(project, change, lambda kind, id_: None)
    reader = ProjectReader(folder, is_read_only=False)
    try:
        return name_undone(reader), name_redone(reader)
    finally:
        reader.close()


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (HideSentences(sentences=(FERRY,)), "hide 1 sentence"),
        (
            HideSentences(sentences=(FERRY, FERRY + 1), state="removed"),
            "remove 2 sentences",
        ),
        (LabelSentences(sentences=(FERRY,), class_name="sea"), "label 1 sentence"),
        (EditSentence(sentence=FERRY, text="The ferry sails."), "edit sentence"),
        (RenameCorpus(1, "Quay"), "rename to Quay"),
        (SetCorpusLanguage(1, "fr"), "change the language of a corpus"),
        (SetCorpusState((1, 2), "deleted"), "delete 2 corpora"),
        (SetNote(FERRY, "Idiom."), "write a note"),
    ],
)
def test_a_change_is_named(tmp_path: Path, change: Change, name: str) -> None:
    folder = build_project(tmp_path / "p.isogloss")
    assert names_after(folder, change) == (name, "")
    assert names_after(folder, Undo()) == ("", name)
    assert names_after(folder, Redo()) == (name, "")


def test_redo_names_the_change_that_was_undone_last(tmp_path: Path) -> None:
    folder = build_project(tmp_path / "p.isogloss")
    hiding = HideSentences(sentences=(FERRY,))
    assert names_after(folder, RenameCorpus(1, "Quay"), hiding, Undo()) == (
        "rename to Quay",
        "hide 1 sentence",
    )
    assert names_after(folder, Undo()) == ("", "rename to Quay")
    assert names_after(folder, SetNote(FERRY, "Idiom.")) == ("write a note", "")


def test_a_field_of_documents_is_named(tmp_path: Path) -> None:
    folder = build_project(tmp_path / "p.isogloss")
    add_document(folder, (1, 0), "Quay")
    change = SetDocumentField(corpus=1, documents=(0,), field="author", value="Ann")
    assert names_after(folder, change) == ("change author of 1 document", "")


def test_an_edit_of_an_alignment_is_named(tmp_path: Path) -> None:
    folder = build_project(tmp_path / "p.isogloss")
    with open_project(folder) as project:
        first = first_pair_id(add_alignment(project, ["1:1 0.9", "1:1 0.8"], "boats"))
    assert names_after(folder, UnlinkBead(bead=first)) == ("remove a link", "")
    assert names_after(folder, Undo()) == ("", "remove a link")


NAMES: list[tuple[Change, str]] = [
    (AddPair(source=1, target=2), "add 1 pair"),
    (ChangeLinks(), "change links"),
    (ChooseEncoder(""), "use the bundled encoder"),
    (ChooseEncoder("laser"), "use laser"),
    (JudgePairs(pairs=(1, 2), verdict="accept"), "judge 2 pairs"),
    (JudgePairs(pairs=(1,), note="?"), "edit 1 pair"),
    (JudgeRange(mining=1, verdict="accept"), "judge a range of pairs"),
    (CopyJudgements(mining=1), "copy judgements"),
    (MergeBead(bead=1), "merge 2 links"),
    (MoveBoundary(bead=1, side="source", by=1), "move the end of a link"),
    (RemoveEncoder("laser"), "remove laser"),
    (RenameAnnotator(old="Ann", new="Anna"), "rename annotator Ann"),
    (RenameClass(corpora=(1,), old_names=("sea", "bay"), name="x"), "rename sea, bay"),
    (RenameClassifier(classifier=1, name="NB"), "rename to NB"),
    (RenameEncoder("laser", "laser 2"), "rename to laser 2"),
    (RenameHitList(hits=1, name="Ships"), "rename to Ships"),
    (RenameMining(mining=1, name="Boats"), "rename to Boats"),
    (RenameProjection(projection=1, name="Sea"), "rename to Sea"),
    (RenameSubcorpus(subcorpus=1, name="Letters"), "rename to Letters"),
    (
        RestoreDocuments(corpus=1, firsts=(0,), fields=({},)),
        "import the fields of documents",
    ),
    (SetClassifierState(classifiers=(1,), state="deleted"), "delete 1 classifier"),
    (SetDictionaryState(dictionaries=(1,), state="deleted"), "delete 1 dictionary"),
    (SaveHits(name="Ships", text="ship", sentences=(1,)), "save Ships"),
    (SetHitListState(lists=(1, 2), state="deleted"), "delete 2 hit lists"),
    (
        SetMerge(step=1, first_opinion=1, last_opinion=2, is_merged=True),
        "merge a package",
    ),
    (SetMiningState(minings=(1,), state="deleted"), "delete 1 pair set"),
    (SetProjectionState(projections=(1,), state="ready"), "add 1 map"),
    (
        SetSubcorpusMembers(
            subcorpus=1, corpora=(), steps=(), array="a", n_sentences=0, counts={}
        ),
        "update a sub-corpus",
    ),
    (SetRunState(runs=(1,), state="deleted"), "delete 1 run"),
    (SetSubcorpusState(subcorpora=(1,), state="deleted"), "delete 1 sub-corpus"),
    (
        SetVectorsLanguage(vectors="x", language="de"),
        "change the language of word vectors",
    ),
    (SplitBead(bead=1), "split a link"),
    (SwapRunnerUp(pair=1), "swap in a runner-up"),
]


@pytest.mark.parametrize(("change", "name"), NAMES)
def test_a_recorded_change_is_named(change: Change, name: str) -> None:
    project = SimpleNamespace(next_changes=NextChanges(undone=change, redone=None))
    assert name_undone(cast(ProjectReader, project)) == name


def test_every_kind_of_change_that_is_recorded_has_a_test() -> None:
    inverses = {
        *(RestoreBeads, RestoreClasses, RestoreEncoder, RestoreLabels),
        *(RemovePair, UndoJudgement),
    }
    unrecorded = {Undo, Redo, AddSearch, SaveViewState, DropRun, DropVectors}
    in_projects = {
        *(HideSentences, ShowSentences, RestoreHidden, LabelSentences, RenameCorpus),
        *(SetCorpusLanguage, SetCorpusState, SetNote, SetDocumentField, UnlinkBead),
        EditSentence,
    }
    tested = {type(change) for change, _ in NAMES} | in_projects
    assert set(get_args(Change)) - inverses - unrecorded == tested
