"""Pairs leave the project: which ones, how they look, and whole or not at all."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from lxml import etree
from sqlalchemy import insert

from app.engine.exchange.pair_export import preview_pair_export
from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.pairs.sets import first_pair_id, read_scores
from app.engine.tasks.export_pairs import STAGE, ExportPairsResult, export_pairs
from app.errors import Cancelled, UserError
from app.params import build_params
from app.params.pairs import ExportPairs, PairFormat
from app.protocol.edits.pairs import JudgePairs, JudgeRange, SwapRunnerUp
from tests.cli.test_cli import run_cli
from tests.engine.review.made import add_corpora, add_pairs, edit

FORMATS = get_args(PairFormat)
FIRST = first_pair_id(1)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """Pairs 0 to 5 with scores 1.5, 1.375 …; 4 and 5 were not taken."""
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpora(project)
        add_pairs(project, n_candidates=2)
        good = (FIRST, FIRST + 1)
        edit(project, JudgePairs(pairs=good, verdict="accept", add_tags=("good",)))
        edit(project, JudgePairs(pairs=(FIRST + 2,), verdict="reject", note="no ship"))
        edit(project, JudgePairs(pairs=(FIRST + 1,), target_text="a ship"))
        yield project


def export(project: Project, out: Path, **fields: Any) -> ExportPairsResult:
    if not {"source", "target"} & fields.keys():
        fields.setdefault("pairs", "letters")
        fields.setdefault("verdicts", ["all"])
    params = build_params(ExportPairs, {"out": out, **fields})
    return export_pairs(project, params, Report())


def targets(project: Project, folder: Path, **fields: Any) -> list[str]:
    """Export as JSON lines and give the targets."""
    out = folder / "t.jsonl"
    export(project, out, replace=True, **fields)
    return [json.loads(line)["target"] for line in out.read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({}, ["ship 0", "a ship", "ship 2", "ship 3"]),
        ({"pairs": "1"}, ["ship 0", "a ship", "ship 2", "ship 3"]),
        ({"as_imported": True}, ["ship 0", "ship 1", "ship 2", "ship 3"]),
        ({"verdicts": ["accept"]}, ["ship 0", "a ship"]),
        ({"verdicts": ["reject", "unjudged"]}, ["ship 2", "ship 3"]),
        ({"tags": ["good", "rare"]}, ["ship 0", "a ship"]),
        ({"threshold": 1.25}, ["ship 0", "a ship", "ship 2"]),
        ({"threshold": 1.0, "with_candidates": True, "verdicts": ["unjudged"]},
         ["ship 3", "ship 4"]),
    ],
)  # fmt: skip
def test_pairs_are_chosen(
    project: Project, tmp_path: Path, fields: dict[str, Any], wanted: list[str]
) -> None:
    assert targets(project, tmp_path, **fields) == wanted


def test_accepted_pairs_are_the_default(project: Project, tmp_path: Path) -> None:
    assert targets(project, tmp_path, verdicts=[]) == ["ship 0", "a ship"]
    result = export(project, tmp_path / "a.tsv", verdicts=[])
    assert "Only accepted pairs are included." in result.notes


def test_all_pairs_are_the_default_while_none_is_judged(tmp_path: Path) -> None:
    with create_project(tmp_path / "new.isogloss") as project:
        add_corpora(project)
        add_pairs(project)
        params = ExportPairs(pairs="letters", out=tmp_path / "a.tsv")
        result = export_pairs(project, params, Report())
        assert result.n_written == len(read_scores(project.store, 1))
        assert "No pair is judged yet" in result.message


def test_a_preview_shows_what_an_export_writes(
    project: Project, tmp_path: Path
) -> None:
    params = ExportPairs(pairs="1", out=tmp_path / "a.tsv", threshold=1.4)
    shown = preview_pair_export(project, params)
    assert (shown.n, shown.rows) == (1, [("Schiff 0", "ship 0")])
    assert (shown.notice, shown.verdicts) == (
        "Only accepted pairs are included.",
        ("accept",),
    )
    with_all = msgspec.structs.replace(params, threshold=None, verdicts=("all",))
    assert preview_pair_export(project, with_all).n == 4
    assert preview_pair_export(project, with_all).verdicts == ()
    assert shown.counts == {"accept": 1}
    assert preview_pair_export(project, with_all).counts == {
        "accept": 2,
        "reject": 1,
        "": 1,
    }


def test_what_is_left_out_is_counted_by_its_reason(
    project: Project, tmp_path: Path
) -> None:
    fields = {"verdicts": ["accept", "reject"], "tags": ["good"], "threshold": 1.4}
    result = export(project, tmp_path / "a.tsv", **fields)
    assert (result.n_written, result.left_out) == (
        1,
        {
            "not of the wanted verdict": 1,
            "without the wanted tag": 1,
            "score below the threshold": 1,
        },
    )
    assert result.message == (
        "1 pair is written to a.tsv. Left out: 1 (not of the wanted verdict), 1 "
        "(without the wanted tag), 1 (score below the threshold)."
    )


def test_a_table_says_what_was_edited_and_what_nobody_read(
    project: Project, tmp_path: Path
) -> None:
    edit(project, JudgeRange(mining=1, verdict="accept"))  # pair 3
    out = tmp_path / "t.jsonl"
    export(project, out)
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [row["judged_as"] for row in rows] == ["pair", "pair", "pair", "range"]
    edited = [row["edited_after_score"] for row in rows]
    assert edited == [None, "target", None, None]
    memory = tmp_path / "t.tmx"
    export(project, memory)
    text = memory.read_text("utf-8")
    assert text.count('<prop type="x-judged-as">range</prop>') == 1
    assert text.count('<prop type="x-edited-after-score">target</prop>') == 1


def test_a_runner_up_that_was_swapped_in_has_its_own_score(
    project: Project, tmp_path: Path
) -> None:
    edit(project, SwapRunnerUp(pair=FIRST + 3))
    export(project, tmp_path / "a.jsonl")
    row = json.loads((tmp_path / "a.jsonl").read_text("utf-8").splitlines()[3])
    assert (row["source"], row["target"]) == ("Schiff 3", "ship 4")
    assert (row["score"], row["cosine"]) == (0.5625, None)
    # 1.125 was the score of the pair as it was found
    assert targets(project, tmp_path, threshold=1.1) == ["ship 0", "a ship", "ship 2"]


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_appears_whole_and_is_not_written_over(
    project: Project, tmp_path: Path, kind: str
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    result = export(project, folder / "letters.x", format=kind)
    assert set(folder.iterdir()) == set(result.files)
    assert all(file.stat().st_size for file in result.files)
    before = {file: file.read_bytes() for file in result.files}
    with pytest.raises(UserError, match="already exists"):
        export(project, folder / "letters.x", format=kind, threshold=1.4)
    assert {file: file.read_bytes() for file in folder.iterdir()} == before
    again = export(
        project, folder / "letters.x", format=kind, threshold=1.4, replace=True
    )
    assert again.n_written == 1
    assert set(folder.iterdir()) == set(result.files)


@pytest.mark.parametrize("kind", FORMATS)
def test_a_cancel_leaves_nothing(project: Project, tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "out"
    folder.mkdir()

    class Impatient(Report):
        def step(self, stage: str, done: int, total: int, note: str = "") -> None:
            if stage == STAGE:
                assert len(list(folder.iterdir())) > 0
                raise Cancelled

    params = build_params(
        ExportPairs, {"pairs": "1", "out": folder / "a.x", "format": kind}
    )
    with pytest.raises(Cancelled):
        export_pairs(project, params, Impatient())
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"pairs": "lettres"}, r"no pair set 'lettres'; the project has letters"),
        ({"pairs": ""}, "Set either a pair set, or"),
        ({"pairs": "1", "source": "Hafen"}, "Set either a pair set, or"),
        ({"source": "Hafen"}, "both the source and the target"),
        ({"source": "Hafen", "target": "harbour"}, "No sentence of Hafen is linked"),
        ({"source": "Hafen", "target": "harbour", "verdicts": ["accept"]},
         "no verdicts, tags or scores"),
        ({"verdicts": ["flag"]},
         r"no pairs to export\. Left out: 4 \(not of the wanted"),
        ({"out": "a.doc"},
         r"a\.doc does not show the format. Use a name that ends in one of"),
        ({"out": "a.xlsx.gz"}, "xlsx is already compressed"),
        ({"out": "none/a.tmx"}, "none is not a folder"),
        ({"out": ""}, "does not show the format"),
        ({"out": "", "format": "tmx"}, "is a folder. Choose a file name"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_refused(
    project: Project, tmp_path: Path, fields: dict[str, Any], sentence: str
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    out = folder / fields.pop("out", "a.tmx")
    with pytest.raises(UserError, match=sentence):
        export(project, out, **fields)
    assert list(folder.iterdir()) == []


def test_linked_corpora_are_written_from_either_end(
    project: Project, tmp_path: Path
) -> None:
    rows = [
        {
            "source_id": first_sentence_id(1) + one,
            "target_id": first_sentence_id(2) + two,
        }
        for one, two in ((0, 3), (2, 1))
    ]
    with project.store.begin() as connection:
        statement = insert(schema.link).values(kind="imported")
        connection.execute(statement, rows)
    assert targets(project, tmp_path, source="Hafen", target="harbour") == [
        "ship 3",
        "ship 1",
    ]
    assert targets(project, tmp_path, source="2", target="1") == [
        "Schiff 2",
        "Schiff 0",
    ]
    row = json.loads((tmp_path / "t.jsonl").read_text("utf-8").splitlines()[0])
    assert row.keys() == {
        *("source", "target", "source_language", "target_language", "id"),
        *("source_corpus", "source_line", "target_corpus", "target_line"),
    }


def test_a_memory_says_what_is_known_of_each_pair(
    project: Project, tmp_path: Path
) -> None:
    export(project, tmp_path / "a.tmx")
    root = etree.parse(tmp_path / "a.tmx").getroot()
    assert (root.tag, root.get("version")) == ("tmx", "1.4")
    assert [child.tag for child in root] == ["header", "body"]
    assert root[0].get("srclang") == "de"
    unit = root[1][1]
    assert unit.get("tuid") == str(FIRST + 1)
    assert {unit.get(name, "")[-1:] for name in ("creationdate", "changedate")} == {"Z"}
    props = [(prop.get("type"), prop.text) for prop in unit.iterchildren("prop")]
    assert props == [
        ("x-score", "1.375000"),
        ("x-cosine", "0.687500"),
        ("x-margin", "ratio"),
        ("x-edited-after-score", "target"),
        ("x-verdict", "accept"),
        ("x-encoder", "words#ffffffff"),
        ("x-tag", "good"),
    ]
    assert [note.text for note in root[1][2].iterchildren("note")] == ["no ship"]
    assert [seg.text for seg in unit.iter("seg")] == ["Schiff 1", "a ship"]


@pytest.mark.parametrize(
    ("kind", "states"),
    [
        ("xliff-1.2", ["final", "final", "needs-translation", "translated"]),
        ("xliff-2.0", ["final", "final", "initial", "translated"]),
    ],
)
def test_xliff_says_the_verdict_as_state(
    project: Project, tmp_path: Path, kind: str, states: list[str]
) -> None:
    export(project, tmp_path / "a.xlf", format=kind)
    root = etree.parse(tmp_path / "a.xlf").getroot()
    namespace = etree.QName(root).namespace
    assert all(etree.QName(one).namespace == namespace for one in root.iter("*"))
    assert root.get("version") == kind.removeprefix("xliff-")
    assert [one.get("state") for one in root.iter("{*}*") if one.get("state")] == states


def test_stand_off_links_name_sentences_that_are_there(
    project: Project, tmp_path: Path
) -> None:
    result = export(project, tmp_path / "a b.xml")
    assert [file.name for file in result.files] == [
        "a b.de.xml",
        "a b.en.xml",
        "a b.xml",
    ]
    texts: dict[str, str | None] = {}
    for file in result.files[:2]:
        for sentence in etree.parse(file).iter("{*}s"):
            key = sentence.get("{http://www.w3.org/XML/1998/namespace}id")
            texts[f"{file.name.replace(' ', '%20')}#{key}"] = sentence.text
    links = list(etree.parse(result.files[2]).iter("{*}link"))
    pairs = [[texts[mark] for mark in link.get("target", "").split()] for link in links]
    assert pairs[:2] == [["Schiff 0", "ship 0"], ["Schiff 1", "a ship"]]
    assert [link.get("subtype") for link in links[:3]] == ["accept", "accept", "reject"]


def test_two_files_are_named_by_their_languages(
    project: Project, tmp_path: Path
) -> None:
    moses = export(project, tmp_path / "a.moses.gz")
    assert [file.name for file in moses.files] == ["a.de.gz", "a.en.gz"]
    segments = export(project, tmp_path / "a.b.txt", format="paraconc")
    assert [file.name for file in segments.files] == ["a.b.de.txt", "a.b.en.txt"]
    first = segments.files[1].read_text("utf-8").splitlines()[:2]
    assert first == ["<seg>ship 0</seg>", "<seg>a ship</seg>"]


def test_the_command_line_writes_the_same(project: Project, tmp_path: Path) -> None:
    export(project, tmp_path / "ours.tmx", verdicts=["accept"], tags=["good"])
    done = run_cli(
        *("export-pairs", str(project.folder), "--pairs", "letters"),
        *("--out", "theirs.tmx", "--verdict", "accept", "--tag", "good"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["files"], result["n_written"]) == (["theirs.tmx"], 2)
    ours, theirs = (
        (tmp_path / f"{who}.tmx").read_bytes() for who in ("ours", "theirs")
    )
    assert ours == theirs
