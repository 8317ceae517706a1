"""The bundled encoders: their size, and that they find translations."""

import csv
import hashlib
from pathlib import Path

import numpy as np
import pytest

from app.engine.encoders.encoder import Encoder
from app.engine.encoders.folder import fingerprint_of, folder_bytes
from app.engine.encoders.registry import find_encoder, list_encoders, load_encoder
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report
from app.engine.text.changed_facts import change_facts
from app.engine.training.development import retrieval_error
from app.paths import resource_dir

MAX_BYTES, MAX_BYTES_OF_BOTH = 32_000_000, 45_000_000
CONTEXT = "isogloss-3-context"
NAMES = ("isogloss-2", "isogloss-3", CONTEXT)


@pytest.fixture(scope="module", params=NAMES)
def bundled(request: pytest.FixtureRequest) -> Encoder:
    return load_encoder(request.param)


def gold(language: str) -> list[str]:
    """Return the sentences that stand in all twelve samples, in one order."""
    file = resource_dir() / "samples" / f"{language}.tsv"
    with file.open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream, delimiter="\t") if row["gold"]]
    return [row["text"] for row in sorted(rows, key=lambda row: row["gold"])]


def test_they_are_listed_and_small() -> None:
    cards = [one for one in list_encoders() if one.bundled]
    assert tuple(card.name for card in cards) == NAMES
    for card in cards:
        dim = 512 if card.name == CONTEXT else 256
        assert (card.dim, card.licence) == (dim, "CC BY-SA 4.0")
        assert folder_bytes(Path(card.folder)) <= MAX_BYTES
    assert find_encoder("").name == "isogloss-3"  # the default
    both = [card.size_bytes for card in cards if card.name.startswith("isogloss-3")]
    assert sum(both) <= MAX_BYTES_OF_BOTH


def test_the_model_cards_name_the_hashes_of_their_files() -> None:
    for card in (one for one in list_encoders() if one.bundled):
        folder = Path(card.folder)
        words = (folder / "README.md").read_text(encoding="utf-8").split()
        for file in (*folder.glob("*.safetensors"), *folder.glob("*.model")):
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            assert words[words.index(digest) + 1] == file.name


def test_the_contextual_one_reads_the_words_of_the_default() -> None:
    cards = {one.name: one for one in list_encoders() if one.bundled}
    fingerprint = fingerprint_of(find_encoder("isogloss-3"))
    assert cards[CONTEXT].base_fingerprint == fingerprint
    assert cards[CONTEXT].languages == cards["isogloss-3"].languages


def test_the_contextual_one_finds_changed_facts_less_often() -> None:
    """Translations must be nearer than the same sentences with a fact changed."""
    english = gold("en")
    changed = change_facts(english, np.random.default_rng(1))
    kept = [i for i, text in enumerate(changed) if text]
    assert len(kept) > 25
    n_right = {}
    for name in ("isogloss-3", CONTEXT):
        encoder = load_encoder(name)
        right, wrong = (
            normalise_rows(encoder.encode([texts[i] for i in kept]))[0]
            for texts in (english, changed)
        )
        n_right[name] = 0
        for language in ("de", "fr", "es", "ru"):
            texts = gold(language)
            queries = normalise_rows(encoder.encode([texts[i] for i in kept]))[0]
            margins = (queries * right).sum(axis=1) - (queries * wrong).sum(axis=1)
            n_right[name] += int((margins > 0).sum())
    assert n_right[CONTEXT] > n_right["isogloss-3"]


@pytest.mark.parametrize(
    "language", ["de", "fr", "es", "ru", "tr", "el", "zh", "ar", "hi", "ja", "sw"]
)
def test_it_finds_most_translations_of_the_samples(
    bundled: Encoder, language: str
) -> None:
    vectors = bundled.encode(gold(language))
    error = retrieval_error(vectors, bundled.encode(gold("en")), Report())
    assert error.n == 60
    assert error.mean < 0.15  # by chance 59 of 60 would be wrong


def test_isogloss_2_has_the_fingerprint_that_vectors_of_older_projects_have() -> None:
    fingerprint = fingerprint_of(find_encoder("isogloss-2"))
    assert fingerprint.startswith("58ee579e")  # of its weights and vocabulary
