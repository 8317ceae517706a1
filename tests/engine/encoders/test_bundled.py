"""The bundled encoders: their size, and that they find translations."""

import csv
from pathlib import Path

import pytest

from app.engine.encoders.encoder import Encoder
from app.engine.encoders.folder import fingerprint_of, folder_bytes
from app.engine.encoders.registry import find_encoder, list_encoders, load_encoder
from app.engine.runtime.report import Report
from app.engine.training.development import retrieval_error
from app.paths import resource_dir

MAX_BYTES = 32_000_000


NAMES = ("isogloss-2", "isogloss-3")


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
        assert (card.dim, card.licence) == (256, "CC BY-SA 4.0")
        assert folder_bytes(Path(card.folder)) <= MAX_BYTES
    assert find_encoder("").name == "isogloss-3"  # the default


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
