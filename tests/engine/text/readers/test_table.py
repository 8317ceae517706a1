import csv
from pathlib import Path
from typing import Any

import pytest

from app.engine.text.readers.table_layout import TableColumns
from app.errors import UserError
from app.params.corpora import MAX_SIDES
from tests.engine.text.readers.reading import read_units


def write(tmp_path: Path, text: str, name: str = "t.tsv") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_longest_column_is_taken_where_no_name_says_more(tmp_path: Path) -> None:
    path = write(tmp_path, "1\tA long sentence.\n2\tAnother one here.\n")

    units = read_units(path, languages=["en"])

    assert units.sides == [["A long sentence.", "Another one here."]]
    assert units.reading.columns == ("2",)


@pytest.mark.parametrize(
    ("fields", "sides"),
    [
        ({"languages": ["en"], "columns": ["en"]}, [["one", "two"]]),
        ({"languages": ["en"], "columns": ["2"]}, [["one", "two"]]),
        ({"languages": ["eng", "fra"]}, [["one", "two"], ["un", "deux"]]),
        ({"languages": ["fr", "en"]}, [["un", "deux"], ["one", "two"]]),
        (
            {"languages": ["fr", "sco"], "label_column": "id"},
            [["un", "deux"], ["one", "two"]],
        ),
    ],
)
def test_columns_are_found_by_name_number_or_language(
    fields: dict[str, Any], sides: list[list[str]], tmp_path: Path
) -> None:
    path = write(tmp_path, "id\ten\tfr\n1\tone\tun\n2\ttwo\tdeux\n")

    units = read_units(path, **fields)

    assert units.sides == sides
    assert units.lines == [2, 3]


def test_two_columns_for_two_languages_are_taken_in_order(tmp_path: Path) -> None:
    path = write(tmp_path, "Good day.\tGuten Tag.\nThank you.\tDanke.\n")

    units = read_units(path, languages=["en", "de"])

    assert units.sides == [["Good day.", "Thank you."], ["Guten Tag.", "Danke."]]


def test_labels_are_read(tmp_path: Path) -> None:
    path = write(tmp_path, "text\ttopic\nIt rains.\tweather\nWe won.\tsports\n")

    units = read_units(path, languages=["en"], label_column="topic")

    assert units.sides == [["It rains.", "We won."]]
    assert units.labels == ["weather", "sports"]


def test_row_with_too_few_columns_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "1\tone\n2\n\n4\tfour\n")

    units = read_units(path, languages=["en"], columns=["2"], header="no")

    assert units.sides == [["one", "", "four"]]
    assert units.lines == [1, 3, 4]
    assert units.refused == [(2, "the row has too few columns")]


def test_csv_with_quotes_and_line_feeds_is_read_with_its_lines(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        'id,text\n1,"One, two"\n2,"two\nlines ""here"""\n3,last\n',
        "t.csv",
    )

    units = read_units(path, languages=["en"])

    assert units.sides == [["One, two", 'two\nlines "here"', "last"]]
    assert units.lines == [2, 3, 5]


@pytest.mark.parametrize("delimiter", [";", "|", "\t", ","])
def test_delimiter_is_found(delimiter: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter=delimiter)
        writer.writerows([[i, f"Sentence, with; all | signs {i}."] for i in range(9)])

    units = read_units(path, languages=["en"])

    assert units.sides[0][8] == "Sentence, with; all | signs 8."


def test_quotes_of_a_tsv_are_characters_unless_all_cells_are_quoted(
    tmp_path: Path,
) -> None:
    said = write(tmp_path, '1\t"Yes" he said.\n2\t"No"\n', "a.tsv")
    quoted = write(tmp_path, '1\t"Yes, he said."\n2\t"No ""x"""\n', "b.tsv")

    assert read_units(said, languages=["en"]).sides == [['"Yes" he said.', '"No"']]
    assert read_units(quoted, languages=["en"]).sides == [["Yes, he said.", 'No "x"']]


def test_quote_that_is_never_closed_is_named_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, '1,fine\n2,"open\n' + "3,more text\n" * 20_000, "t.csv")

    with pytest.raises(UserError, match=r"line 2 of .*t\.csv can't be read"):
        read_units(path, languages=["en"], columns=["2"], header="no")


def test_quote_that_swallows_the_rest_of_a_short_file_is_refused(
    tmp_path: Path,
) -> None:
    path = write(tmp_path, 'id,text\n1,"closed\nhere"\n2,"open\n3,more\n', "t.csv")

    with pytest.raises(UserError, match=r"line 4 of .*t\.csv can't be read"):
        read_units(path, languages=["en"])


def test_column_that_is_not_there_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "id\ttext\n1\tone\n")

    with pytest.raises(UserError, match=r"t\.tsv has no column 'txt': .* id, text"):
        read_units(path, languages=["en"], columns=["txt"], header="yes")
    with pytest.raises(UserError, match="1 column but 2 languages are set"):
        read_units(path, languages=["en", "fr"], columns=["text"])


def test_columns_that_can_not_be_told_are_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path, "a\tb\tc\td\n" * 3)

    with pytest.raises(UserError, match=r"4 columns for 2 languages\. Set the column"):
        read_units(path, languages=["en", "fr"])


def test_delimiter_must_be_one_character(tmp_path: Path) -> None:
    path = write(tmp_path, "a;b\n")

    with pytest.raises(UserError, match="';;' is not one character"):
        read_units(path, languages=["en"], delimiter=";;")


@pytest.mark.parametrize(
    ("text", "n_rows"),
    [
        ("id\ttext\n1\tone\n2\ttwo\n", 2),
        ("number\twords here\n1\tone\n2\ttwo\n", 2),
        ("First sentence.\nSecond sentence.\n", 2),
        ("1\tone\n2\ttwo\n3\tthree\n", 3),
    ],
)
def test_header_is_found(text: str, n_rows: int, tmp_path: Path) -> None:
    units = read_units(write(tmp_path, text), languages=["en"])

    assert len(units.lines) == n_rows


@pytest.mark.parametrize(
    ("header", "language", "expected"),
    [
        ("en\tfr", "en", "short"),
        ("eng\tfra", "en", "short"),
        ("en\tfr", "fra", "a longer sentence"),
        ("id\tsentence", "id", "a longer sentence"),
    ],
)
def test_the_column_of_one_language_is_found_by_its_header(
    header: str, language: str, expected: str, tmp_path: Path
) -> None:
    path = write(tmp_path, f"{header}\nshort\ta longer sentence\n")

    assert read_units(path, languages=[language]).sides == [[expected]]


PAIRS = (
    "The ferry will not sail tomorrow.\tDie Fähre fährt morgen nicht.\n"
    "We are waiting in the harbour.\tWir warten im Hafen.\n"
)


@pytest.mark.parametrize(
    ("header", "names", "languages"),
    [
        ("", ("1", "2"), ("en", "de")),
        ("english\tdeutsch\n", ("english", "deutsch"), ("en", "de")),
        ("text_en\tGerman\n", ("text_en", "German"), ("en", "de")),
        ("s_eng_Latn\ts_de_AT\n", ("s_eng_Latn", "s_de_AT"), ("en", "de-AT")),
        ("Source\tTarget\n", ("Source", "Target"), ("en", "de")),
        ("中文\tfrançais\n", ("中文", "français"), ("zh", "fr")),  # believed
    ],
)
def test_texts_in_two_languages_are_two_sides_by_name_or_text(
    header: str, names: tuple[str, ...], languages: tuple[str, ...], tmp_path: Path
) -> None:
    units = read_units(write(tmp_path, header + PAIRS))

    assert units.reading.columns == names
    assert units.reading.languages == languages
    assert units.sides[1] == ["Die Fähre fährt morgen nicht.", "Wir warten im Hafen."]
    assert "were taken as translations of each other" in units.reading.notes[0]


@pytest.mark.parametrize(
    "header", ["", "en\tde\n", "English\tDeutsch\n", "a_en_GB\tb_deu_Latn\n"]
)
def test_languages_in_another_order_than_the_columns_find_their_own(
    header: str, tmp_path: Path
) -> None:
    units = read_units(write(tmp_path, header + PAIRS), languages=["de", "en"])

    assert units.sides[0] == ["Die Fähre fährt morgen nicht.", "Wir warten im Hafen."]
    assert units.reading.languages == ("de", "en")
    first = units.reading.columns[:1]
    chosen = read_units(
        write(tmp_path, header + PAIRS), languages=["de"], columns=list(first)
    )
    assert chosen.sides == units.sides[:1]


def test_columns_of_one_kind_are_the_sides_and_the_longest_of_them(
    tmp_path: Path,
) -> None:
    rows = "".join(f"Titel\ttitle\t{line}\n" for line in PAIRS.splitlines())
    path = write(tmp_path, f"title_de\ttitle_en\ttext_en\ttext_de\n{rows}")

    assert read_units(path).reading.columns == ("text_en", "text_de")
    assert read_units(path, languages=["de"]).reading.columns == ("text_de",)
    both = read_units(path, languages=["de", "en"])
    assert both.reading.columns == ("text_de", "text_en")


def test_folder_of_tables_keeps_each_language_on_its_side(tmp_path: Path) -> None:
    folder = tmp_path / "pairs"
    folder.mkdir()
    swapped = "".join(
        "\t".join(reversed(line.split("\t"))) + "\n" for line in PAIRS.splitlines()
    )
    write(folder, PAIRS, "1.tsv")
    write(folder, swapped, "2.tsv")
    write(folder, f"de\ten\n{swapped}", "3.tsv")

    units = read_units(folder)

    assert units.sides[0] == 3 * [line.split("\t")[0] for line in PAIRS.splitlines()]
    assert not any("do not show" in note for note in units.reading.notes)
    write(folder, "We wait.\tharbour\nIt rains.\tweather\n", "4.tsv")
    told = [note for note in read_units(folder).reading.notes if "4.tsv is" in note]
    assert len(told) == 1
    write(folder, f"en\tnb\n{PAIRS}", "4.tsv")
    with pytest.raises(UserError, match=r"4\.tsv seems to be in English and Norwegian"):
        read_units(folder)


def test_long_addresses_are_no_text_and_numbered_rows_have_a_header(
    tmp_path: Path,
) -> None:
    text = ",author,says\n0,https://example.org/who/is/anna,It rains.\n"

    units = read_units(write(tmp_path, text, "t.csv"), languages=["en"])

    assert units.sides == [["It rains."]]
    assert units.reading.columns == ("says",)


def test_spaces_in_fields_make_no_other_document() -> None:
    columns = TableColumns((0,), None, fields=(("author", 1), ("year", 2)))

    names = [columns.mark(["x", author, "1854"]).name for author in ("K", "K ")]

    assert names == ["K · 1854", "K · 1854"]


def test_columns_that_are_no_second_text_are_not_taken_as_a_side(
    tmp_path: Path,
) -> None:
    rows = PAIRS.replace("\n", "\tCC-BY 2.0 #2877272 & #8597805\n")
    attributed = read_units(write(tmp_path, rows))
    assert attributed.reading.columns == ("1", "2")

    rare = PAIRS + "We stay.\t\nWe wait.\t\nIt rains.\t\n"
    assert read_units(write(tmp_path, rare)).reading.columns == ("1",)

    sames = "".join(f"{line.partition(chr(9))[0]}\t" * 2 for line in PAIRS.splitlines())
    same = read_units(write(tmp_path, f"{sames.strip()}\n"))
    assert len(same.reading.columns) == 1


def test_one_language_takes_its_own_column_and_tells_of_the_other(
    tmp_path: Path,
) -> None:
    units = read_units(write(tmp_path, PAIRS), languages=["de"])

    assert units.sides == [["Die Fähre fährt morgen nicht.", "Wir warten im Hafen."]]
    assert units.reading.notes == [
        "The column 2 was imported alone, though 1 looks like a translation of it. "
        "To link them, set the columns and languages of all sides."
    ]


def test_a_table_of_line_breaks_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"\r\r")
    with pytest.raises(UserError, match="has no rows of text to import"):
        read_units(path, languages=["en"])


def test_columns_of_more_languages_than_are_found_are_named(tmp_path: Path) -> None:
    codes = (
        *("ar", "bg", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "he", "hr"),
        *("hu", "it", "lt", "lv", "nl", "pl", "pt", "ro", "ru", "sk", "sl", "sv"),
    )
    names = [f"text_{code}" for code in codes]
    assert len(names) == MAX_SIDES + 1
    row = "\t".join("The ferry will not sail tomorrow." for _ in names)
    units = read_units(write(tmp_path, "\t".join(names) + f"\n{row}\n"))

    assert len(units.reading.columns) == MAX_SIDES
    assert f"Left out: {names[-1]}. At most {MAX_SIDES}" in units.reading.notes[0]
