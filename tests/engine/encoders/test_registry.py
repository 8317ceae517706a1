"""Folders of encoders: saved, listed, found, and damaged in every way."""

import errno
import os
import subprocess
import sys
import time
import weakref
from pathlib import Path

import numpy as np
import pytest

from app.engine.encoders.configs import StaticConfig
from app.engine.encoders.folder import WEIGHTS_FILE, read_config
from app.engine.encoders.registry import list_encoders, load_encoder
from app.engine.encoders.static.encoder import StaticEncoder, save_static
from app.engine.text.subword_vocabulary import Vocabulary
from app.errors import UserError
from tests.engine.encoders.conftest import DIM, N_BIGRAMS

FILES = ["encoder.json", "weights.safetensors", "vocabulary.model"]


def static_config(folder: Path) -> StaticConfig:
    config = read_config(folder)
    assert isinstance(config, StaticConfig)
    return config


def test_saved_encoder_gives_nearly_the_same_vectors(
    folder: Path, encoder: StaticEncoder
) -> None:
    texts = ["bado kilu meno", "su te"]
    loaded = load_encoder(str(folder)).encode(texts)
    # each of at most 14 rows is off by half of max / 127 at most
    np.testing.assert_allclose(loaded, encoder.encode(texts), atol=14 * 3.5 / 254)


def test_float_encoder_gives_the_same_vectors(
    tmp_path: Path, encoder: StaticEncoder, vocabulary: Vocabulary, table: np.ndarray
) -> None:
    config = StaticConfig(
        name="exact",
        dim=DIM,
        n_pieces=vocabulary.n_pieces,
        n_bigrams=N_BIGRAMS,
        precision="float32",
    )
    out = tmp_path / "exact"
    save_static(out, config, table=table, vocabulary=vocabulary.model_bytes, card="")
    loaded = load_encoder(str(out))
    np.testing.assert_array_equal(loaded.encode(["bado"]), encoder.encode(["bado"]))


def test_project_encoder_is_found_by_name_and_listed(folder: Path) -> None:
    project = folder.parent.parent
    assert load_encoder("tiny", project).name == "tiny"
    (card,) = [one for one in list_encoders(project) if one.name == "tiny"]
    assert (card.dim, card.bundled, card.folder) == (DIM, False, str(folder))
    assert card.size_bytes > 1000


def test_unknown_name_lists_the_known_ones(folder: Path) -> None:
    with pytest.raises(UserError, match=r"Unknown encoder 'lost'.*tiny"):
        load_encoder("lost", folder.parent.parent)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("keep", [0, 30, -7])
def test_truncated_file_is_a_users_error(folder: Path, name: str, keep: int) -> None:
    file = folder / name
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(UserError) as caught:
        load_encoder(str(folder))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", FILES[1:])
def test_missing_file_is_a_users_error(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(UserError):
        load_encoder(str(folder))


def test_newer_format_is_refused_with_both_numbers(folder: Path) -> None:
    file = folder / "encoder.json"
    file.write_bytes(file.read_bytes().replace(b'"format": 1', b'"format": 9'))
    with pytest.raises(UserError, match=r"format 9.*up to 1"):
        read_config(folder)


def test_an_encoder_is_never_overwritten(folder: Path, table: np.ndarray) -> None:
    with pytest.raises(UserError, match="already exists"):
        save_static(folder, static_config(folder), table=table, vocabulary=b"", card="")


def test_a_full_disk_leaves_nothing(
    folder: Path, table: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fill)
    other, before = folder.with_name("other"), sorted(folder.parent.iterdir())
    with pytest.raises(OSError, match="No space"):
        save_static(other, static_config(folder), table=table, vocabulary=b"", card="")
    assert sorted(folder.parent.iterdir()) == before


def test_fingerprint_changes_with_the_weights(
    folder: Path, tmp_path: Path, vocabulary: Vocabulary, table: np.ndarray
) -> None:
    other = tmp_path / "other"
    save_static(
        other,
        static_config(folder),
        table=-table,
        vocabulary=vocabulary.model_bytes,
        card="",
    )
    first, second = load_encoder(str(folder)), load_encoder(str(other))
    assert len(first.fingerprint) == 64
    assert first.fingerprint != second.fingerprint


def test_an_encoder_in_use_is_loaded_once_until_its_files_change(folder: Path) -> None:
    first = load_encoder(str(folder))
    assert load_encoder(str(folder)) is first
    os.utime(folder / WEIGHTS_FILE, ns=(0, time.time_ns() + 1))
    assert load_encoder(str(folder)) is not first
    gone = weakref.ref(first)
    del first
    assert gone() is None  # only those who use an encoder keep it in memory


def test_all_files_may_be_read_by_everyone(folder: Path) -> None:
    if sys.platform != "win32":
        assert all(file.stat().st_mode & 0o044 for file in folder.iterdir())


def test_listing_does_not_import_torch(folder: Path) -> None:
    code = (
        "import sys, pathlib; from app.engine.encoders.registry import list_encoders;"
        f"list_encoders(pathlib.Path({str(folder.parent.parent)!r}));"
        "assert not {'torch', 'sentencepiece'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
