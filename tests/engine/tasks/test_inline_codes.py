"""Inline codes of TMX and XLIFF: out of the text, kept for the export."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpus_writes import mark_corpora_removed, purge_removed_corpora
from app.engine.store.pairs.sets import read_pair_integers
from app.engine.store.pairs.texts import read_pair_texts
from app.engine.store.sentences import read_texts
from app.engine.tasks.encode import encode
from app.engine.tasks.export_pairs import ExportPairsResult, export_pairs
from app.engine.tasks.import_corpus import import_corpus
from app.engine.tasks.score_pairs import score_pairs
from app.engine.text.readers.inline_codes import restore_codes
from app.params import build_params
from app.params.corpora import ImportCorpus
from app.params.mining import ScorePairs
from app.params.pairs import ExportPairs
from app.params.vectors import Encode
from app.protocol.edits.pairs import JudgePairs
from tests.engine.review.made import edit
from tests.engine.text.readers.reading import read_units

TMX_SEGMENTS = (
    'Press <bpt i="1" type="bold">&lt;b&gt;</bpt>Save<ept i="1">&lt;/b&gt;</ept>.',
    'A <hi type="term">term</hi> and <ph x="1" assoc="p">&lt;img alt="'
    '<sub>picture</sub>"&gt;</ph>more',
    "No codes &amp; no marks.",
)
SEGMENTS = {
    "tmx": TMX_SEGMENTS,
    "xliff-1.2": (
        'Press <g id="1" ctype="bold">Save</g>.',
        'A <mrk mtype="term">term</mrk><x id="2"/> and <ph id="3">&lt;br&gt;</ph>more',
        "No codes &amp; no marks.",
    ),
    "xliff-2.0": (
        'Press <pc id="1">Save</pc>.',
        'A <mrk id="m1" type="term">term</mrk><ph id="2"/> and <sc id="3"/>more'
        '<ec startRef="3"/>',
        "No codes &amp; no marks.",
    ),
}
TEXTS = ["Press Save.", "A term and more", "No codes & no marks."]
UNITS = {
    "tmx": "<tu><tuv xml:lang='en'><seg>{0}</seg></tuv>"
    "<tuv xml:lang='fr'><seg>{1}</seg></tuv></tu>",
    "xliff-1.2": "<trans-unit id='u'><source>{0}</source><target>{1}</target>"
    "</trans-unit>",
    "xliff-2.0": "<unit id='u'><segment><source>{0}</source><target>{1}</target>"
    "</segment></unit>",
}
FILES = {
    "tmx": "<tmx version='1.4'><header srclang='en'/><body>{}</body></tmx>",
    "xliff-1.2": "<xliff version='1.2' xmlns='urn:oasis:names:tc:xliff:document:1.2'>"
    "<file source-language='en' target-language='fr'><body>{}</body></file></xliff>",
    "xliff-2.0": "<xliff version='2.0' xmlns='urn:oasis:names:tc:xliff:document:2.0' "
    "srcLang='en' trgLang='fr'><file id='f'>{}</file></xliff>",
}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "p.isogloss") as project:
        yield project


def import_file(project: Project, folder: Path, kind: str) -> Path:
    """Import a file whose targets are `T 0`, `T 1` and `T 2`, without codes."""
    units = [
        UNITS[kind].format(segment, f"T {index}")
        for index, segment in enumerate(SEGMENTS[kind])
    ]
    path = folder / ("t.tmx" if kind == "tmx" else "t.xlf")
    path.write_text(FILES[kind].format("".join(units)), encoding="utf-8")
    params = ImportCorpus(files=(path,), languages=("en", "fr"), names=("one", "two"))
    import_corpus(project, params, Report())
    return path


def export(project: Project, out: Path, kind: str) -> ExportPairsResult:
    fields = {"source": "one", "target": "two", "out": out, "format": kind}
    return export_pairs(project, build_params(ExportPairs, fields), Report())


def read_sources(path: Path) -> list[list[tuple[str, dict[str, str], str, str]]]:
    """List name, attributes, text and tail of each element in the source segments."""
    root = etree.parse(path).getroot()
    if root.tag == "tmx":
        segments = list(root.iterfind(".//seg"))[::2]
    else:
        segments = list(root.iterfind(".//{*}source"))
    return [
        [
            (
                etree.QName(one).localname,
                dict(one.attrib),
                one.text or "",
                one.tail or "",
            )
            for child in segment
            for one in child.iter()
        ]
        for segment in segments
    ]


@pytest.mark.parametrize("kind", list(SEGMENTS))
def test_codes_are_left_out_of_the_text_and_written_back(
    project: Project, tmp_path: Path, kind: str
) -> None:
    path = import_file(project, tmp_path, kind)
    assert read_texts(project.store, 1, 0, 3) == TEXTS

    result = export(project, tmp_path / f"out-{path.name}", kind)

    out = result.files[0]
    assert read_sources(out) == read_sources(path)
    assert read_sources(out)[0]
    assert not read_sources(out)[2]
    assert read_units(out, languages=["en", "fr"]).sides[0] == TEXTS
    assert result.notes == ("2 texts kept the inline codes.",)


def test_codes_of_an_edited_text_are_left_out_and_counted(
    project: Project, tmp_path: Path
) -> None:
    import_file(project, tmp_path, "tmx")
    encode(project, Encode(corpora=("one", "two")), Report())
    score_pairs(project, ScorePairs(source="one", target="two"), Report())
    ids = read_pair_integers(project.store, 1, "id").tolist()
    shown = [texts for texts in read_pair_texts(project.store, ids) if texts]
    (saved,) = [one.pair.id for one in shown if one.source.text == TEXTS[0]]
    edit(project, JudgePairs(pairs=(saved,), source_text="Press Keep."))
    params = ExportPairs(pairs="1", out=tmp_path / "out.tmx", verdicts=("all",))

    result = export_pairs(project, params, Report())

    texts = read_units(tmp_path / "out.tmx", languages=["en", "fr"]).sides[0]
    assert sorted(texts) == sorted(["Press Keep.", *TEXTS[1:]])
    assert sum(map(bool, read_sources(tmp_path / "out.tmx"))) == 1
    assert result.notes == (
        "1 text kept the inline codes.",
        "The inline codes of 1 text were left out: the text was edited, or the codes "
        "are those of another format.",
    )


def test_codes_of_another_format_are_left_out_and_counted(
    project: Project, tmp_path: Path
) -> None:
    import_file(project, tmp_path, "tmx")
    result = export(project, tmp_path / "out.xlf", "xliff-1.2")
    assert read_sources(tmp_path / "out.xlf") == [[], [], []]
    assert result.notes[0].startswith("The inline codes of 2 texts were left out")


def test_codes_go_with_their_corpus(project: Project, tmp_path: Path) -> None:
    import_file(project, tmp_path, "tmx")
    mark_corpora_removed(project.store, [1, 2])
    assert purge_removed_corpora(project.store)
    with project.store.connect() as connection:
        assert connection.execute(schema.coded_segment.select()).all() == []


def test_joined_sentences_keep_the_codes_of_each() -> None:
    parts = ["Press Save.", "Go on."]
    coded = ("tmx", '<seg>Press <ph x="1">b</ph>Save.</seg>')
    made = restore_codes("Press Save. Go on.", parts, [coded, None], "tmx")
    assert made == '<seg>Press <ph x="1">b</ph>Save. Go on.</seg>'
    assert restore_codes("Press Save. Stay.", parts, [coded, None], "tmx") is None


@pytest.mark.parametrize(
    "xml",
    [
        "<seg>Press <b>Save</seg>",
        '<!DOCTYPE a [<!ENTITY e "Save">]><seg>Press &e;.</seg>',
        "",
    ],
)
def test_codes_that_another_program_wrote_are_left_out(xml: str) -> None:
    assert restore_codes("Press Save.", ["Press Save."], [("tmx", xml)], "tmx") is None


def test_elements_of_other_formats_are_text() -> None:
    xml = '<seg>Press <script>x</script><b onclick="y">Save</b><ph x="1">c</ph>.</seg>'
    made = restore_codes("Press xSave.", ["Press xSave."], [("tmx", xml)], "tmx")
    assert made == '<seg>Press xSave<ph x="1">c</ph>.</seg>'
