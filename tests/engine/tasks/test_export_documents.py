"""Exported pairs tell which documents their sentences are in."""

import csv
from pathlib import Path

from app.engine.project.project import create_project
from app.engine.runtime.report import Report
from app.engine.tasks.export_pairs import export_pairs
from app.params.pairs import ExportPairs
from tests.engine.tasks.importing import run_import, write


def test_linked_pairs_carry_documents_and_fields_in_columns_of_their_own(
    tmp_path: Path,
) -> None:
    table = write(
        tmp_path,
        "en\tde\tletter\tlanguage\nsea\tMeer\tMay 1\tde\nwind\tWind\tMay 2\t\n",
        "t.tsv",
    )
    out = tmp_path / "out.tsv"
    with create_project(tmp_path / "p.isogloss") as project:
        run_import(
            project,
            table,
            languages=["en", "de"],
            columns=["en", "de"],
            document_column="letter",
            field_columns=["language"],
        )
        export_pairs(
            project, ExportPairs(source="t.en", target="t.de", out=out), Report()
        )
    with out.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert [row["source_language"] for row in rows] == ["en", "en"]
    assert [row["target_document"] for row in rows] == ["May 1", "May 2"]
    assert [row["source_document_language"] for row in rows] == ["de", ""]
