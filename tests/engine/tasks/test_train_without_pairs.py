"""Training on inference or documents alone, and zero-shot inference by the head."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.engine.classify.repository import load_project_classifier
from app.engine.encoders.registry import load_encoder
from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.store.classifiers import list_classifiers
from app.engine.tasks.evaluate_transfer import evaluate_transfer
from app.engine.tasks.import_classifier import import_classifier
from app.engine.tasks.plan_training import plan_training
from app.engine.tasks.train_encoder import TrainEncoderResult, train_encoder
from app.errors import UserError
from app.number_format import NO_BREAK
from app.params import build_params
from app.params.classify import EvaluateTransfer, ImportClassifier
from app.params.training.encoder import PlanTraining, TrainEncoder
from app.results.transfer import LanguageScore
from tests.engine.training.objectives.test_held_out_inference import write_premises
from tests.engine.training.objectives.test_quick_thought import write_documents

SETTINGS: dict[str, Any] = {
    "name": "tiny",
    "architecture": "bilstm",
    "embed_dim": 12,
    "dim": 16,
    "n_pieces": 300,
    "storage": "float32",
    "n_steps": 30,
    "batch_size": 16,
    "n_warmup": 5,
    "evaluate_every": 10,
    "precision": "float32",
}
PAIRS = (("entailment", "ba do", "ki lu"), ("neutral", "me no ba", "su te"))


def train(project: Project | None, **values: Any) -> TrainEncoderResult:
    params = build_params(TrainEncoder, SETTINGS | values)
    return train_encoder(project, params, Report())


@pytest.fixture
def nli(tmp_path: Path) -> Path:
    return write_premises(tmp_path / "nli.tsv", 60)


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    return write_documents(tmp_path / "eng.txt", 60)


def test_inference_alone_makes_an_encoder_and_its_classifier(
    tmp_path: Path, nli: Path
) -> None:
    with create_project(tmp_path / "p") as project:
        result = train(project, objectives=("nli",), nli=(nli,), n_development=18)
        assert result.n_pairs == 162
        assert result.development_error is None
        assert result.nli_accuracy is not None
        assert result.notes[-1] == (
            "The trained NLI head is kept as the classifier tiny NLI."
        )
        (row,) = list_classifiers(project.store)
        assert (row.name, row.encoder, row.n_train) == ("tiny NLI", "tiny", 162)
        assert row.development == result.nli_accuracy
        card = Path(result.folder, "README.md").read_text("utf-8")
    assert f"held-out pairs: {100 * result.nli_accuracy:.1f}{NO_BREAK}%" in card
    assert "whose NLI accuracy was the highest" in card


def test_zero_shot_inference_goes_through_the_trained_head(
    tmp_path: Path, nli: Path
) -> None:
    """Chidambaram et al. 2019, section 4.4, on two pairs, computed by hand."""
    with create_project(tmp_path / "p") as project:
        train(project, objectives=("nli",), nli=(nli,))
        head = load_project_classifier(project, "tiny NLI").head.arrays()
        encoder = load_encoder("tiny", project.folder)
        # the classifier's features are u, v, u * v, |u - v| of raw vectors
        said = []
        for _, premise, hypothesis in PAIRS:
            u, v = encoder.encode([premise, hypothesis]).astype(float)
            assert abs(np.linalg.norm(u) - 1) > 0.1, "unit vectors would prove nothing"
            features = np.concatenate([u, v, u * v, np.abs(u - v)])
            hidden = np.tanh(head["0.weight"] @ features + head["0.bias"])
            scores = head["1.weight"] @ hidden + head["1.bias"]
            shares = np.exp(scores) / np.exp(scores).sum()
            said.append(("entailment", "neutral", "contradiction")[shares.argmax()])
        expected = np.mean(
            [s == label for s, (label, *_) in zip(said, PAIRS, strict=True)]
        )
        file = tmp_path / "test.tsv"
        file.write_text("".join("\t".join(row) + "\n" for row in PAIRS), "utf-8")
        params = build_params(
            EvaluateTransfer, {"classifier": "tiny NLI", "tests": [f"fr={file}"]}
        )
        score = evaluate_transfer(project, params, Report()).languages["fr"]
        assert isinstance(score, LanguageScore)
        assert score.accuracy == expected


def test_the_head_is_the_one_that_was_trained(tmp_path: Path, nli: Path) -> None:
    """The saved classifier is right about pairs like those of the training."""
    with create_project(tmp_path / "p") as project:
        values = {"n_steps": 150, "lr": 0.02, "dropout": 0.0}
        train(project, objectives=("nli",), nli=(nli,), **values)
        params = build_params(
            EvaluateTransfer, {"classifier": "tiny NLI", "tests": [f"en={nli}"]}
        )
        score = evaluate_transfer(project, params, Report()).languages["en"]
        assert isinstance(score, LanguageScore)
        assert score.accuracy > 0.95


def test_without_a_project_the_head_is_a_file_to_import(
    tmp_path: Path, nli: Path
) -> None:
    out = tmp_path / "encoders" / "tiny"
    result = train(None, objectives=("nli",), nli=(nli,), out=out)
    file = out.with_name("tiny.nli.zip")
    assert result.notes[-1].startswith("The trained NLI head is in tiny.nli.zip")
    with create_project(tmp_path / "p") as project:
        (project.folder / "encoders").mkdir(exist_ok=True)
        out.rename(project.folder / "encoders" / "tiny")
        params = build_params(ImportClassifier, {"file": file})
        import_classifier(project, params, Report())
        classifier = load_project_classifier(project, "tiny NLI")
    assert not classifier.config.normalised


def test_a_name_that_a_classifier_has_gets_a_number(tmp_path: Path, nli: Path) -> None:
    with create_project(tmp_path / "p") as project:
        train(project, objectives=("nli",), nli=(nli,))
        (project.folder / "encoders" / "tiny").rename(tmp_path / "moved")
        train(project, objectives=("nli",), nli=(nli,), seed=2)
        names = {row.name for row in list_classifiers(project.store)}
    assert names == {"tiny NLI", "tiny NLI 2"}


def test_quick_thought_alone_makes_an_encoder(tmp_path: Path, documents: Path) -> None:
    with create_project(tmp_path / "p") as project:
        result = train(
            project,
            objectives=("quick-thought",),
            documents=(documents,),
            n_development=5,
        )
        assert result.n_pairs == 120  # two middles in each of 60 documents
        assert load_encoder("tiny", project.folder).encode(["ba do"]).any()
        assert list_classifiers(project.store) == []
    vocabulary = Path(result.folder) / "sentencepiece.model"
    assert vocabulary.exists() or any(Path(result.folder).glob("*.model"))


def test_words_are_chosen_from_documents_too(tmp_path: Path, documents: Path) -> None:
    result = train(
        None,
        out=tmp_path / "words",
        architecture="transformer",
        units="words",
        n_ngrams=64,
        n_heads=2,
        filter_dim=24,
        n_steps=2,
        objectives=("quick-thought",),
        documents=(documents,),
    )
    words = (Path(result.folder) / "words.txt").read_text("utf-8").split("\n")[:-1]
    text = documents.read_text("utf-8").split()
    assert set(words) == set(text)
    assert words[0] == max(sorted(set(text)), key=text.count)


@pytest.mark.parametrize(
    ("objective", "needed"),
    [
        ("nli", "NLI files are missing"),
        ("quick-thought", "Document files are missing"),
        ("conversation", "Conversation files are missing"),
    ],
)
def test_an_objective_without_its_files_is_refused(
    tmp_path: Path, objective: str, needed: str
) -> None:
    with pytest.raises(UserError, match=needed):
        train(None, out=tmp_path / "e", objectives=(objective,))


@pytest.mark.parametrize("units", ["pieces", "words"])
def test_a_training_without_pairs_is_estimated(nli: Path, units: str) -> None:
    values = {"objectives": ("nli",), "nli": (nli,), "architecture": "transformer"}
    sizes = {"n_heads": 2, "filter_dim": 24, "units": units, "n_ngrams": 64}
    params = build_params(PlanTraining, SETTINGS | values | sizes)
    plan = plan_training(None, params, Report())
    assert plan.n_examples == 180
