"""TEI: sentences of the body, fields of the header, damage told by its line."""

from pathlib import Path
from typing import Any

import pytest

from app.engine.text.readers import open_reading
from app.engine.text.readers.blocks import Block
from app.errors import UserError
from tests.engine.tasks.importing import params_of, write
from tests.engine.text.readers.reading import read_units

NAMESPACE = 'xmlns="http://www.tei-c.org/ns/1.0"'
HEADER = """<teiHeader><fileDesc>
<titleStmt><title type="sub">Erzählung</title>
<title type="main">Romeo und  Julia</title>
<author><forename>Gottfried</forename> <surname>Keller</surname></author></titleStmt>
<publicationStmt><date>2009</date></publicationStmt>
<sourceDesc><bibl><date when="1856-05">Mai 1856</date></bibl></sourceDesc></fileDesc>
<profileDesc><langUsage><language ident="de"/></langUsage>
<textClass><classCode scheme="x">Novelle</classCode></textClass></profileDesc>
</teiHeader>"""
FIELDS = {
    "title": "Romeo und Julia",
    "author": "Gottfried Keller",
    "year": "1856",
    "genre": "Novelle",
}


def tei(body: str, *, header: str = HEADER, lang: str = "") -> str:
    said = f' xml:lang="{lang}"' if lang else ""
    return (
        f"<?xml version='1.0'?>\n<TEI {NAMESPACE}>{header}<text{said}>"
        f"<front><p>Vorwort.</p></front><body>{body}</body>"
        "<back><p>Anhang.</p></back></text></TEI>"
    )


def read(path: Path, **fields: Any) -> Block:
    reading = open_reading(params_of(path, **fields))
    total = Block([], [[]], [], [], {}, [], [])
    try:
        for block in reading.blocks:
            total.lines.extend(block.lines)
            total.sides[0].extend(block.sides[0])
            total = total._replace(
                documents=[*total.documents, *block.documents],
                languages=[*total.languages, *block.languages],
            )
    finally:
        reading.close()
    return total


def texts(tmp_path: Path, body: str, **given: str) -> list[str]:
    return read(write(tmp_path, tei(body, **given), "a.xml")).sides[0]


def test_the_header_gives_fields_and_the_language(tmp_path: Path) -> None:
    block = read(write(tmp_path, tei("<p>Ein Satz. Noch einer.</p>"), "a.xml"))

    assert block.sides[0] == ["Ein Satz.", "Noch einer."]
    assert block.languages == ["de", "de"]
    assert {(mark.name, *mark.fields) for mark in block.documents} == {
        ("a", *FIELDS.items())
    }


def test_marked_sentences_are_read_as_they_are_and_other_paragraphs_are_cut(
    tmp_path: Path,
) -> None:
    body = """<div><head>Erstes Kapitel</head>
    <p><s>Dr. Meier kam. Er ging.</s> <s>Ende</s></p><p>Eins. Zwei.</p></div>"""
    assert texts(tmp_path, body) == [
        "Erstes Kapitel",
        "Dr. Meier kam. Er ging.",
        "Ende",
        "Eins.",
        "Zwei.",
    ]


def test_notes_deletions_and_readings_are_left_out_and_broken_words_joined(
    tmp_path: Path,
) -> None:
    body = """<p>Er <choice><orig>gieng</orig><reg>ging</reg></choice><note>Anm.</note>
    nach <del>Wien</del><add>Bern</add> und sagte <q>Grüß
    Gott</q>, wie<lb break="no"/>
    der<fw>Kopf</fw>.</p>
    <sp><speaker>Anna</speaker><stage>leise</stage><l>Vers eins</l><l>Vers zwei</l></sp>
    <p><w>Das</w> <w>geht</w> <pc join="left">!</pc></p>"""
    assert texts(tmp_path, body) == [
        "Er ging nach Bern und sagte Grüß Gott, wieder.",
        "Vers eins",
        "Vers zwei",
        "Das geht!",
    ]


def test_paragraphs_within_a_paragraph_keep_the_order_of_the_text(
    tmp_path: Path,
) -> None:
    body = "<p>Vorher <list><item>eins</item><item>zwei</item></list> nachher</p>"
    assert texts(tmp_path, body) == ["Vorher", "eins", "zwei", "nachher"]


def test_each_text_of_a_corpus_is_a_document_in_its_own_language(
    tmp_path: Path,
) -> None:
    shared = HEADER.replace("Romeo und  Julia", "Sammlung")
    own = (
        "<teiHeader><fileDesc><titleStmt><title>{}</title></titleStmt></fileDesc>"
        "</teiHeader>"
    )
    parts = "".join(
        f'<TEI>{own.format(title)}<text xml:lang="{code}"><body><p>{text}</p></body>'
        "</text></TEI>"
        for title, code, text in (
            ("Αντιγόνη", "el", "Ω κοινόν."),
            ("شاهنامه", "fa", "به نام خداوند."),
            ("源氏物語", "ja", "いづれの御時にか。"),
        )
    )
    file = f"<teiCorpus {NAMESPACE}>{shared}{parts}</teiCorpus>"

    block = read(write(tmp_path, file, "c.xml"))

    assert block.languages == ["el", "fa", "ja"]
    names = [mark.name for mark in block.documents]
    assert names == ["Αντιγόνη", "شاهنامه", "源氏物語"]
    assert dict(block.documents[2].fields) == FIELDS | {"title": "源氏物語"}


def test_a_language_that_is_given_goes_before_that_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, tei("<p>Ein Satz.</p>", lang="fr"), "a.tei")
    assert read(path).languages == ["fr"]
    reading = open_reading(params_of(path, languages=["gsw"]))
    assert reading.languages == ("gsw",)
    assert all(not block.languages for block in reading.blocks)
    reading.close()


def test_a_date_without_a_year_is_given_as_it_stands(tmp_path: Path) -> None:
    header = HEADER.replace('when="1856-05"', "").replace("Mai 1856", "im Mai")
    header = header.replace("<date>2009</date>", "")
    block = read(write(tmp_path, tei("<p>Satz.</p>", header=header), "a.xml"))
    assert dict(block.documents[0].fields)["year"] == "im Mai"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (tei("<p>Ein\nSatz<p>"), r"malformed at line 11"),
        (tei("<figure/>"), "no paragraph or sentence"),
        (
            '<!DOCTYPE TEI [<!ENTITY a "b">]>' + tei("<p>&a;</p>")[21:],
            "declares XML entities",
        ),
        (tei("<p>Ganz.</p>")[:-30], "malformed at line"),
    ],
)
def test_damage_and_danger_are_told(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        read(write(tmp_path, text, "a.xml"))


def test_entries_of_lists_outside_of_paragraphs_are_read(tmp_path: Path) -> None:
    body = (
        "<listPlace><place><placeName>Kiel</placeName> on the sea</place><place>Ulm"
        "</place></listPlace><castList><castItem>Anna, a smith</castItem></castList>"
        "<p>See <bibl>Keller</bibl> and <gloss>this</gloss>.</p>"
    )
    path = tmp_path / "a.tei"
    path.write_text(f"<TEI><text><body>{body}</body></text></TEI>", encoding="utf-8")

    assert read_units(path, languages=["en"]).sides == [
        ["Kiel on the sea", "Ulm", "Anna, a smith", "See Keller and this."]
    ]


def corpus_root(folder: Path, *parts: str) -> Path:
    included = "".join(
        f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{part}"/>'
        for part in parts
    )
    header = HEADER.replace(
        "</profileDesc>",
        '<particDesc><xi:include xmlns:xi="http://www.w3.org/2001/XInclude" '
        'href="people.xml"/></particDesc></profileDesc>',
    )
    text = f"<teiCorpus {NAMESPACE}>{header}{included}</teiCorpus>"
    return write(folder, text, "sessions.xml")


def test_the_root_of_a_corpus_imports_its_parts(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    (folder / "2020").mkdir(parents=True)
    write(folder / "2020", tei("<u>The sitting is open.</u>", header=""), "may 1.xml")
    write(folder, tei("<u>It is closed.</u>", header=""), "june.xml")
    root = corpus_root(folder, "2020/may%201.xml", "june.xml", "july.xml")
    units = read_units(root)
    assert units.sides == [["The sitting is open.", "It is closed."]]
    assert units.reading.notes == [
        "1 part is missing: july.xml …",
        "Text of these elements was skipped: front (2), back (2).",
    ]
    names = [one.name for one in units.reading.documents]
    assert names == ["2020/may 1", "june"]


@pytest.mark.parametrize("href", ["../out.xml", "/etc/passwd", "http://a.b/c.xml", ""])
def test_parts_outside_of_the_folder_are_not_read(href: str, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    write(tmp_path, tei("<p>Secret.</p>"), "out.xml")
    with pytest.raises(UserError, match="outside its folder"):
        read_units(corpus_root(folder, href))


def test_a_part_that_is_a_link_to_outside_is_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    secret = write(tmp_path, tei("<p>Secret.</p>"), "out.xml")
    (folder / "in.xml").symlink_to(secret)
    with pytest.raises(UserError, match="outside its folder"):
        read_units(corpus_root(folder, "in.xml"))


def test_a_root_that_includes_itself_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no paragraph or sentence"):
        read_units(corpus_root(tmp_path, "sessions.xml"))


def test_elements_whose_text_is_skipped_are_counted(tmp_path: Path) -> None:
    body = (
        "<note>Applause</note><sp><speaker>Ana</speaker><p>We leave.<note>1</note>"
        "<gap/></p></sp><note/><stage>Exeunt</stage><note>Noise</note>"
    )
    units = read_units(write(tmp_path, tei(body), "a.xml"))
    assert units.sides == [["We leave."]]
    assert units.reading.notes == [
        "Text of these elements was skipped: note (3), front (1), speaker (1), "
        "stage (1), back (1)."
    ]
