"""Untrained twins: same sizes and vocabulary, other weights, reproducible by seed."""

from pathlib import Path

import numpy as np
import pytest

from app.engine.encoders.configs import SentenceTransformersConfig
from app.engine.encoders.folder import count_parameters, save_folder
from app.engine.encoders.registry import load_encoder
from app.engine.probing import untrained_encoders as module
from app.engine.probing.untrained_encoders import UntrainedEncoders, load_untrained
from app.engine.text.subword_vocabulary import Vocabulary
from tests.engine.encoders.made import ARCHITECTURES
from tests.engine.encoders.test_every_architecture import save
from tests.engine.encoders.tiny import save_tiny

TEXTS = ["bado kilu meno", "kilu", ""]


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_architecture_has_a_twin(
    name: str, vocabulary: Vocabulary, tmp_path: Path
) -> None:
    save(name, tmp_path / name, vocabulary, "float32")
    folder = str(tmp_path / name)
    trained = load_encoder(folder)
    ones, again, others = (
        load_untrained(folder, None, seed=seed) for seed in (1, 1, 2)
    )
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
    assert load_untrained(str(tmp_path / "far"), None, seed=1) is None


def test_twins_are_kept_as_far_as_the_memory_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "tiny"
    save_tiny(folder)
    n_bytes = 4 * count_parameters(folder)
    monkeypatch.setattr(module, "MAX_CACHED_BYTES", n_bytes)
    twins = UntrainedEncoders(None, "cpu")
    first, second = twins.get(str(folder), 1), twins.get(str(folder), 2)
    assert twins.get(str(folder), 1) is first
    assert twins.get(str(folder), 2) is not second
