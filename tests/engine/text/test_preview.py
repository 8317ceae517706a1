import gzip
from pathlib import Path

import msgspec
import pytest
from openpyxl import Workbook

from app.engine.exchange.import_preview import preview_import
from app.errors import ResourceError, UserError
from app.protocol.base import MAX_LINE

GERMAN = "Heute ist das Wetter schön und wir gehen in den Park."


def test_table_is_previewed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [f'{i};"{GERMAN}";{"x" * 500}' for i in range(50)]
    path.write_text("\n".join(["id;text;more", *rows]), encoding="cp1252")

    preview = preview_import({"files": [str(path)], "languages": ["en"]})

    assert (preview.format, preview.delimiter, preview.is_quoted) == ("csv", ";", True)
    assert preview.has_header
    assert preview.columns == ("id", "text", "more")
    assert len(preview.rows) == 20
    assert preview.rows[0] == ("0", GERMAN, "x" * 199 + "…")
    assert preview.encoding == "cp1252"
    assert preview.encoding_confidence < 1
    assert (preview.n_rows, preview.is_estimate) == (50, False)
    side = preview.sides[0]
    assert (side.column, side.language, side.guess) == ("text", "en", "de")
    assert "looks like German" in side.mismatch
    assert preview.problem == ""


def test_what_keeps_it_from_being_imported_is_said_beside_the_rows(
    tmp_path: Path,
) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("a\tb\tc\n" * 5, encoding="utf-8")

    preview = preview_import({"files": [str(path)], "languages": ["en", "de"]})

    assert preview.rows[0] == ("a", "b", "c")
    assert "Set the column of each language" in preview.problem


def test_languages_may_be_missing_still(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(f"{GERMAN}\n" * 3, encoding="utf-8")

    preview = preview_import({"task": "import-corpus", "files": [str(path)]})

    assert preview.rows == ((GERMAN,),) * 3
    assert preview.sides[0].guess == "de"
    assert preview.sides[0].mismatch == ""


def test_huge_file_is_estimated_from_its_head(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(f"{GERMAN}\n" * 40_000, encoding="utf-8")

    preview = preview_import({"files": [str(path)], "languages": ["de"]})

    assert preview.is_estimate
    assert preview.n_rows == pytest.approx(40_000, rel=0.02)


def test_a_small_file_is_counted_though_its_first_lines_are_longer(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.tsv.gz"
    rows = [f"{'It is fine today. ' * 9}\t{GERMAN * 4}\n" for _ in range(1000)]
    rows += [f"Good day {i}.\tGuten Tag {i}.\n" for i in range(2497)]
    path.write_bytes(gzip.compress("".join(rows).encode()))

    preview = preview_import({"files": [str(path)], "languages": ["en", "de"]})

    assert (preview.n_rows, preview.is_estimate) == (3497, False)


def test_the_estimate_of_a_large_file_counts_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    rows = [f"{'It is fine today. ' * 9}\t{GERMAN * 4}\n"] * 2_000
    rows += [f"Good day {i}.\tGuten Tag {i}.\n" for i in range(60_000)]
    path.write_text("".join(rows), encoding="utf-8")

    preview = preview_import({"files": [str(path)], "languages": ["en", "de"]})

    assert preview.is_estimate
    assert preview.n_rows == pytest.approx(62_000, rel=0.01)


def test_sides_of_a_moses_pair_are_previewed(tmp_path: Path) -> None:
    (tmp_path / "x.en").write_text("It is fine today.\n", encoding="utf-8")
    (tmp_path / "x.de").write_text(f"{GERMAN}\n", encoding="utf-8")
    files = [str(tmp_path / "x.en"), str(tmp_path / "x.de")]

    preview = preview_import({"files": files, "languages": ["en", "de"]})

    assert preview.columns == ("x.en", "x.de")
    assert preview.rows == (("It is fine today.", GERMAN),)


def test_tmx_says_its_languages_though_it_is_cut(tmp_path: Path) -> None:
    unit = (
        '<tu><tuv xml:lang="en-US"><seg>word</seg></tuv>'
        '<tuv xml:lang="de"><seg>Wort</seg></tuv></tu>\n'
    )
    path = tmp_path / "t.tmx"
    path.write_text(
        f"<tmx><header/><body>{unit * 30_000}</body></tmx>", encoding="utf-8"
    )

    preview = preview_import({"files": [str(path)]})

    assert [side.language for side in preview.sides] == ["en-US", "de"]
    assert preview.problem == ""
    assert preview.is_estimate
    assert preview.n_rows == pytest.approx(30_000, rel=0.1)


def test_columns_of_a_workbook_and_keys_of_jsonl_are_shown(tmp_path: Path) -> None:
    book = Workbook()
    book.worksheets[0].append(["id", "text"])
    book.worksheets[0].append([1, GERMAN])
    book.save(tmp_path / "t.xlsx")
    line = msgspec.json.encode({"id": 1, "text": GERMAN})
    (tmp_path / "t.jsonl").write_bytes(line)

    for name in ("t.xlsx", "t.jsonl"):
        preview = preview_import({"files": [str(tmp_path / name)]})

        assert preview.columns == ("id", "text")
        assert preview.rows == (("1", GERMAN),)
        assert preview.sides[0].column == "text"


def test_wide_table_still_fits_a_message(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    row = "\t".join(["四" * 300] * 100)
    path.write_text(f"{row}\n" * 30, encoding="utf-8")

    preview = preview_import({"files": [str(path)], "languages": ["zh"]})

    assert len(msgspec.json.encode(preview)) < MAX_LINE


def test_what_can_not_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_bytes(bytes(range(256)) * 9)

    with pytest.raises(UserError, match="is not a text file"):
        preview_import({"files": [str(tmp_path / "b.txt")]})
    with pytest.raises(ResourceError, match="does not exist"):
        preview_import({"files": [str(tmp_path / "none.txt")]})
    with pytest.raises(UserError, match=r"settings of the import are invalid.*files"):
        preview_import({"languages": ["en"]})


COLUMNS = {
    "Titel": [*["Heidi"] * 20, *["Pankraz"] * 20],
    "Jahr": [*["1880"] * 20, *["1856"] * 20],
    "chapter": [str(row // 10) for row in range(40)],
    "number": [str(row) for row in range(40)],
    "mood": ["glad" if row % 2 else "sad" for row in range(40)],
    "language": ["de"] * 40,
    "Satz": [f"{GERMAN} {row}" for row in range(40)],
}


def preview_columns(folder: Path, *names: str, **values: object) -> tuple[object, ...]:
    path = folder / "t.tsv"
    rows = [names, *zip(*(COLUMNS[name] for name in names), strict=True)]
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    found = preview_import({"files": [str(path)], "languages": ["de"], **values})
    return found.guessed_document, found.guessed_fields


def test_short_columns_that_rows_share_are_fields(tmp_path: Path) -> None:
    assert preview_columns(tmp_path, *COLUMNS) == ("", ("Titel", "Jahr", "chapter"))
    assert preview_columns(tmp_path, "Titel", "Jahr", "Satz") == ("Titel", ("Jahr",))
    chosen = {"label_column": "Jahr", "columns": ["Satz"]}
    columns = ("Jahr", "Titel", "Satz")
    assert preview_columns(tmp_path, *columns, **chosen) == ("Titel", ())
    without_header = preview_columns(tmp_path, "Jahr", "Satz", header="no")
    assert without_header == ("", ())


def guess_fields(folder: Path, name: str, values: list[str]) -> tuple[str, ...]:
    path = folder / "dated.tsv"
    rows = [f"{GERMAN} {n}\t{value}\n" for n, value in enumerate(values)]
    path.write_text(f"text\t{name}\n" + "".join(rows), encoding="utf-8")
    return preview_import({"files": [str(path)], "languages": ["de"]}).guessed_fields


def test_years_and_dates_are_fields_even_if_each_row_has_its_own(
    tmp_path: Path,
) -> None:
    years = [str(1700 + 7 * n) for n in range(40)]
    for name in ("year", "Jahr", "printed"):
        assert guess_fields(tmp_path, name, years) == (name,)
    days = [f"1854-{1 + n % 12:02}-{1 + n % 28:02}" for n in range(40)]
    assert guess_fields(tmp_path, "written", days) == ("written",)
    assert guess_fields(tmp_path, "date", [f"{n + 1}.3.1854" for n in range(40)])
    numbers = [str(1001 + n) for n in range(40)]
    assert guess_fields(tmp_path, "number", numbers) == ()
    assert guess_fields(tmp_path, "amount", [str(7 * n) for n in range(40)]) == ()
    times = [f"2020-01-01 12:{n:02}" for n in range(40)]
    assert guess_fields(tmp_path, "date", times) == ()


def test_files_whose_lines_differ_in_length_are_not_taken_as_aligned(
    tmp_path: Path,
) -> None:
    english = ["The boat " + "sails on " * (n * 7 % 11) + "today." for n in range(60)]
    german = ["Das Boot " + "segelt so " * (n * 7 % 11) + "heute." for n in range(60)]
    source, target = tmp_path / "one.txt", tmp_path / "two.txt"
    source.write_text("\n".join(english), encoding="utf-8")
    for lines, are_aligned in ((german, True), (sorted(german), False)):
        target.write_text("\n".join(lines), encoding="utf-8")
        shown = preview_import(
            {"files": [source, target], "languages": ["en", "de"], "format": "moses"}
        )
        assert shown.are_aligned is are_aligned
        assert any("aligned" in note for note in shown.notes) is not are_aligned
