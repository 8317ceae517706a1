from pathlib import Path

import pytest

from app.engine.text.readers.xliff import SOURCES_ONLY
from app.engine.text.readers.xml_events import INLINE_CODES
from app.errors import UserError
from tests.engine.text.readers.reading import read_units

FIRST = "urn:oasis:names:tc:xliff:document:1.2"
SECOND = "urn:oasis:names:tc:xliff:document:2.1"


def write_first(
    tmp_path: Path, *units: str, target: str = "fr", encoding: str = "utf-8"
) -> Path:
    """Write XLIFF 1.2; each unit begins a line, from the fourth."""
    said = f' target-language="{target}"' if target else ""
    lines = "\n".join(units)
    text = (
        f'<?xml version="1.0" encoding="{encoding}"?>\n<xliff xmlns="{FIRST}" '
        f'version="1.2">\n<file original="a" source-language="en"{said}><body>\n'
        f"{lines}\n</body></file></xliff>\n"
    )
    path = tmp_path / "t.xlf"
    path.write_bytes(text.encode(encoding))
    return path


def write_second(tmp_path: Path, *units: str, target: str = "fr") -> Path:
    """Write XLIFF 2.1; each unit begins a line, from the third."""
    said = f' trgLang="{target}"' if target else ""
    lines = "\n".join(units)
    path = tmp_path / "t.file"
    path.write_text(
        f'<xliff xmlns="{SECOND}" version="2.1" srcLang="en"{said}>\n<file id="f">\n'
        f"{lines}\n</file></xliff>\n",
        encoding="utf-8",
    )
    return path


def unit(source: str, target: str | None, rest: str = "", state: str = "") -> str:
    said = f' state="{state}"' if state else ""
    other = "" if target is None else f"<target{said}>{target}</target>"
    return f'<trans-unit id="1"><source>{source}</source>{other}{rest}</trans-unit>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_units_are_read_in_every_encoding(encoding: str, tmp_path: Path) -> None:
    path = write_first(tmp_path, unit("Tea &amp; milk", "Thé"), encoding=encoding)
    units = read_units(path)
    assert (units.reading.languages, units.lines) == (("en", "fr"), [4])
    assert units.sides == [["Tea & milk"], ["Thé"]]


def test_segments_of_the_second_version_are_units(tmp_path: Path) -> None:
    path = write_second(
        tmp_path,
        '<unit id="1"><notes><note>n</note></notes><segment><source>a</source>'
        "<target>b</target></segment><ignorable><source> </source></ignorable>"
        "<segment><source>c</source><target>d</target></segment></unit>",
        '<group id="g"><unit id="2"><segment><source>e</source><target>f</target>'
        "</segment></unit></group>",
    )
    units = read_units(path)
    assert units.sides == [["a", "c", "e"], ["b", "d", "f"]]
    assert units.lines == [3, 3, 4]


def test_missing_target_is_left_to_the_report(tmp_path: Path) -> None:
    path = write_first(tmp_path, unit("a", None), unit("b", ""), unit("c", "d"))
    assert read_units(path).sides == [["a", "b", "c"], ["", "", "d"]]


def test_what_a_machine_proposed_is_no_target(tmp_path: Path) -> None:
    rest = "<alt-trans><source>x</source><target>y</target></alt-trans>"
    path = write_first(tmp_path, unit("a", None, rest), unit("c", "d", rest))
    assert read_units(path).sides == [["a", "c"], ["", "d"]]


def test_inline_codes_are_left_out(tmp_path: Path) -> None:
    coded = (
        'Hello <bpt id="1">&lt;b&gt;</bpt>world<ept id="1">&lt;/b&gt;</ept><x id="2"/>!'
    )
    path = write_first(tmp_path, unit(coded, "<g id='1'>Salut</g>"), unit("a", "b"))
    units = read_units(path)
    assert units.sides == [["Hello world!", "a"], ["Salut", "b"]]
    assert units.repaired == {4: INLINE_CODES}


def test_each_segment_of_a_divided_unit_is_a_pair(tmp_path: Path) -> None:
    divided = (
        '<trans-unit id="1"><source>One. Two.</source><seg-source><mrk mtype="seg" '
        'mid="0">One.</mrk> <mrk mtype="seg" mid="1">Two.</mrk></seg-source><target>'
        '<mrk mtype="seg" mid="1">Deux.</mrk> <mrk mtype="seg" mid="0">Un <g id="1">x'
        "</g>.</mrk></target></trans-unit>"
    )
    whole = divided.replace('mtype="seg" mid="1">Deux', 'mtype="term">Deux')
    units = read_units(write_first(tmp_path, divided, unit("a", "b")))
    assert units.sides == [["One.", "Two.", "a"], ["Un x.", "Deux.", "b"]]
    assert (units.lines, units.repaired) == ([4, 4, 5], {4: INLINE_CODES})
    other = read_units(write_first(tmp_path, whole))
    assert other.sides == [["One.", "Two."], ["Un x.", ""]]


def test_a_file_without_translations_is_imported_as_its_sources(
    tmp_path: Path,
) -> None:
    path = write_first(tmp_path, unit("a", None), unit("b", ""), target="")
    for languages in ([], ["en"]):
        units = read_units(path, languages=languages)
        assert (units.reading.languages, units.sides) == (("en",), [["a", "b"]])
        assert units.reading.notes == [SOURCES_ONLY]


def test_layout_is_no_text_but_other_spaces_are(tmp_path: Path) -> None:
    path = write_first(tmp_path, unit("\n  a  b\u00a0c\n\t d\n", "e"))
    assert read_units(path).sides[0] == ["a  b\u00a0c d"]


def test_languages_choose_their_sides(tmp_path: Path) -> None:
    path = write_first(tmp_path, unit("a", "b"))
    assert read_units(path, languages=["fra", "en"]).sides == [["b"], ["a"]]
    assert read_units(path, languages=["fr"]).sides == [["b"]]
    # others name what the file calls otherwise
    assert read_units(path, languages=["sco", "wa"]).sides == [["a"], ["b"]]
    with pytest.raises(UserError, match=r"t\.xlf translates en into fr. Set these"):
        read_units(path, languages=["de"])


def test_a_language_that_the_file_does_not_say_is_asked_for(tmp_path: Path) -> None:
    path = write_first(tmp_path, unit("a", "b"), target="")
    assert read_units(path).reading.languages == ("en", "")
    assert read_units(path, languages=["en", "fr"]).sides == [["a"], ["b"]]


def test_another_part_into_another_language_is_refused(tmp_path: Path) -> None:
    second = (
        '</body></file><file original="b" source-language="en" target-language="de">'
        f"<body>{unit('c', 'd')}"
    )
    path = write_first(tmp_path, unit("a", "b"), second)
    units = read_units(path)
    assert units.sides == [["a"], ["b"]]
    assert units.refused == [(5, "the unit translates en into de")]


def test_the_state_is_a_label_where_it_is_asked_for(tmp_path: Path) -> None:
    first = write_first(tmp_path, unit("a", "b", state="final"), unit("c", "d"))
    assert read_units(first).labels == []
    assert read_units(first, label_column="state").labels == ["final", ""]
    second = write_second(
        tmp_path,
        '<unit id="1"><segment state="reviewed"><source>a</source><target>b</target>'
        "</segment></unit>",
    )
    assert read_units(second, label_column="state").labels == ["reviewed"]
    with pytest.raises(UserError, match="has no column 'note'"):
        read_units(second, label_column="note")


def test_malformed_file_is_refused_with_its_line(tmp_path: Path) -> None:
    path = write_first(tmp_path, unit("a", "b"), "<trans-unit><source></trans-unit>")
    with pytest.raises(UserError, match=r"t\.xlf is malformed at line 5"):
        read_units(path)


def test_truncated_file_is_refused_but_previewed(tmp_path: Path) -> None:
    path = write_first(tmp_path, *[unit("a", "b")] * 400)
    data = path.read_bytes()
    assert len(read_units(path, limit=len(data) // 2).lines) > 100
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(UserError, match=r"t\.xlf is malformed at line"):
        read_units(path)


def test_wrong_encoding_is_refused(tmp_path: Path) -> None:
    path = write_first(tmp_path, unit("a", "b"))
    path.write_bytes(path.read_bytes().replace(b"<source>a", b"<source>\xe9"))
    with pytest.raises(UserError, match=r"t\.xlf is malformed at line 4"):
        read_units(path)


def test_what_holds_no_unit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has no translation units"):
        read_units(write_first(tmp_path))
    path = tmp_path / "t.xliff"
    path.write_text("<html><body/></html>", encoding="utf-8")
    with pytest.raises(UserError, match="not XLIFF: its root is not <xliff>"):
        read_units(path)


@pytest.mark.parametrize(
    "declarations",
    [
        '<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">',
        '<!ENTITY a SYSTEM "file:///etc/hostname">',
        '<!ENTITY % a SYSTEM "http://localhost:9/x.dtd"> %a;',
    ],
)
def test_xml_bomb_is_refused(declarations: str, tmp_path: Path) -> None:
    path = tmp_path / "t.xlf"
    path.write_text(
        f'<!DOCTYPE xliff [{declarations}]><xliff xmlns="{FIRST}"><file '
        f'source-language="en"><body>{unit("&a;", "b")}</body></file></xliff>',
        encoding="utf-8",
    )
    with pytest.raises(UserError, match="unsafe"):
        read_units(path, languages=["en", "fr"])
