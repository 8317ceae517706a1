"""Plans: from a sample and some steps to the time, memory and disk of a training."""

import lzma
from pathlib import Path

import msgspec
import pytest

from app.engine.project.project import create_project
from app.engine.runtime.report import Report
from app.engine.tasks.import_corpus import import_corpus
from app.engine.tasks.plan_training import plan_training
from app.engine.text.subword_vocabulary import load_vocabulary
from app.engine.text.word_vocabulary import load_word_vocabulary
from app.engine.training.trial_data import (
    SAMPLE_LINES,
    sample_data,
    write_placeholder_pieces,
    write_placeholder_words,
)
from app.errors import ResourceError, UserError
from app.params.corpora import ImportCorpus
from app.params.training.encoder import PlanTraining
from tests.engine.training.synthetic import write_pairs

STATIC = PlanTraining(
    name="-",
    n_pieces=2_000,
    n_bigrams=100,
    n_ngrams=0,
    dim=16,
    batch_size=32,
    n_steps=1_000,
)
TRANSFORMER = msgspec.structs.replace(
    STATIC,
    architecture="transformer",
    units="words",
    n_ngrams=500,
    n_heads=2,
    embed_dim=8,
    filter_dim=16,
    pooling="mean",
    precision="float32",
    n_accumulated=3,
    objectives=("ranking", "distillation"),
)
N_ROWS_OF_WORDS = 2_000 + 10_000 + 500  # words, hashed words, n-grams


@pytest.mark.parametrize(
    ("params", "n_at_least"),
    [(STATIC, 2_100 * 16), (TRANSFORMER, N_ROWS_OF_WORDS * 8)],
    ids=["static", "transformer"],
)
def test_a_plan_counts_what_a_training_has(
    params: PlanTraining, n_at_least: int, tmp_path: Path
) -> None:
    pairs = write_pairs(tmp_path / "eng-deu.tsv", 300)
    plan = plan_training(
        None, msgspec.structs.replace(params, pairs=(pairs,)), Report()
    )
    assert n_at_least <= plan.n_parameters < n_at_least + 40_000
    assert plan.n_examples == 300
    assert plan.step_s > 0
    assert plan.time_s >= 1_000 * plan.step_s
    assert plan.steps_per_s == pytest.approx(1 / plan.step_s)
    assert plan.sentences_per_s > plan.steps_per_s
    assert plan.memory_bytes > 16 * plan.n_parameters
    assert plan.disk_bytes > 40 * plan.n_parameters
    assert plan.precision == "float32"
    assert any("vocabulary is not trained yet" in note for note in plan.notes)
    assert [file.name for file in tmp_path.iterdir()] == ["eng-deu.tsv"]


def test_corpora_are_planned_with(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.tsv", 40)
    importing = ImportCorpus(
        files=(pairs,),
        languages=("en", "de"),
        columns=("1", "2"),
        header="no",
        format="tsv",
    )
    with create_project(tmp_path / "p") as project:
        first = import_corpus(project, importing, Report()).corpora[0]
        params = msgspec.structs.replace(STATIC, corpora=(str(first.id),))
        assert plan_training(project, params, Report()).n_examples == 40
        assert not list((project.folder / "encoders").glob("*"))


def test_no_data_and_missing_data_are_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Choose corpora or at least one pair file"):
        plan_training(None, STATIC, Report())
    missing = msgspec.structs.replace(STATIC, pairs=(tmp_path / "no.tsv",))
    with pytest.raises(ResourceError, match=r"no\.tsv"):
        plan_training(None, missing, Report())


def test_a_sample_tells_about_how_many_lines_there_are(tmp_path: Path) -> None:
    file = write_pairs(tmp_path / "eng-deu.tsv", 20_000)
    packed = tmp_path / "eng-fra.tsv.xz"
    packed.write_bytes(lzma.compress(file.read_bytes()))
    for one, tolerance in ((file, 0.02), (packed, 0.8)):
        params = msgspec.structs.replace(STATIC, pairs=(one,))
        sample = sample_data(params, tmp_path / "sample", Report())
        assert sample.n_sampled == SAMPLE_LINES
        assert sample.n_lines == pytest.approx(20_000, rel=tolerance)


@pytest.mark.parametrize("n_pieces", [500, 60_000])
def test_a_stand_in_has_as_many_pieces_as_asked_for(
    n_pieces: int, tmp_path: Path
) -> None:
    write_placeholder_pieces(tmp_path, n_pieces)
    vocabulary = load_vocabulary(tmp_path)
    assert vocabulary.n_pieces == n_pieces
    ids, lengths = vocabulary.tokenise(["The house is big.", "Das Haus ist groß."])
    assert ids.max() < n_pieces
    assert (lengths < 19).all()  # pieces, not letters


def test_a_stand_in_has_as_many_words_as_asked_for(tmp_path: Path) -> None:
    file = write_pairs(tmp_path / "eng-deu.tsv", 50)
    texts = file.read_text(encoding="utf-8").split("\t")
    write_placeholder_words(tmp_path, 1_000, texts)
    assert load_word_vocabulary(tmp_path).n_words == 1_000


def test_copied_columns_are_told_by_the_name_of_their_file(tmp_path: Path) -> None:
    file = tmp_path / "eng-deu.tsv"
    file.write_text("one\tone\ntwo\ttwo\n", encoding="utf-8")
    with pytest.raises(
        UserError, match=r"^eng-deu\.tsv: both columns are identical in 2"
    ):
        plan_training(None, msgspec.structs.replace(STATIC, pairs=(file,)), Report())
