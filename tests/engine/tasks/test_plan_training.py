"""Plans: from a sample and some steps to the time, memory and disk of a training."""

import lzma
from pathlib import Path

import msgspec
import numpy as np
import pytest

from app.engine.project.project import create_project
from app.engine.runtime.report import Report
from app.engine.tasks.import_corpus import import_corpus
from app.engine.tasks.plan_training import plan_training
from app.engine.tasks.train_encoder import train_encoder
from app.engine.text.subword_vocabulary import MODEL_FILE, load_vocabulary
from app.engine.text.word_vocabulary import WORDS_FILE, load_word_vocabulary
from app.engine.training.held_out import HeldOutSentences
from app.engine.training.preparation import train_own_vocabulary
from app.engine.training.trial_data import (
    SAMPLE_LINES,
    grow_pieces,
    grow_words,
    sample_data,
)
from app.errors import ResourceError, UserError
from app.params.corpora import ImportCorpus
from app.params.training.encoder import PlanTraining, TrainEncoder
from tests.engine.training.synthetic import english_word, write_pairs

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
N_ROWS_OF_WORDS = 200 + 10_000 + 500  # words, hashed words, n-grams


@pytest.mark.parametrize(
    ("params", "n_at_least"),
    [(STATIC, 100 * 16), (TRANSFORMER, N_ROWS_OF_WORDS * 8)],
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
    assert plan.disk_bytes > 4 * plan.n_parameters
    assert plan.saved_bytes == plan.n_parameters  # int8
    assert plan.precision == "float32"
    assert any("vocabulary is not trained yet" in note for note in plan.notes)
    assert [file.name for file in tmp_path.iterdir()] == ["eng-deu.tsv"]
    values = msgspec.structs.asdict(params) | {"name": "mine", "pairs": (pairs,)}
    values |= {"out": tmp_path / "mine", "n_steps": 1}
    trained = train_encoder(None, TrainEncoder(**values), Report())
    assert trained.n_parameters == pytest.approx(plan.n_parameters, rel=0.02)


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


def test_the_vocabulary_of_a_sample_grows_to_that_of_all_data(tmp_path: Path) -> None:
    file = write_pairs(tmp_path / "eng-deu.tsv", 300)
    params = msgspec.structs.replace(STATIC, pairs=(file,))
    nothing = HeldOutSentences(np.empty(0, np.uint64))
    for units in ("pieces", "words"):
        settings = msgspec.structs.replace(params, units=units)
        folder = tmp_path / units
        train_own_vocabulary(settings, (file,), nothing, folder, Report())
        name = WORDS_FILE if units == "words" else MODEL_FILE
        grow = grow_words if units == "words" else grow_pieces
        n = grow(folder / name, 1.0, 2_000)
        assert grow(folder / name, 32.0, 2_000) == min(8 * n, 2_000)
        if units == "words":
            assert load_word_vocabulary(folder).n_words == min(8 * n, 2_000)
            continue
        vocabulary = load_vocabulary(folder)
        assert vocabulary.n_pieces == min(8 * n, 2_000)
        ids, _ = vocabulary.tokenise([english_word(7)])
        assert ids.max() < n  # texts have none of the added pieces


def test_copied_columns_are_told_by_the_name_of_their_file(tmp_path: Path) -> None:
    file = tmp_path / "eng-deu.tsv"
    file.write_text("one\tone\ntwo\ttwo\n", encoding="utf-8")
    with pytest.raises(
        UserError, match=r"^eng-deu\.tsv: both columns are identical in 2"
    ):
        plan_training(None, msgspec.structs.replace(STATIC, pairs=(file,)), Report())
