"""Combined encoders: the base, added languages, and the folder."""

from pathlib import Path

import numpy as np
import pytest

from app.engine.encoders.combined.encoder import (
    ROUTER_FILE,
    CombinedEncoder,
    language_folder,
    save_combined,
)
from app.engine.encoders.combined.language_router import LanguageRouter, make_profile
from app.engine.encoders.configs import CombinedConfig
from app.engine.encoders.folder import count_parameters, fingerprint_of
from app.engine.encoders.registry import load_encoder
from app.engine.numeric import normalise_rows
from app.engine.text.subword_vocabulary import Vocabulary
from app.errors import UserError
from tests.engine.training.objectives.making import DIM, save_encoder
from tests.engine.training.synthetic import make_pairs

ENGLISH, OTHERS = (list(side) for side in zip(*make_pairs(80), strict=True))


@pytest.fixture
def folder(tmp_path: Path, vocabulary: Vocabulary) -> Path:
    """Save a base and an added encoder of different weights, combined."""
    base = save_encoder(tmp_path / "base-encoder", vocabulary, DIM)
    added = save_encoder(tmp_path / "added-encoder", vocabulary, DIM)
    weights = added / "weights.safetensors"
    scaled = bytearray(weights.read_bytes())
    scaled[-40:] = bytes(40)  # other weights: the last scales are zero
    weights.write_bytes(bytes(scaled))
    router = LanguageRouter(
        make_profile(ENGLISH), {"xx": make_profile(OTHERS)}, is_base_multilingual=False
    )
    config = CombinedConfig(name="both", dim=DIM, languages=("en",), added=("xx",))
    out = tmp_path / "both"
    save_combined(out, config, router, base=base, added={"xx": added}, card="# both\n")
    return out


def test_each_text_has_the_unit_vector_of_its_encoder(folder: Path) -> None:
    encoder = load_encoder(str(folder))
    assert isinstance(encoder, CombinedEncoder)
    texts = [ENGLISH[0], OTHERS[0], ENGLISH[1], OTHERS[1]]
    base = load_encoder(str(folder / "base"))
    added = load_encoder(str(language_folder(folder, "xx")))
    expected, _ = normalise_rows(
        np.concatenate(
            [
                one.encode([text])
                for one, text in zip((base, added) * 2, texts, strict=True)
            ]
        )
    )
    found = encoder.encode(texts)
    assert found == pytest.approx(expected, abs=1e-6)
    assert np.abs(found[0] @ found.T).max() <= 1 + 1e-5
    assert encoder.encoder_of(OTHERS[0]).fingerprint == added.fingerprint


def test_a_vector_depends_on_its_text_alone(folder: Path) -> None:
    encoder = load_encoder(str(folder))
    texts = [*ENGLISH[:9], *OTHERS[:9], "", "12"]
    alone = np.concatenate([encoder.encode([text]) for text in texts])
    assert encoder.encode(texts) == pytest.approx(alone, abs=1e-6)
    assert not alone[-2].any()
    assert encoder.encode([]).shape == (0, DIM)


def test_the_fingerprint_covers_every_part(folder: Path) -> None:
    before = fingerprint_of(folder)
    assert count_parameters(folder) > 2 * DIM * 200
    weights = language_folder(folder, "xx") / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x01")
    assert fingerprint_of(folder) != before


def test_a_damaged_router_is_a_users_error(folder: Path) -> None:
    (folder / ROUTER_FILE).write_bytes(b"damaged")
    with pytest.raises(UserError, match="router"):
        load_encoder(str(folder))
    (folder / ROUTER_FILE).unlink()
    with pytest.raises(UserError, match="router"):
        load_encoder(str(folder))


def test_a_missing_language_is_a_users_error(folder: Path) -> None:
    (language_folder(folder, "xx") / "encoder.json").unlink()
    with pytest.raises(UserError, match="xx"):
        load_encoder(str(folder))
