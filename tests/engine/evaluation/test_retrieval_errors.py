"""Errors of an evaluation, with the sentences found instead."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from app.engine.evaluation import retrieval_errors
from app.engine.evaluation.retrieval_errors import list_retrieval_errors
from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project
from app.engine.project.runs import queue_run
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.tasks import evaluate_retrieval, evaluate_tatoeba
from app.errors import UserError
from app.params import Params
from app.params.evaluation import EvaluateRetrieval
from app.params.vectors import EvaluateTatoeba
from app.protocol.answers.evaluation import RetrievalErrors
from app.protocol.queries.evaluation import RetrievalErrorsQuery
from tests.engine.tasks.test_evaluate_retrieval import Compass
from tests.engine.tasks.test_evaluate_tatoeba import write_set


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    for module in (evaluate_retrieval, evaluate_tatoeba, retrieval_errors):
        monkeypatch.setattr(module, "load_encoder", lambda *_, **__: Compass())
    with create_project(tmp_path / "p.isogloss") as project:
        yield project


def run_task(project: Project, params: Params) -> int:
    run = queue_run(project, params)
    report = Report(run=run)
    if isinstance(params, EvaluateTatoeba):
        evaluate_tatoeba.evaluate_tatoeba(project, params, report)
    else:
        assert isinstance(params, EvaluateRetrieval)
        evaluate_retrieval.evaluate_retrieval(project, params, report)
    return run


def ask(project: Project, run: int, source: str, target: str) -> RetrievalErrors:
    query = RetrievalErrorsQuery(run=run, source=source, target=target)
    return answer_query(SearchSession(project), query)


def test_errors_have_the_expected_and_the_found_sentence(
    project: Project, tmp_path: Path
) -> None:
    table, pool = tmp_path / "t.tsv", tmp_path / "pool.txt"
    table.write_text("de\ten\n0\t10\n90\t90\n180\t180\n", encoding="utf-8")
    pool.write_text("1\n", encoding="utf-8")  # nearer to 0 than 10 is
    params = EvaluateRetrieval(table=table, columns=("en",), pools=(pool,))
    run = run_task(project, params)
    found = ask(project, run, "de", "en")
    assert (found.n, found.n_wrong, found.n_copies) == (3, 1, 0)
    (error,) = found.errors
    assert error.line == 2  # below the header
    assert (error.source, error.expected, error.found) == ("0", "10", "1")
    cosines = error.expected_cosine, error.found_cosine
    assert cosines == pytest.approx(np.cos(np.radians([10, 1])), abs=1e-5)
    assert ask(project, run, "en", "de").errors == ()


def test_errors_of_copies_are_counted(project: Project, tmp_path: Path) -> None:
    table = tmp_path / "t.tsv"
    table.write_text("de\ten\n0\t1\n2\t1\n90\t90\n", encoding="utf-8")
    run = run_task(project, EvaluateRetrieval(table=table, columns=("en",)))
    found = ask(project, run, "de", "en")
    assert (found.n_wrong, found.n_copies) == (1, 1)
    params = EvaluateRetrieval(table=table, columns=("en",), drop_duplicates=True)
    found = ask(project, run_task(project, params), "de", "en")
    assert (found.n, found.n_wrong) == (2, 0)


def test_errors_of_a_tatoeba_set_are_listed(project: Project, tmp_path: Path) -> None:
    write_set(tmp_path, "deu", "0\n20\n90\n", "1\n2\n91\n")
    run = run_task(project, EvaluateTatoeba(directory=tmp_path))
    (error,) = ask(project, run, "eng", "deu").errors
    assert (error.source, error.expected, error.found) == ("2", "20", "0")


def test_changed_texts_and_unknown_directions_are_refused(
    project: Project, tmp_path: Path
) -> None:
    table = tmp_path / "t.tsv"
    table.write_text("de\ten\n0\t1\n90\t90\n", encoding="utf-8")
    params = EvaluateRetrieval(table=table, columns=("en",))
    run = run_task(project, params)
    table.write_text("de\ten\n0\t2\n90\t90\n", encoding="utf-8")
    query = RetrievalErrorsQuery(run=run, source="de", target="en")
    with pytest.raises(UserError, match="texts have changed"):
        list_retrieval_errors(project, query)
    query = RetrievalErrorsQuery(run=run, source="de", target="fr")
    with pytest.raises(UserError, match="does not record"):
        list_retrieval_errors(project, query)
    sampled = EvaluateRetrieval(table=table, columns=("en",), n_random=1)
    query = RetrievalErrorsQuery(
        run=run_task(project, sampled), source="de", target="en"
    )
    with pytest.raises(UserError, match="random candidates"):
        list_retrieval_errors(project, query)
