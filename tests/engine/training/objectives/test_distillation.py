"""Distillation: teacher vectors on disk, formula, projection, learning."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from app.arrays import FloatArray
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.training.data.aligned import open_aligned
from app.engine.training.data.row_store import RowStore
from app.engine.training.objective import ObjectiveContext, encode_columns
from app.engine.training.objectives import distillation
from app.engine.training.objectives.distillation import (
    DistillationObjective,
    make_distillation,
    make_teacher_vectors,
)
from app.errors import Cancelled
from tests.engine.training.objectives.making import (
    DIM,
    check_draws_are_reproducible,
    gradient_norms,
    make_context,
    make_module,
    save_encoder,
    train,
)
from tests.engine.training.synthetic import make_pairs


class Teacher:
    """An encoder that knows each text's vector by its length and letters."""

    name, fingerprint = "teacher", "0123456789abcdef0123"

    def __init__(self, dim: int):
        self.dim = dim
        self.n_encoded = 0

    def encode(self, texts: Sequence[str]) -> FloatArray:
        self.n_encoded += len(texts)
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> FloatArray:
        counts = [text.count(c) + 0.01 * len(text) for c in "aeioubdklmnprst "]
        vector = np.zeros(self.dim, np.float32)
        vector[: len(counts)] = np.array(counts[: self.dim], np.float32)
        return vector


def make_store(
    folder: Path, vocabulary: Vocabulary
) -> tuple[ObjectiveContext, RowStore]:
    pairs = make_pairs(60)
    for name, chosen in (("eng-deu", pairs), ("eng-spa", pairs[:30])):
        text = "".join(f"{a}\t{b}\n" for a, b in chosen)
        (folder / f"{name}.tsv").write_text(text, encoding="utf-8")
    files = [folder / "eng-deu.tsv", folder / "eng-spa.tsv"]
    context = make_context(folder, vocabulary, files=files, objectives=["distillation"])
    return context, open_aligned(context, Report())


def make(folder: Path, vocabulary: Vocabulary, dim: int = DIM) -> DistillationObjective:
    context, store = make_store(folder, vocabulary)
    vectors = make_teacher_vectors(folder, store, Teacher(dim), DIM, Report())
    return DistillationObjective(context, store, vectors)


def english(store: RowStore) -> list[str]:
    return store.texts(np.arange(0, 2 * store.n_rows, 2))


def test_each_english_sentence_is_encoded_once_to_a_unit_vector(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    _, store = make_store(tmp_path, vocabulary)
    teacher = Teacher(DIM)
    made = make_teacher_vectors(tmp_path, store, teacher, DIM, Report())
    n_distinct = len(set(english(store)))
    assert teacher.n_encoded == n_distinct == len(made.vectors)
    expected, _ = normalise_rows(Teacher(DIM).encode(english(store)))
    assert np.abs(made.vectors[made.rows] - expected).max() < 1e-3  # float16
    again = make_teacher_vectors(tmp_path, store, teacher, DIM, Report())
    assert teacher.n_encoded == n_distinct
    assert again.vectors.tolist() == made.vectors.tolist()


def test_a_stopped_encoding_goes_on(
    tmp_path: Path, vocabulary: Vocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distillation, "FIRST_ROWS", 20)
    _, store = make_store(tmp_path, vocabulary)
    report = Report()

    class Stopping(Teacher):
        def encode(self, texts: Sequence[str]) -> FloatArray:
            report.cancel()
            return super().encode(texts)

    with pytest.raises(Cancelled):
        make_teacher_vectors(tmp_path, store, Stopping(DIM), DIM, report)
    teacher = Teacher(DIM)
    made = make_teacher_vectors(tmp_path, store, teacher, DIM, Report())
    assert teacher.n_encoded == len(made.vectors) - 20
    expected, _ = normalise_rows(Teacher(DIM).encode(english(store)))
    assert np.abs(made.vectors[made.rows] - expected).max() < 1e-3


def test_a_larger_teacher_is_projected_on_its_principal_axes(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    _, store = make_store(tmp_path, vocabulary)
    made = make_teacher_vectors(tmp_path, store, Teacher(40), 5, Report())
    texts = list(dict.fromkeys(english(store)))
    unit, _ = normalise_rows(Teacher(40).encode(texts))
    _, values, axes = np.linalg.svd(unit)
    expected, _ = normalise_rows(unit @ axes[:5].T)
    found = made.vectors.astype(np.float32)
    assert np.abs(found @ found.T - expected @ expected.T).max() < 0.01
    share = (values[:5] ** 2).sum() / (values**2).sum()
    assert made.kept_share == pytest.approx(share, abs=1e-3)


@pytest.mark.parametrize("teacher_dim", [DIM, 10])
def test_loss_equals_a_slow_reference(
    tmp_path: Path, vocabulary: Vocabulary, teacher_dim: int
) -> None:
    objective = make(tmp_path, vocabulary, teacher_dim)
    module = make_module(vocabulary)
    examples = objective.draw(0)
    found = objective.loss(module, examples)
    columns = [
        column.detach().numpy()
        for column in encode_columns(module, examples.columns, "cpu")
    ]
    total = 0.0
    for i, wanted in enumerate(examples.teacher_vectors.astype(np.float64)):
        wanted = np.append(wanted, np.zeros(DIM - teacher_dim))
        for column in columns:
            unit = column[i] / np.linalg.norm(column[i])
            total += ((unit - wanted) ** 2).sum()
    n = len(examples.teacher_vectors)
    assert found.loss.item() == pytest.approx(total / n, rel=1e-5)


def test_the_cosine_is_shown(tmp_path: Path, vocabulary: Vocabulary) -> None:
    objective, module = make(tmp_path, vocabulary), make_module(vocabulary)
    examples = objective.draw(0)
    wanted = torch.from_numpy(examples.teacher_vectors.astype(np.float32))
    columns = encode_columns(module, examples.columns, "cpu")
    cosines = [torch.cosine_similarity(column, wanted).mean() for column in columns]
    expected = torch.stack(cosines).mean().item()
    found = objective.loss(module, examples).values["cosine"]
    assert found == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("architecture", ["static", "bilstm"])
def test_gradient_reaches_the_module(
    tmp_path: Path, vocabulary: Vocabulary, architecture: str
) -> None:
    objective = make(tmp_path, vocabulary)
    norms = gradient_norms(objective, make_module(vocabulary, architecture))
    assert all(norm > 0 for norm in norms.values())
    assert not list(objective.heads.parameters())


def test_a_module_learns_the_teachers_space(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    objective, module = make(tmp_path, vocabulary), make_module(vocabulary)
    losses = train(objective, module, 60)
    assert losses[0] > 1
    assert np.mean(losses[-5:]) < 0.25 * losses[0]


def test_draws_are_reproducible(tmp_path: Path, vocabulary: Vocabulary) -> None:
    check_draws_are_reproducible(lambda: make(tmp_path, vocabulary))


def test_the_teacher_of_the_params_is_loaded_and_its_reduction_said(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    save_encoder(tmp_path / "teacher", vocabulary, 6)
    context, _ = make_store(tmp_path, vocabulary)
    smaller = make_context(
        tmp_path,
        vocabulary,
        files=context.files,
        objectives=["distillation"],
        teacher=str(tmp_path / "teacher"),
    )._replace(dim=4)
    objective = make_distillation(smaller, Report())
    assert objective.draw(0).teacher_vectors.shape == (16, 4)
    (note,) = objective.notes
    assert note.startswith("The teacher's 6 dimensions were reduced to 4")
