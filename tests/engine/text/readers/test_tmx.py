from pathlib import Path

import pytest

from app.engine.text.readers.xml_events import INLINE_CODES
from app.errors import UserError
from tests.engine.text.readers.reading import read_units

HEADER = '<header srclang="en" segtype="sentence"/>'


def unit(attribute: str = "xml:lang", **texts: str) -> str:
    variants = "".join(
        f'<tuv {attribute}="{tag.replace("_", "-")}"><seg>{text}</seg></tuv>'
        for tag, text in texts.items()
    )
    return f"<tu>{variants}</tu>\n"


def write(
    tmp_path: Path, *units: str, header: str = HEADER, encoding: str = "utf-8"
) -> Path:
    body = "".join(units)
    text = (
        f'<?xml version="1.0" encoding="{encoding}"?>\n'
        '<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n'
        f'<tmx version="1.4">{header}<body>\n{body}</body></tmx>\n'
    )
    path = tmp_path / "t.tmx"
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
@pytest.mark.parametrize("attribute", ["xml:lang", "lang"])
def test_units_are_read_in_every_encoding_and_with_both_attributes(
    encoding: str, attribute: str, tmp_path: Path
) -> None:
    path = write(
        tmp_path, unit(attribute, en="Tea &amp; milk", fr="Thé"), encoding=encoding
    )

    units = read_units(path, languages=["en", "fr"])

    assert units.sides == [["Tea & milk"], ["Thé"]]
    assert units.lines == [4]


def test_languages_of_the_file_are_taken_where_none_is_given(tmp_path: Path) -> None:
    path = write(tmp_path, unit(en="a", fr="b", de="c"), unit(en="d", fr="e", de="f"))

    units = read_units(path)

    assert units.reading.languages == ("en", "fr", "de")
    assert units.sides == [["a", "d"], ["b", "e"], ["c", "f"]]


def test_one_language_written_in_two_ways_is_one(tmp_path: Path) -> None:
    apart = write(tmp_path, unit(en_US="a", en_GB="b"), unit(en_US="c", en_GB="d"))

    assert read_units(apart).sides == [["a", "c"], ["b", "d"]]

    path = write(tmp_path, *[unit(en_US="a", fr="b")] * 3, unit(en="c", fr="d", de="x"))
    units = read_units(path)
    assert units.reading.languages == ("en-US", "fr")
    assert units.sides == [["a", "a", "a", "c"], ["b", "b", "b", "d"]]


def test_two_of_three_languages_can_be_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path, unit(en_US="a", fr="b", de="c"), unit(en_US="d", fr="e"))

    units = read_units(path, languages=["deu", "eng"])

    assert units.sides == [["c"], ["a"]]
    assert units.refused == [(5, "the unit has no text in German")]


def test_missing_source_language_is_noted(tmp_path: Path) -> None:
    path = write(tmp_path, unit(en="a", fr="b"), header="<header/>")

    units = read_units(path, languages=["en", "fr"])

    assert units.sides == [["a"], ["b"]]
    assert "srclang" in units.reading.notes[0]


def test_variants_that_are_selected_separately_are_never_mixed(tmp_path: Path) -> None:
    path = write(tmp_path, unit(en_US="a", en_GB="b"), unit(en_US="c"), unit(en_GB="d"))

    units = read_units(path, languages=["en-US", "en-GB"])

    assert units.sides == [["a"], ["b"]]
    assert [line for line, _ in units.refused] == [5, 6]
    assert read_units(path, languages=["en"]).sides == [["a", "c", "d"]]


def test_inline_codes_are_left_out(tmp_path: Path) -> None:
    coded = 'Hello <bpt i="1">&lt;b&gt;</bpt>world<ept i="1">&lt;/b&gt;</ept>!'
    path = write(tmp_path, unit(en=coded, fr="Salut"), unit(en="a", fr="b"))

    units = read_units(path, languages=["en", "fr"])

    assert units.sides[0] == ["Hello world!", "a"]
    assert units.repaired == {4: INLINE_CODES}


def test_malformed_file_is_refused_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, "\n" * 70_000, unit(en="a", fr="b"), "<tu><broken></tu>")

    with pytest.raises(UserError, match=r"t\.tmx is malformed at line 70,005"):
        read_units(path, languages=["en", "fr"])


def test_xml_that_is_no_tmx_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.tmx"
    path.write_text("<html><body/></html>", encoding="utf-8")

    with pytest.raises(UserError, match="its root is not <tmx>"):
        read_units(path)
    with pytest.raises(UserError, match="has no translation unit"):
        read_units(write(tmp_path))


@pytest.mark.parametrize(
    "declarations",
    [
        '<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">',
        '<!ENTITY a SYSTEM "file:///etc/hostname">',
        '<!ENTITY % a SYSTEM "http://localhost:9/x.dtd"> %a;',
    ],
)
def test_xml_bomb_is_refused(declarations: str, tmp_path: Path) -> None:
    path = tmp_path / "t.tmx"
    path.write_text(
        f'<!DOCTYPE tmx [{declarations}]><tmx version="1.4">{HEADER}<body>'
        f"{unit(en='&a;', fr='b')}</body></tmx>",
        encoding="utf-8",
    )

    with pytest.raises(UserError, match="unsafe"):
        read_units(path, languages=["en", "fr"])


def test_huge_text_node_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, unit(en="x" * 11_000_000, fr="b"))

    with pytest.raises(UserError, match=r"t\.tmx is malformed at line 4"):
        read_units(path, languages=["en", "fr"])
