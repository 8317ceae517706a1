"""An encoder's folder is written to another place, whole or not at all."""

from pathlib import Path

import pytest

from app.engine.encoders.folder import fingerprint_of
from app.engine.encoders.registry import find_encoder, load_encoder
from app.engine.runtime.report import Report
from app.engine.tasks.export_encoder import export_encoder
from app.errors import Cancelled, UserError
from app.params.encoders import ExportEncoder


def test_the_copy_is_the_same_encoder_with_its_card(tmp_path: Path) -> None:
    out = tmp_path / "mine"
    result = export_encoder(None, ExportEncoder(out=out), Report())
    bundled = find_encoder("")
    assert fingerprint_of(out) == fingerprint_of(bundled)
    assert (out / "README.md").read_bytes() == (bundled / "README.md").read_bytes()
    assert load_encoder(str(out)).encode(["storm"]).any()
    assert result.message.startswith(f"Exported {bundled.name} to {out}")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_what_is_there_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="already exists"):
        export_encoder(None, ExportEncoder(out=tmp_path), Report())
    with pytest.raises(UserError, match="not a folder"):
        export_encoder(None, ExportEncoder(out=tmp_path / "a" / "b"), Report())


def test_a_cancelled_export_leaves_nothing(tmp_path: Path) -> None:
    report = Report()
    report.cancel()
    with pytest.raises(Cancelled):
        export_encoder(None, ExportEncoder(out=tmp_path / "mine"), report)
    assert list(tmp_path.iterdir()) == []
