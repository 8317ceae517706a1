"""The estimate of a mining run before it starts."""

from pathlib import Path
from typing import Any

import pytest

from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.tasks.encode import encode
from app.errors import UserError
from app.params.vectors import Encode
from app.protocol.answers.pairs import MiningPlan
from app.protocol.queries.pairs import MiningPlanQuery
from tests.engine.search.made import WordEncoder, add_corpus


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    encoder = WordEncoder(dim=16)
    monkeypatch.setattr(SearchSession, "encoder", lambda *_: encoder)
    monkeypatch.setattr(
        "app.engine.tasks.encode.load_encoder", lambda *_, **__: encoder
    )
    with create_project(tmp_path / "coast.isogloss") as project:
        add_corpus(project, "Küste", "de", ["Boot", "Kuh im Stall", "Mond", "Boot"])
        add_corpus(project, "coast", "en", ["boat", "cow"])
        encode(project, Encode(corpora=("Küste",)), Report())
        return project


def plan(project: Project, **fields: Any) -> MiningPlan:
    query = MiningPlanQuery(**{"source": "Küste", "target": "coast", **fields})
    return answer_query(SearchSession(project), query)


def test_sizes_seconds_and_memory_are_told(project: Project) -> None:
    told = plan(project)
    assert (told.n_sources, told.n_targets) == (4, 2)
    assert 0 < (told.seconds or 0) < 30
    assert 50_000_000 < told.memory_bytes < 4_000_000_000
    assert told.text.startswith("4 × 2 sentences: about ")
    assert "index" not in told.text


def test_only_the_sentences_of_a_language_count(project: Project) -> None:
    told = plan(project, target="", source_language="deu", target_language="en")
    assert (told.n_sources, told.n_targets) == (4, 0)


def test_a_long_pass_speaks_of_an_index(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.engine.mining.plan.LONG_S", 0.0)
    assert "An index (ivf) is faster but misses some" in plan(project).text


def test_the_time_of_an_index_is_not_known(project: Project) -> None:
    told = plan(project, index="sq8")
    assert told.seconds is None
    assert "is measured" in told.text


def test_an_unknown_corpus_is_named(project: Project) -> None:
    with pytest.raises(UserError, match="There is no corpus 'x'"):
        plan(project, target="x")
