"""A corpus with one sentence of each fault."""

from pathlib import Path

from sqlalchemy import insert

from app.engine.project.project import create_project
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.params.quality import CheckCorpus
from tests.engine.quality.made import run_task
from tests.engine.search.made import add_corpus

TEXTS = [
    "The harbour road was under water and the bridge was closed.",
    "Die Hafenstraße stand unter Wasser, und die Brücke war gesperrt.",
    "The cafÃ© was open until late in the evening.",
    "Home | News | Sport | Weather | Contact",
    *["See you there."] * 5,
]


def test_each_fault_is_told_with_its_reason(tmp_path: Path) -> None:
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpus(project, "mixed", "en", TEXTS)
        result, found = run_task(project, CheckCorpus)
        counts = {"language": 1, "encoding": 1, "boilerplate": 6, "untranslated": 0}
        assert result["counts"] == counts
        told = {one.sentence_id - first_sentence_id(1): one for one in found}
        assert sorted(told) == [1, 2, 3, 4, 5, 6, 7, 8]
        assert "looks like German" in told[1].detail
        assert "Likely meant: The café" in told[2].detail
        assert told[4].detail == "This text occurs 5 times."
        assert result["message"].startswith("9 sentences checked: 1 in")

        result, found = run_task(
            project, CheckCorpus, checks=["boilerplate"], repeats=6
        )
        assert result["counts"] == {"boilerplate": 1}
        assert [one.sentence_id for one in found] == [first_sentence_id(1) + 3]


def test_a_target_that_equals_its_source_is_untranslated(tmp_path: Path) -> None:
    german = ["Das Boot kam spät.", "Café Müller", "Der Hafen ist zu."]
    english = [
        "The boat was late.",
        "Café Müller",
        "Der Hafen  ist zu!",
        "Das Boot kam spät.",
    ]
    with create_project(tmp_path / "p.isogloss") as project:
        for name, code, texts in (("Hafen", "de", german), ("harbour", "en", english)):
            add_corpus(project, name, code, texts)
        sides = first_sentence_id(1), first_sentence_id(2)
        links = [
            {"source_id": sides[0] + n, "target_id": sides[1] + n, "kind": "imported"}
            for n in range(3)
        ]
        with project.store.begin() as connection:
            connection.execute(insert(schema.link), links)
        result, found = run_task(project, CheckCorpus, checks=["untranslated"])
        assert result["counts"] == {
            "untranslated": 1
        }  # not the name, not what is alone
        (one,) = found
        assert (one.sentence_id, one.other_id) == (sides[1] + 2, sides[0] + 2)
        assert one.detail == "The text equals its source."
        assert result["message"] == "7 sentences checked: 1 untranslated."
