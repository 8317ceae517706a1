"""Trainings that are refused leave nothing, and what looks wrong is told."""

from pathlib import Path
from typing import Any

import pytest

from app.errors import UserError
from tests.engine.tasks.test_train_encoder_job import BILSTM, params, train


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"objectives": ("translation",), "target_languages": ("xyz",)}, "xyz"),
        ({**BILSTM, "storage": "int4"}, "4 bits suit the table of a static encoder"),
        ({"storage": "int4", "dim": 17}, "17 dimensions are odd"),
        ({"kept_out": ("eng-deu.tsv",)}, "Fewer than two of 300 pairs"),
    ],
    ids=["no such language", "int4 of a bilstm", "int4 of odd size", "all kept out"],
)
def test_what_is_refused_leaves_nothing(
    values: dict[str, Any], message: str, tmp_path: Path
) -> None:
    if "kept_out" in values:
        values = {"kept_out": (tmp_path / values["kept_out"][0],)}
    with pytest.raises(UserError, match=message):
        train(params(tmp_path, **values))
    assert list((tmp_path / "out").iterdir()) == []


def test_an_initial_encoder_of_other_pieces_is_refused(tmp_path: Path) -> None:
    first = train(params(tmp_path, n_steps=2))
    model = (Path(first.folder) / "vocabulary.model").read_bytes()
    other = tmp_path / "other"
    other.mkdir()
    (other / "vocabulary.model").write_bytes(model + b"\xf8\x07\x01")  # a field more
    values = {"initial": first.folder, "out": tmp_path / "second", "n_steps": 2}
    with pytest.raises(UserError, match="has another vocabulary than"):
        train(params(tmp_path, **values, vocabulary=other))
    assert train(params(tmp_path, **values, vocabulary=Path(first.folder))).n_steps == 2


def test_what_was_too_little_to_measure_on_is_told(tmp_path: Path) -> None:
    file = tmp_path / "eng-fra.tsv"
    file.write_text("one\tun\n" * 40, encoding="utf-8")
    german = params(tmp_path).pairs[0]
    result = train(params(tmp_path, pairs=(german, file), n_development=5, n_steps=3))
    assert any("measure on: fra 40." in note for note in result.notes)
    assert result.loss is not None
    assert result.loss > 0  # three steps have a point too
