from pathlib import Path

import pytest

from app.engine.text.readers.po import (
    CONTEXTS,
    FUZZY,
    NO_FORMS,
    OBSOLETE,
    PLURAL,
    STRAY,
)
from app.errors import UserError
from tests.engine.text.readers.reading import read_units

HEADER = (
    'msgid ""\nmsgstr ""\n"Language: pt_BR\\n"\n'
    '"Content-Type: text/plain; charset={charset}\\n"\n\n'
)


def write(tmp_path: Path, text: str, charset: str = "UTF-8") -> Path:
    """Write a PO file; the text begins in line 6."""
    path = tmp_path / "t.po"
    encoding = "utf-8" if charset == "CHARSET" else charset
    path.write_bytes((HEADER.format(charset=charset) + text).encode(encoding))
    return path


@pytest.mark.parametrize("charset", ["UTF-8", "ISO-8859-1", "CHARSET"])
def test_messages_are_read_with_their_translations(
    charset: str, tmp_path: Path
) -> None:
    text = '#: a.c:1\nmsgid "Tea"\nmsgstr "Chá"\n\nmsgid "Milk"\nmsgstr "Leite"\n'
    units = read_units(write(tmp_path, text, charset))
    assert units.reading.languages == ("", "pt-BR")
    assert units.sides == [["Tea", "Milk"], ["Chá", "Leite"]]
    assert units.lines == [7, 10]
    assert read_units(tmp_path / "t.po", languages=["en", "pt"]).sides == units.sides


def test_strings_go_on_over_lines_and_escapes_are_undone(tmp_path: Path) -> None:
    text = 'msgid ""\n"a \\"b\\" "\n"c\\\\d\\n"\nmsgstr "\\303\\x41\\q" "\n'
    text += 'msgid "no blank line"\nmsgstr "before"\n'
    units = read_units(write(tmp_path, text))
    assert units.sides == [['a "b" c\\d\n', "no blank line"], ['ÃAq" ', "before"]]


def test_contexts_are_labels(tmp_path: Path) -> None:
    text = 'msgctxt "verb"\nmsgid "open"\nmsgstr "abrir"\n\nmsgid "a"\nmsgstr "b"\n'
    units = read_units(write(tmp_path, text))
    assert units.labels == ["verb", ""]
    assert units.reading.notes == [CONTEXTS]


def test_fuzzy_obsolete_and_plural_entries_are_left_out(tmp_path: Path) -> None:
    text = (
        '#, c-format, fuzzy\n#| msgid "old"\nmsgid "a"\nmsgstr "b"\n\n'
        'msgid "one"\nmsgid_plural "many"\nmsgstr[0] "x"\nmsgstr[1] "y"\n\n'
        'msgid "kept"\nmsgstr "é"\n\n'
        '#~ msgctxt "c"\n#~ msgid "gone"\n#~ msgstr ""\n#~ "away"\n'
        '#~| msgid "older"\n#~ msgid "gone too"\n#~ msgstr "away"\n'
    )
    units = read_units(write(tmp_path, text))
    assert units.sides == [["kept"], ["é"]]
    assert units.refused == [
        (8, FUZZY),
        (11, PLURAL),
        (19, OBSOLETE),
        (24, OBSOLETE),
    ]


def test_fuzzy_and_plural_entries_are_imported_on_request(tmp_path: Path) -> None:
    text = (
        '#, fuzzy\nmsgid "a"\nmsgstr "b"\n\n'
        'msgid "one"\nmsgid_plural "many"\n'
        'msgstr[0] "x"\nmsgstr[1] "y"\nmsgstr[2] "z"\n\n'
        'msgid "sheep"\nmsgid_plural "sheep (plural)"\nmsgstr[0] "w"\n\n'
        'msgid "none"\nmsgid_plural "nones"\n'
    )
    file = write(tmp_path, text)
    units = read_units(file, fuzzy=True)
    assert units.sides == [["a"], ["b"]]
    units = read_units(file, plurals=True)
    assert units.sides == [["one", "many", "many", "sheep (plural)"], [*"xyzw"]]
    assert units.lines == [10, 10, 10, 16]
    assert units.refused == [(7, FUZZY), (20, NO_FORMS)]


def test_stray_lines_refuse_their_entry_only(tmp_path: Path) -> None:
    text = 'msgid "a"\nnonsense\nmsgstr "b"\n\nmsgid "c"\nmsgstr "d"\n\n"lost"\n'
    units = read_units(write(tmp_path, text))
    assert units.sides == [["c"], ["d"]]
    assert units.refused == [(6, STRAY), (13, STRAY)]


def test_missing_translation_is_left_to_the_report(tmp_path: Path) -> None:
    text = 'msgid "a"\nmsgstr ""\n\nmsgid "b"\n\nmsgid "c"\nmsgstr "d"\n'
    assert read_units(write(tmp_path, text)).sides == [["a", "b", "c"], ["", "", "d"]]


def test_truncated_file_gives_what_is_whole(tmp_path: Path) -> None:
    text = 'msgid "a"\nmsgstr "b"\n\nmsgid "c"\nmsgstr "d'
    units = read_units(write(tmp_path, text))
    assert (units.sides, units.refused) == ([["a"], ["b"]], [(9, STRAY)])


def test_lines_in_another_encoding_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, 'msgid "a"\nmsgstr "x"\n\nmsgid "b"\nmsgstr "c"\n')
    path.write_bytes(path.read_bytes().replace(b'"x"', b'"\xe9"'))
    units = read_units(path)
    assert units.sides == [["b"], ["c"]]
    assert units.refused == [(6, "the line is not in utf-8")]


def test_what_is_no_po_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.po"
    path.write_text("Just\nlines.\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"does not begin with an entry"):
        read_units(path)
    path = write(tmp_path, 'msgid "a"\nmsgstr "b"\n')
    with pytest.raises(UserError, match="has two languages, but 1 is set"):
        read_units(path, languages=["pt"])
