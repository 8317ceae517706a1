"""The untrained twin: the same sizes and vocabulary, other weights, by its seed."""

from pathlib import Path

import numpy as np
import pytest

from app.engine.encoders.checkpoint import load_encoder, save_folder
from app.engine.encoders.configs import SentenceTransformersConfig
from app.engine.probing.twins import load_twin
from app.engine.text.vocabulary import Vocabulary
from tests.engine.encoders.made import ARCHITECTURES
from tests.engine.encoders.test_every_architecture import save

TEXTS = ["bado kilu meno", "kilu", ""]


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_architecture_has_a_twin(
    name: str, vocabulary: Vocabulary, tmp_path: Path
) -> None:
    save(name, tmp_path / name, vocabulary, "float32")
    folder = str(tmp_path / name)
    trained = load_encoder(folder)
    ones, again, others = (load_twin(folder, None, seed=seed) for seed in (1, 1, 2))
    assert ones is not None
    assert again is not None
    assert others is not None
    vectors = ones.encode(TEXTS)
    assert ones.dim == trained.dim
    assert not np.allclose(vectors, trained.encode(TEXTS))
    assert (again.encode(TEXTS) == vectors).all()
    assert not np.allclose(vectors, others.encode(TEXTS))
    assert not vectors[2].any()
    prints = {one.fingerprint for one in (trained, ones, again, others)}
    assert len(prints) == 3


def test_an_encoder_made_elsewhere_has_none(tmp_path: Path) -> None:
    config = SentenceTransformersConfig(name="far", dim=4)
    save_folder(tmp_path / "far", config, {}, "# far\n")
    assert load_twin(str(tmp_path / "far"), None, seed=1) is None
