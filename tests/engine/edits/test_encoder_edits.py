"""Encoders of a project are chosen, renamed, removed and restored, also by undo."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert

from app.engine.edits.encoders import keep_encoder
from app.engine.edits.journal import apply_edit
from app.engine.encoders import registry
from app.engine.encoders.folder import fingerprint_of
from app.engine.encoders.registry import (
    DEFAULT_ENCODER,
    describe_encoders,
    find_encoder,
    keep_choice,
    list_encoders,
    read_choice,
    write_choice,
)
from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project, open_read_only
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store import schema
from app.engine.store.embeddings import list_embeddings
from app.engine.tasks.encode import encode
from app.errors import UserError
from app.params.vectors import Encode
from app.protocol.answers.edits import EditAnswer
from app.protocol.edits import Change
from app.protocol.edits.encoders import (
    ChooseEncoder,
    DropVectors,
    RemoveEncoder,
    RenameEncoder,
    RestoreEncoder,
)
from app.protocol.edits.general import Redo, Undo
from app.protocol.queries.encoders import EncodersQuery, WarmQuery
from tests.engine.encoders.tiny import save_tiny
from tests.engine.search.made import add_corpus

BUNDLED = find_encoder("").name
BUNDLED_NAMES = ("isogloss-2", "isogloss-3", "isogloss-3-context")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "letters.isogloss") as project:
        add_corpus(project, "harbour", "eng", ["a ship", "a boat"])
        save_tiny(project.folder / "encoders" / "tiny")
        yield project


def apply(project: Project, change: Change) -> EditAnswer:
    return apply_edit(project, change, lambda kind, id_: None)


def own(project: Project) -> list[str]:
    return [card.name for card in list_encoders(project.folder) if not card.bundled]


def used(project: Project) -> str:
    return find_encoder("", project.folder).name


def test_the_chosen_encoder_is_the_one_without_a_name(project: Project) -> None:
    assert used(project) == BUNDLED
    answer = apply(project, ChooseEncoder("tiny"))
    assert answer.text == "tiny is now used for search and encoding."
    assert used(project) == "tiny"
    encode(project, Encode(corpora=("harbour",)), Report())
    (row,) = list_embeddings(project.store)
    assert row.encoder == "tiny"
    apply(project, Undo())
    assert used(project) == BUNDLED
    apply(project, Redo())
    assert used(project) == "tiny"


def test_choosing_the_default_encoder_is_recorded(project: Project) -> None:
    answer = apply(project, ChooseEncoder(BUNDLED))  # of a new project
    assert answer.text == f"{BUNDLED} is already in use."
    apply(project, ChooseEncoder("tiny"))
    apply(project, ChooseEncoder(BUNDLED))
    assert used(project) == BUNDLED
    assert read_choice(project.folder) == BUNDLED  # next to an earlier bundled one
    answer = apply(project, ChooseEncoder(BUNDLED))
    assert answer.text == f"{BUNDLED} is already in use."
    with pytest.raises(UserError, match="Unknown encoder 'none'"):
        apply(project, ChooseEncoder("none"))


def test_a_search_takes_the_chosen_encoder_at_once(project: Project) -> None:
    desk = SearchSession(project)
    assert answer_query(desk, WarmQuery()).encoder == BUNDLED
    apply(project, ChooseEncoder("tiny"))
    warm = answer_query(desk, WarmQuery())
    folder = project.folder / "encoders" / "tiny"
    assert (warm.encoder, warm.fingerprint) == ("tiny", fingerprint_of(folder))
    assert warm.not_encoded == [1]


def test_a_renamed_encoder_keeps_its_vectors_and_its_use(project: Project) -> None:
    apply(project, ChooseEncoder("tiny"))
    encode(project, Encode(corpora=("harbour",)), Report())
    apply(project, RenameEncoder("tiny", " Kleiner 2 "))
    assert own(project) == ["Kleiner 2"]
    assert used(project) == "Kleiner 2"
    assert [row.encoder for row in list_embeddings(project.store)] == ["Kleiner 2"]
    desk = SearchSession(project)
    assert answer_query(desk, WarmQuery()).not_encoded == []
    apply(project, Undo())
    assert (own(project), used(project)) == (["tiny"], "tiny")


@pytest.mark.parametrize("name", ["a/b", "..", ".x", "con:", "tiny", BUNDLED, "a\nb"])
def test_a_name_that_no_folder_can_have_is_refused(project: Project, name: str) -> None:
    with pytest.raises(UserError):
        apply(project, RenameEncoder("tiny", name))
    assert own(project) == ["tiny"]


def test_a_bundled_encoder_stays_as_it_is(project: Project) -> None:
    for change in (RemoveEncoder(BUNDLED), RenameEncoder(BUNDLED, "mine")):
        with pytest.raises(UserError, match="comes with Isogloss"):
            apply(project, change)


def test_a_removed_encoder_comes_back_into_use(project: Project) -> None:
    apply(project, ChooseEncoder("tiny"))
    assert apply(project, RemoveEncoder("tiny")).text == "tiny removed."
    assert (own(project), used(project)) == ([], BUNDLED)
    assert describe_encoders(project.folder).n_removed == 1
    apply(project, Undo())
    assert (own(project), used(project)) == (["tiny"], "tiny")
    apply(project, Redo())
    apply(project, Undo())
    assert own(project) == ["tiny"]


def test_two_removed_encoders_of_one_name_come_back_each(project: Project) -> None:
    folder = project.folder / "encoders" / "tiny"
    first = fingerprint_of(folder)
    apply(project, RemoveEncoder("tiny"))
    save_tiny(folder, seed=1)
    second = fingerprint_of(folder)
    apply(project, RemoveEncoder("tiny"))
    apply(project, Undo())
    assert fingerprint_of(folder) == second
    with pytest.raises(UserError, match="already"):
        apply(project, Undo())
    apply(project, Redo())
    apply(project, Undo())
    apply(project, RenameEncoder("tiny", "second"))
    apply(project, RestoreEncoder("tiny", "tiny", is_chosen=False))
    assert fingerprint_of(folder) == first != second


def test_an_encoder_that_is_gone_is_named(project: Project) -> None:
    apply(project, ChooseEncoder("tiny"))
    (project.folder / "encoders" / "tiny").rename(project.folder / "elsewhere")
    with pytest.raises(UserError, match="Unknown encoder 'tiny'"):
        answer_query(SearchSession(project), WarmQuery())
    with pytest.raises(UserError, match="no longer in the project's trash"):
        apply(project, RestoreEncoder("tiny", "../elsewhere", is_chosen=False))


def test_a_damaged_choice_is_mended_by_another(project: Project) -> None:
    apply(project, ChooseEncoder("tiny"))
    (project.folder / "encoders" / "choice.json").write_text("{", encoding="utf-8")
    assert used(project) == BUNDLED
    apply(project, ChooseEncoder("tiny"))
    assert used(project) == "tiny"


def test_the_list_has_fingerprints_and_names_what_is_damaged(project: Project) -> None:
    broken = project.folder / "encoders" / "broken"
    broken.mkdir()
    (broken / "encoder.json").write_text("{", encoding="utf-8")
    answer = answer_query(SearchSession(project), EncodersQuery())
    by_name = {encoder.name: encoder for encoder in answer.encoders}
    assert set(by_name) == {*BUNDLED_NAMES, "tiny"}
    folder = project.folder / "encoders" / "tiny"
    assert by_name["tiny"].fingerprint == fingerprint_of(folder)
    assert answer.chosen == BUNDLED
    assert [one.name for one in answer.damaged] == ["broken"]
    assert answer.damaged[0].why.endswith(".")


def test_vectors_of_an_encoder_are_removed_with_their_files(project: Project) -> None:
    for encoder in ("tiny", ""):
        encode(project, Encode(corpora=("harbour",), encoder=encoder), Report())
    kept, dropped = sorted(
        list_embeddings(project.store), key=lambda row: row.encoder == "tiny"
    )
    answer = apply(project, DropVectors((dropped.fingerprint,)))
    assert answer.text == "Removed the vectors of 1 corpus: 0.0\u00a0MB freed."
    assert list_embeddings(project.store) == [kept]
    stems = {file.name.split(".")[0] for file in project.folder.glob("arrays/*.npy")}
    assert stems == {kept.array}


@pytest.fixture
def earlier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a second bundled encoder, which was the default one before."""
    for name in ("earlier", registry.DEFAULT_ENCODER):
        bundled = tmp_path / "bundled" / "encoders" / name
        bundled.mkdir(parents=True)
        (bundled / "encoder.json").touch()
    monkeypatch.setattr(registry, "resource_dir", lambda: tmp_path / "bundled")
    return "earlier"


def record_vectors(project: Project, encoder: str) -> None:
    values = {"corpus_id": 1, "encoder": encoder, "fingerprint": "f", "dim": 8}
    values |= {"n_rows": 0, "n_done": 0, "array": "a", "created_at": 0.0}
    with project.store.begin() as connection:
        connection.execute(insert(schema.embedding).values(**values))


def test_a_project_keeps_the_encoder_that_its_vectors_are_by(
    project: Project, earlier: str
) -> None:
    keep_encoder(project)
    assert not project.newer_encoder  # without vectors the default one is used
    record_vectors(project, earlier)
    for _ in range(2):  # the second time it is recorded
        keep_encoder(project)
        assert project.newer_encoder == DEFAULT_ENCODER
        assert read_choice(project.folder) == earlier


def test_a_project_that_can_not_be_written_is_read_with_its_encoder(
    project: Project, earlier: str
) -> None:
    record_vectors(project, earlier)
    with open_read_only(project.folder) as reader:
        keep_encoder(reader)
        assert reader.newer_encoder == ""
        assert find_encoder("", reader.folder).name == earlier
    file = project.folder / registry.FOLDER / registry.CHOICE_FILE
    assert not file.exists()


def test_a_choice_is_not_changed_by_what_the_vectors_are_by(
    project: Project, earlier: str
) -> None:
    folder = project.folder
    write_choice(folder, registry.stored_choice(registry.DEFAULT_ENCODER))
    assert read_choice(folder) == registry.DEFAULT_ENCODER
    assert keep_choice(folder, [earlier]) == ""
    write_choice(folder, "")
    assert keep_choice(folder, [earlier, registry.DEFAULT_ENCODER]) == ""
    assert keep_choice(folder, ["trained here"]) == ""
    assert keep_choice(folder, [earlier]) == earlier


def test_the_only_bundled_encoder_is_recorded_as_the_default(
    tmp_path: Path, earlier: str
) -> None:
    shutil.rmtree(tmp_path / "bundled" / "encoders" / earlier)
    assert registry.stored_choice(registry.DEFAULT_ENCODER) == ""
    assert registry.stored_choice("trained here") == "trained here"
