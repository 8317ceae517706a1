"""Two evaluations of retrieval compared sentence by sentence."""

from pathlib import Path

import numpy as np
import pytest

from app.arrays import BoolArray
from app.engine.evaluation.recording import DIGITS, percent_text
from app.engine.evaluation.retrieval_comparison import compare_retrievals
from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project
from app.engine.project.runs import queue_run
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.statistics import paired_bootstrap
from app.engine.store.runs import RetrievalHits
from app.engine.tasks import evaluate_retrieval, evaluate_tatoeba
from app.errors import UserError
from app.number_format import NO_BREAK
from app.params import Params
from app.params.evaluation import EvaluateRetrieval
from app.params.vectors import EvaluateTatoeba
from app.protocol.answers.evaluation import RetrievalComparison
from app.protocol.queries.evaluation import CompareRetrievalsQuery
from app.views.widgets.statistics_format import format_rate
from tests.engine.tasks.test_evaluate_retrieval import Compass
from tests.engine.tasks.test_evaluate_tatoeba import write_set


class Shifted(Compass):
    """An encoder that confuses what is below 45 degrees."""

    name, fingerprint = "shifted", "1" * 64

    def encode(self, texts: list[str]) -> np.ndarray:
        return super().encode([str(max(float(text), 45)) for text in texts])


def hits(source: str, target: str, is_right: BoolArray) -> RetrievalHits:
    return RetrievalHits.of((source, target), f"{source}-{target}", is_right)


def some_hits(share: float, seed: int, n: int = 400) -> BoolArray:
    return np.random.default_rng(seed).random(n) < share


def test_a_direction_has_the_interval_of_the_paired_bootstrap() -> None:
    one, other = some_hits(0.8, 1), some_hits(0.7, 2)
    found = compare_retrievals([hits("de", "en", one)], [hits("de", "en", other)])
    (row,) = found.directions
    assert (row.source, row.target, row.n) == ("de", "en", 400)
    assert row.one == pytest.approx(1 - one.mean())
    assert row.difference == pytest.approx(other.mean() - one.mean())
    assert (row.only_one, row.only_other) == (
        int((one & ~other).sum()),
        int((other & ~one).sum()),
    )
    slow = paired_bootstrap((~one).astype(float), (~other).astype(float))
    assert (row.low, row.high) == pytest.approx((slow.low, slow.high), abs=0.008)


def test_the_mean_draws_pairs_with_all_their_directions() -> None:
    one, other = some_hits(0.8, 1), some_hits(0.7, 2)
    both = [("de", "en"), ("en", "de")]
    # the same results in both directions: the interval must not become narrower
    found = compare_retrievals(
        [hits(*names, one) for names in both], [hits(*names, other) for names in both]
    )
    single, mean = found.directions[0], found.mean
    assert (mean.n_directions, mean.n) == (2, 400)
    assert mean.difference == pytest.approx(single.difference)
    width, wide = mean.high - mean.low, single.high - single.low
    assert width == pytest.approx(wide, abs=0.008)


@pytest.mark.parametrize(("n", "n_wrong"), [(400, 3), (400, 33), (2000, 229)])
def test_halves_are_rounded_as_in_the_tables(n: int, n_wrong: int) -> None:
    right = np.arange(n) >= n_wrong
    kept = round(n_wrong / n, DIGITS)  # the error of a table's row
    found = compare_retrievals([hits("de", "en", right)], [hits("de", "en", ~right)])
    errors = (found.directions[0].one, found.mean.one)
    assert {format_rate(error) for error in errors} == {format_rate(kept)}
    message = percent_text(float(np.mean([n_wrong / n + 1e-16])), (0.0, 1.0))
    assert message.startswith(f"{100 * kept:.1f}{NO_BREAK}% ")


def test_other_texts_and_old_runs_are_refused() -> None:
    here, there = hits("de", "en", some_hits(1, 1)), hits("fr", "en", some_hits(1, 1))
    with pytest.raises(UserError, match="no texts in common"):
        compare_retrievals([here], [there])
    with pytest.raises(UserError, match="older version"):
        compare_retrievals([here], [])
    found = compare_retrievals([here, there], [here])
    assert found.n_left_out == 1


def run_task(project: Project, params: Params, encoder: type[Compass]) -> int:
    module = (
        evaluate_tatoeba if isinstance(params, EvaluateTatoeba) else evaluate_retrieval
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "load_encoder", lambda *_, **__: encoder())
        run = queue_run(project, params)
        task = getattr(module, module.__name__.rpartition(".")[2])
        task(project, params, Report(run=run))
    return run


def compare(project: Project, *params: Params) -> RetrievalComparison:
    one, other = (
        run_task(project, some, encoder)
        for some, encoder in zip(params, (Compass, Shifted), strict=True)
    )
    query = CompareRetrievalsQuery(one=one, other=other)
    return answer_query(SearchSession(project), query)


def test_tatoeba_runs_of_two_encoders_are_compared(tmp_path: Path) -> None:
    write_set(tmp_path, "deu", "0\n20\n90\n", "1\n21\n91\n")
    write_set(tmp_path, "xxx", "50\n90\n", "51\n91\n")
    params = EvaluateTatoeba(directory=tmp_path)
    with create_project(tmp_path / "p.isogloss") as project:
        found = compare(project, params, params)
    rows = {(row.source, row.target): row for row in found.directions}
    # 0 and 20 degrees are the same for the second one: one of the two is wrong
    assert rows["deu", "eng"].one == 0
    assert rows["deu", "eng"].other == pytest.approx(1 / 3)
    assert rows["deu", "eng"].only_one == 1
    assert rows["xxx", "eng"].difference == 0
    assert (found.mean.n_directions, found.mean.n) == (4, 5)
    assert found.mean.difference == pytest.approx(-1 / 6)


def test_a_larger_pool_is_another_set_of_texts(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("de\ten\n0\t1\n90\t91\n", encoding="utf-8")
    (tmp_path / "pool.txt").write_text("10\n", encoding="utf-8")
    plain = EvaluateRetrieval(table=tmp_path / "t.tsv")
    pooled = EvaluateRetrieval(table=tmp_path / "t.tsv", pools=(tmp_path / "pool.txt",))
    with create_project(tmp_path / "p.isogloss") as project:
        assert compare(project, plain, plain).mean.n_directions == 2
        with pytest.raises(UserError, match="no texts in common"):
            compare(project, plain, pooled)
