"""The Edit menu names the changes that are undone and redone next."""

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

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
from app.protocol.edits.links import ChangeLinks, UnlinkRejected
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
QUOTED = "the sentence “The ferry will not sail tomorrow…”"


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
        (HideSentences(sentences=(FERRY,)), f"hide {QUOTED}"),
        (
            HideSentences(sentences=(FERRY, FERRY + 1), state="removed"),
            "remove 2 sentences",
        ),
        (
            LabelSentences(sentences=(FERRY,), class_name="sea"),
            f"label {QUOTED} as “sea”",
        ),
        (
            EditSentence(sentence=FERRY, text="The ferry sails."),
            "edit the sentence “The ferry sails.”",
        ),
        (RenameCorpus(1, "Quay"), "rename the corpus to “Quay”"),
        (
            SetCorpusLanguage(1, "fr"),
            "change the language of the corpus “Harbour letters”",
        ),
        (SetCorpusState((1, 2), "deleted"), "delete 2 corpora"),
        (SetNote(FERRY, "Idiom."), f"write a note on {QUOTED}"),
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
        "rename the corpus to “Quay”",
        f"hide {QUOTED}",
    )
    assert names_after(folder, Undo()) == ("", "rename the corpus to “Quay”")
    note = SetNote(FERRY, "")
    assert names_after(folder, SetNote(FERRY, "Idiom."), note) == (
        f"remove the note on {QUOTED}",
        "",
    )


def test_one_deleted_row_is_named_by_its_kind_and_name(tmp_path: Path) -> None:
    folder = build_project(tmp_path / "p.isogloss")
    with open_project(folder) as project:
        mining = add_alignment(project, ["1:1 0.9", "1:1 0.8"], "boats & quays")
    deletion = SetMiningState(minings=(mining,), state="deleted")
    name = "delete the pair set “boats & quays”"
    assert names_after(folder, deletion) == (name, "")
    assert names_after(folder, Undo()) == ("", name)
    longest = "The names of all the harbours along the northern coast"
    name = "rename the pair set to “The names of all the harbours along the…”"
    assert names_after(folder, RenameMining(mining=mining, name=longest)) == (name, "")


def test_a_change_of_one_pair_quotes_its_source(tmp_path: Path) -> None:
    folder = build_project(tmp_path / "p.isogloss")
    adding = AddPair(source=FERRY, target=sentence_id(2, 1))
    pair = "the pair “The ferry will not sail tomorrow…”"
    assert names_after(folder, adding) == (f"add {pair}", "")
    assert names_after(folder, Undo()) == ("", f"add {pair}")
    first = first_pair_id(1)
    accept = JudgePairs(pairs=(first,), verdict="accept")
    assert names_after(folder, Redo(), accept) == (f"accept {pair}", "")
    shorter = JudgePairs(pairs=(first,), source_text="No ferry tomorrow.")
    assert names_after(folder, shorter)[0] == "edit the pair “No ferry tomorrow.”"
    cleared = JudgePairs(pairs=(first,), verdict="")
    name = "clear the verdict of the pair “No ferry tomorrow.”"
    assert names_after(folder, cleared)[0] == name


def test_a_field_of_documents_is_named(tmp_path: Path) -> None:
    folder = build_project(tmp_path / "p.isogloss")
    add_document(folder, (1, 0), "Quay")
    change = SetDocumentField(corpus=1, documents=(0,), field="author", value="Ann")
    assert names_after(folder, change) == (
        "change author of 1 document of the corpus “Harbour letters”",
        "",
    )


def test_an_edit_of_an_alignment_is_named(tmp_path: Path) -> None:
    folder = build_project(tmp_path / "p.isogloss")
    with open_project(folder) as project:
        first = first_pair_id(add_alignment(project, ["1:1 0.9", "1:1 0.8"], "boats"))
    quoted = "“The wind has been in the north-west…”"
    accepted = JudgePairs(pairs=(first,), verdict="accept")
    assert names_after(folder, accepted) == (f"confirm the link {quoted}", "")
    removed, merged = (
        f"remove the link {quoted}",
        f"merge the link {quoted} with the next",
    )
    assert names_after(folder, UnlinkBead(bead=first))[0] == removed
    assert names_after(folder, Undo())[1] == removed
    assert names_after(folder, MergeBead(bead=first)) == (merged, "")


NAMES: list[tuple[Change, str]] = [
    (AddPair(source=1, target=2), "add 1 pair"),
    (ChangeLinks(removed=((1, 2),)), "remove 1 link"),
    (ChangeLinks(added=((1, 2, "", 1), (3, 4, "", 1))), "add 2 links"),
    (
        ChangeLinks(added=((1, 2, "", 1),), removed=((3, 4),)),
        "change links",
    ),
    (ChooseEncoder(""), "use the bundled encoder"),
    (ChooseEncoder("laser"), "use the encoder laser"),
    (JudgePairs(pairs=(1, 2), verdict="accept"), "accept 2 pairs"),
    (JudgePairs(pairs=(1,), note="?"), "edit 1 pair"),
    (JudgeRange(mining=1, verdict="accept"), "accept a range of pairs of 1 pair set"),
    (CopyJudgements(mining=1), "copy judgements to 1 pair set"),
    (MergeBead(bead=1), "merge 2 links"),
    (MoveBoundary(bead=1, side="source", by=1), "move the end of a link"),
    (RemoveEncoder("laser"), "remove the encoder laser"),
    (RenameAnnotator(old="Ann", new="Anna"), "rename the annotator Ann to Anna"),
    (
        RenameClass(corpora=(1,), old_names=("sea", "bay"), name="x"),
        "rename the class “sea, bay” to “x”",
    ),
    (RenameClassifier(classifier=1, name="NB"), "rename the classifier to “NB”"),
    (RenameEncoder("laser", "laser 2"), "rename the encoder to laser 2"),
    (RenameHitList(hits=1, name="Ships"), "rename the hit list to “Ships”"),
    (RenameMining(mining=1, name="Boats"), "rename the pair set to “Boats”"),
    (RenameProjection(projection=1, name="Sea"), "rename the map to “Sea”"),
    (
        RenameSubcorpus(subcorpus=1, name="Letters"),
        "rename the sub-corpus to “Letters”",
    ),
    (
        RestoreDocuments(corpus=1, firsts=(0,), fields=({},)),
        "import the fields of documents of 1 corpus",
    ),
    (SetClassifierState(classifiers=(1,), state="deleted"), "delete 1 classifier"),
    (SetDictionaryState(dictionaries=(1,), state="deleted"), "delete 1 dictionary"),
    (SaveHits(name="Ships", text="ship", sentences=(1,)), "save the hit list “Ships”"),
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
        "update 1 sub-corpus",
    ),
    (SetRunState(runs=(1,), state="deleted"), "delete 1 run"),
    (SetSubcorpusState(subcorpora=(1,), state="deleted"), "delete 1 sub-corpus"),
    (
        SetVectorsLanguage(vectors="x", language="de"),
        "change the language of the word vectors “x”",
    ),
    (SplitBead(bead=1), "split a link"),
    (SwapRunnerUp(pair=1), "swap in a runner-up of 1 pair"),
]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProjectReader]:
    """A project without texts: what is gone is counted, not named."""
    folder = tmp_path_factory.mktemp("undo") / "p.isogloss"
    reader = ProjectReader(build_project(folder, {}), is_read_only=False)
    yield reader
    reader.close()


@pytest.mark.parametrize(("change", "name"), NAMES)
def test_a_recorded_change_is_named(
    reader: ProjectReader, change: Change, name: str
) -> None:
    reader.next_changes = NextChanges(undone=change, redone=None)
    assert name_undone(reader) == name


def test_every_kind_of_change_that_is_recorded_has_a_test() -> None:
    inverses = {
        *(RestoreBeads, RestoreClasses, RestoreEncoder, RestoreLabels),
        *(RemovePair, UndoJudgement),
    }
    unrecorded = {Undo, Redo, AddSearch, SaveViewState, DropRun, DropVectors}
    unrecorded |= {UnlinkRejected}  # recorded as the links that it removes
    in_projects = {
        *(HideSentences, ShowSentences, RestoreHidden, LabelSentences, RenameCorpus),
        *(SetCorpusLanguage, SetCorpusState, SetNote, SetDocumentField, UnlinkBead),
        EditSentence,
    }
    tested = {type(change) for change, _ in NAMES} | in_projects
    assert set(get_args(Change)) - inverses - unrecorded == tested
