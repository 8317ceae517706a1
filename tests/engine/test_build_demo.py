"""The demo project: built whole, once, or not at all."""

import json
import stat
from pathlib import Path

import pytest
from sqlalchemy import func, select, text, update

from app.engine.demo import ARCHIVE, build_demo, build_from_samples
from app.engine.project.project import Project, open_project, open_read_only
from app.engine.runtime.report import Report, SilentSink
from app.engine.store.corpora import list_corpora
from app.engine.store.embeddings import list_embeddings
from app.engine.store.journal import read_undo_state
from app.engine.store.runs import list_measured_runs, list_runs
from app.engine.store.schema import embedding, label, link, sentence
from app.errors import Cancelled
from app.paths import resource_dir

N_LANGUAGES, N_GOLD = 12, 60
FILLED = (
    *("classifier", "prediction", "transfer", "projection", "finding", "hit"),
    *("subcorpus", "word_index", "measurement", "metric", "judgement", "note"),
    "entry",
)
FOLDERS = (
    *("encoders/letters", "encoders/one-minute-translator"),
    *("word-vectors/English", "word-vectors/German", "word-maps/English – German"),
)
MAX_BYTES = 20 << 20  # of the archive


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo, built once for these tests."""
    place = tmp_path_factory.mktemp("data") / "demo.isogloss"
    return build_from_samples(place, Report())


@pytest.fixture
def demo(folder: Path) -> Project:
    """The demo, open for reading."""
    return open_read_only(folder)


def test_it_holds_every_sample_with_its_labels(demo: Project) -> None:
    corpora = list_corpora(demo.store)
    assert len(corpora) == N_LANGUAGES
    assert {corpus.state for corpus in corpora} == {"ready"}
    assert "Arabic" in {corpus.name for corpus in corpora}
    n_sentences = sum(corpus.n_sentences for corpus in corpora)
    with demo.store.connect() as connection:
        assert connection.scalar(select(func.count(label.c.id))) == n_sentences
        topics = connection.scalars(select(label.c.class_name).distinct())
        assert len(set(topics)) == 6


def test_each_two_gold_sentences_are_linked_once(demo: Project) -> None:
    with demo.store.connect() as connection:
        links = connection.execute(select(link.c.source_id, link.c.target_id)).all()
    assert len(links) == N_GOLD * N_LANGUAGES * (N_LANGUAGES - 1) / 2
    assert len({frozenset(row) for row in links}) == len(links)


def test_a_link_joins_the_same_thing_said_twice(demo: Project) -> None:
    english = "The home team scored the winning goal in the last minute of the match."
    with demo.store.connect() as connection:
        of_english = select(sentence.c.id).where(sentence.c.text == english)
        id_ = connection.scalar(of_english)
        linked = select(sentence.c.text).where(
            sentence.c.id.in_(
                select(link.c.target_id)
                .where(link.c.source_id == id_)
                .union(select(link.c.source_id).where(link.c.target_id == id_))
            )
        )
        texts = set(connection.scalars(linked))
    assert len(texts) == N_LANGUAGES - 1
    assert "主队在比赛的最后一分钟打进了制胜球。" in texts


def test_every_corpus_has_vectors(demo: Project) -> None:
    embeddings = list_embeddings(demo.store)
    assert len(embeddings) == N_LANGUAGES
    assert all(one.n_done == one.n_rows > 0 for one in embeddings)
    assert {run.state for run in list_runs(demo.store)} == {"finished"}


def test_a_demo_that_is_there_is_left_as_it_is(folder: Path) -> None:
    before = (folder / "project.sqlite").stat().st_mtime_ns
    assert build_from_samples(folder, Report()) == folder
    assert (folder / "project.sqlite").stat().st_mtime_ns == before


def test_a_build_that_is_cancelled_leaves_nothing(tmp_path: Path) -> None:
    class CancellingSink(SilentSink):
        def progress(self, stage: str, done: int, total: int, note: str) -> None:
            report.cancel()

    report = Report(CancellingSink())
    with pytest.raises(Cancelled):
        build_from_samples(tmp_path / "demo.isogloss", report)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_build_left_is_removed(tmp_path: Path) -> None:
    left = tmp_path / "demo.isogloss.4194999.part"  # above any process id
    left.mkdir()
    (left / "project.sqlite").touch()
    report = Report()
    report.cancel()
    with pytest.raises(Cancelled):
        build_from_samples(tmp_path / "demo.isogloss", report)
    assert not left.exists()


def test_vectors_of_another_encoder_are_made_again(tmp_path: Path) -> None:
    folder = build_from_samples(tmp_path / "demo.isogloss", Report())
    with open_project(folder) as project, project.store.begin() as connection:
        connection.execute(update(embedding).values(fingerprint="an older encoder"))
    build_from_samples(folder, Report())
    with open_read_only(folder) as project:
        made = list_embeddings(project.store)
    assert len(made) == 2 * N_LANGUAGES
    assert len({one.fingerprint for one in made}) == 2


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo as a user opens it."""
    place = tmp_path_factory.mktemp("finished") / "demo.isogloss"
    return build_demo(place, Report())


def test_every_view_of_the_demo_has_something_to_show(finished: Path) -> None:
    with open_read_only(finished) as project, project.store.connect() as connection:
        for name in FILLED:
            assert connection.scalar(select(func.count()).select_from(text(name))), name
        kinds = connection.scalars(text("SELECT kind FROM mining ORDER BY kind")).all()
        runs = list_runs(project.store)
    assert kinds == ["aligned", "mined"]
    assert {run.state for run in runs} == {"finished"}
    assert [name for name in FOLDERS if not (finished / name).is_dir()] == []
    # Else: python -m installers.demo_archive
    assert runs[0].task != "encode", "the demo has vectors of another encoder"
    assert stat.S_IMODE(finished.stat().st_mode) == 0o700


def test_nothing_of_the_demo_can_be_undone(finished: Path) -> None:
    with open_read_only(finished) as project:
        assert read_undo_state(project.store) == (False, False)


def test_the_transfer_board_tests_on_no_translation_of_a_training_row(
    finished: Path,
) -> None:
    with open_read_only(finished) as project:
        runs = [it for it in list_runs(project.store) if it.task == "evaluate-transfer"]
    found = json.loads(runs[0].result)
    scores = found["languages"]
    assert len(scores) == N_LANGUAGES
    assert scores["en"]["n"] == N_GOLD
    others = [one["accuracy"] for name, one in scores.items() if name != "en"]
    assert 1 / 3 < min(others) <= max(others) < scores["en"]["accuracy"]
    gap = scores["en"]["accuracy"] - found["others_mean"]
    assert found["mean_gap"] == pytest.approx(gap)
    # Two English rows resemble others of the training; no row is a translation.
    assert found["notes"] == [
        "en: 2 of 60 rows are very similar to training rows, which may inflate the "
        "scores."
    ]


def test_the_alignment_leaves_out_only_what_has_no_translation(finished: Path) -> None:
    query = text(
        "SELECT sentence.text FROM pair JOIN mining ON pair.id >> 32 = mining.id "
        "JOIN sentence ON sentence.id = "
        "CASE n_source WHEN 0 THEN target_id ELSE source_id END "
        "WHERE kind = 'aligned' AND (n_source = 0 OR n_target = 0) ORDER BY text"
    )
    with open_read_only(finished) as project, project.store.connect() as connection:
        texts = connection.scalars(query).all()
    starts = [" ".join(one.split()[:2]) for one in texts]
    assert starts == ["After a", "Meine Großmutter", "My uncle"]


def test_retrieval_by_two_encoders_is_first_in_evaluate(finished: Path) -> None:
    with open_read_only(finished) as project:
        first, second = list_measured_runs(project.store)[:2]
    assert {first.task, second.task} == {"evaluate-retrieval"}
    assert (*first.encoders, *second.encoders) == ("isogloss-3", "isogloss-2")


def test_the_archive_is_small() -> None:
    assert (resource_dir() / ARCHIVE).stat().st_size <= MAX_BYTES


def test_the_demo_names_no_place_of_the_machine_that_built_it(finished: Path) -> None:
    with open_read_only(finished) as project, project.store.connect() as connection:
        for column in ("params", "result"):
            values = connection.scalars(text(f"SELECT {column} FROM run")).all()
            assert not [it for it in values if it and '"/' in it]
        files = connection.scalars(text("SELECT file FROM run_file")).all()
    assert files
    assert all(file.startswith("resources/samples/") for file in files)
