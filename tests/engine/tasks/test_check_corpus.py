"""A corpus with one sentence of each fault."""

from pathlib import Path

from app.engine.project.project import create_project
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
        assert result["counts"] == {"language": 1, "encoding": 1, "boilerplate": 6}
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
