"""The downstream suite, with vectors that are known."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from app.engine.evaluation import downstream
from app.engine.evaluation.downstream import measure_set
from app.engine.evaluation.protocols import RelatednessResult, score_pairs
from app.engine.evaluation.published_results import read_published
from app.engine.project.project import create_project
from app.engine.project.runs import queue_run
from app.engine.runtime.report import Report
from app.engine.store.runs import read_measurements
from app.engine.tasks import evaluate_downstream as module
from app.engine.tasks.evaluate_downstream import (
    EvaluateDownstreamResult,
    evaluate_downstream,
)
from app.errors import Cancelled, UserError
from app.params import build_params
from app.params.evaluation import EvaluateDownstream
from app.results.measurements import Transferred
from tests.engine.classify.word_encoder import WORDS, WordEncoder, as_lines, make_rows

FEW = {"n_folds": 3, "n_inner_folds": 2}
TOPICS = as_lines(make_rows(45))
OTHERS = as_lines(make_rows(30, seed=2))


@pytest.fixture(autouse=True)
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "load_encoder", lambda *_, **__: WordEncoder())


def pairs(n: int, seed: int, labels: tuple[str, str] = ("0", "1")) -> str:
    """Make pairs, the same word twice or two words."""
    generator = np.random.default_rng(seed)
    words = ("ball", "tax", "rain", "snow", "wind")
    rows = []
    for index in range(n):
        first, second = generator.choice(words, 2, replace=False)
        same = index % 2
        rows.append((labels[same], str(first), str(first if same else second)))
    return as_lines(rows)


def params_of(folder: Path, **fields: dict[str, str]) -> EvaluateDownstream:
    values: dict[str, Any] = dict(FEW)
    for field, files in fields.items():
        values[field] = []
        for name, text in files.items():
            file = folder / f"{field}-{name}.tsv"
            file.write_text(text, encoding="utf-8")
            values[field].append(f"{name}={file}")
    params: EvaluateDownstream = build_params(EvaluateDownstream, values)
    return params


def evaluate(folder: Path, **fields: dict[str, str]) -> EvaluateDownstreamResult:
    return evaluate_downstream(None, params_of(folder, **fields), Report())


def row_of(got: EvaluateDownstreamResult, *key: str) -> Transferred:
    (row,) = (row for row in got.results if (row.data, row.metric) == key)
    return row


def test_each_protocol_is_the_one_that_the_files_allow(tmp_path: Path) -> None:
    got = evaluate(
        tmp_path,
        data={"MR": TOPICS, "two": TOPICS, "three": TOPICS},
        tests={"two": OTHERS, "three": OTHERS},
        developments={"three": as_lines(make_rows(24, seed=3))},
    )
    facts = {r.data: (r.protocol, r.n, r.n_development) for r in got.results}
    assert facts == {
        "MR": ("nested", 45, 45),
        "two": ("train-test", 30, 45),
        "three": ("train-dev-test", 30, 24),
    }
    for row in got.results:
        assert row.majority == pytest.approx(1 / 3, abs=1e-6)
        assert row.score_interval[0] <= row.score <= row.score_interval[1]
        assert row.score > 0.8
    assert got.averages is not None
    developments = [row.development for row in got.results]
    assert got.averages.macro == pytest.approx(np.mean(developments), abs=1e-5)
    by_hand = (45 * developments[0] + 45 * developments[1] + 24 * developments[2]) / 114
    assert got.averages.micro == pytest.approx(by_hand, abs=1e-5)


def test_published_figures_stand_beside_with_the_difference(tmp_path: Path) -> None:
    got = evaluate(tmp_path, data={"MR": TOPICS, "mine": TOPICS})
    row = row_of(got, "MR", "accuracy")
    system = "BiLSTM-max on AllNLI (Conneau 2019, table 3.7)"
    assert row.published[system] == 0.811
    assert got.differences["MR"]["accuracy"][system] == pytest.approx(
        row.score - 0.811, abs=1e-5
    )
    assert not row_of(got, "mine", "accuracy").published
    assert "mine" not in got.differences


def test_the_table_of_the_literature_is_whole() -> None:
    published = read_published()
    assert published["mrpc", "f1"]["Unigram TF-IDF (Conneau 2019, table 3.7)"] == 0.817
    assert published["sst2", "accuracy"]["M↔M k=50 (Vázquez et al. 2020)"] == 0.7716
    assert published["sickr", "pearson"]["InferSent (Vázquez et al. 2020)"] == 0.88
    assert all(
        0 <= score <= 1 for scores in published.values() for score in scores.values()
    )


def test_pairs_of_yes_and_no_have_an_f1(tmp_path: Path) -> None:
    got = evaluate(
        tmp_path,
        data={"MRPC": pairs(40, 1), "nli": pairs(40, 1, ("no", "maybe"))},
        tests={"MRPC": pairs(20, 2), "nli": pairs(20, 2, ("no", "maybe"))},
    )
    assert row_of(got, "MRPC", "f1").score == 1
    assert row_of(got, "MRPC", "accuracy").score == 1
    assert {row.metric for row in got.results if row.data == "nli"} == {"accuracy"}


@pytest.mark.parametrize("has_test", [False, True])
def test_scores_of_pairs_are_told_by_their_correlation(
    tmp_path: Path, has_test: bool
) -> None:
    tests = {"tests": {"STS-B": pairs(20, 2, ("0", "5"))}} if has_test else {}
    got = evaluate(tmp_path, scores={"STS-B": pairs(150, 1, ("0", "5"))}, **tests)
    row = row_of(got, "STS-B", "pearson")
    assert (row.protocol, row.n) == ("relatedness", 20 if has_test else 150)
    assert row.score > 0.9
    assert row_of(got, "STS-B", "spearman").score > 0.8
    assert got.averages is None


@pytest.mark.parametrize(
    ("field", "text", "why"),
    [
        ("data", "a\tball\n" * 20, "has only the class 'a'"),
        ("data", "a\tball\n" * 5 + "b\train\n", "single row"),
        ("data", "a\tball\nb\ttax\nc\n", "line 3: there is one"),
        ("data", "a\tball\nb\ttax\n", "too few for 3 folds"),
        ("scores", "1\tball\n2\ttax\n" * 9, "has one text per row"),
        ("scores", "1\ta\tb\nnan\ta\tb\n" * 9, "line 2: 'nan' is not a score"),
        ("scores", "1\ta\tb\n" * 9, "all 9 scores are 1"),
        ("scores", "1\tx1\tx2\n2\tx3\tx4\n" * 9, "all 18 pairs have the same vec"),
        ("scores", "1\tball\ttax\n2\tball\ttax\n" * 9, "all 18 pairs have the same"),
        ("scores", "1\tball\tball\n2\ttax\ttax\n" * 9, "the same in all 18 rows"),
    ],
)
def test_what_cannot_be_measured_is_told_and_the_rest_goes_on(
    tmp_path: Path, field: str, text: str, why: str
) -> None:
    with pytest.raises(UserError, match=why):
        evaluate(tmp_path, **{field: {"bad": text}})
    fields = {"data": {"good": TOPICS}}
    fields.setdefault(field, {})["bad"] = text
    got = evaluate(tmp_path, **fields)
    assert {row.data for row in got.results} == {"good"}
    assert len(got.failures) == 1


def test_a_label_that_training_never_saw_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"line 31: the label 'law' doesn't occur"):
        evaluate(tmp_path, data={"x": TOPICS}, tests={"x": OTHERS + "law\tlaw\n"})


def test_names_must_go_together(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="have the name y, but no data"):
        evaluate(tmp_path, data={"x": TOPICS}, tests={"y": OTHERS})
    with pytest.raises(UserError, match="x has development rows but no test rows"):
        evaluate(tmp_path, data={"x": TOPICS}, developments={"x": OTHERS})
    with pytest.raises(UserError, match="as labels and as scores"):
        evaluate(tmp_path, data={"x": TOPICS}, scores={"x": TOPICS})
    with pytest.raises(UserError, match="at least one file"):
        evaluate(tmp_path)


def test_a_run_keeps_its_rows_and_is_the_same_again(tmp_path: Path) -> None:
    params = params_of(tmp_path, data={"MR": TOPICS})
    with create_project(tmp_path / "p") as project:
        run = queue_run(project, params)
        got = evaluate_downstream(project, params, Report(run=run))
        assert tuple(read_measurements(project.store, run)) == got.results
    assert evaluate_downstream(None, params, Report()) == got


def test_cancel_ends_it_within_a_fold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report, stages = Report(), []

    def step(stage: str, *_: object) -> None:
        stages.append(stage)
        if stage == "Cross-validating":
            raise Cancelled

    monkeypatch.setattr(report, "step", step)
    with pytest.raises(Cancelled):
        evaluate_downstream(None, params_of(tmp_path, data={"x": TOPICS}), report)
    assert stages.count("Cross-validating") == 1


def scored(n: int, scores: tuple[str, ...], seed: int = 1) -> str:
    """Make pairs with scores: the highest where both texts are the same."""
    lines = pairs(n, seed, labels=(scores[0], scores[-1])).splitlines()
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize(
    ("low", "high", "bounds"), [("1.2", "4.8", "1 to 5"), ("0", "5", "0 to 5")]
)
def test_the_bounds_of_scores_are_read_and_reported(
    tmp_path: Path, low: str, high: str, bounds: str
) -> None:
    got = evaluate(
        tmp_path,
        scores={"SICK-R": scored(60, (low, high))},
        tests={"SICK-R": scored(30, (low, high), seed=2)},
    )
    assert f"SICK-R: the data have scores from {bounds}." in got.notes


def test_bounds_that_are_set_are_kept(tmp_path: Path) -> None:
    params = params_of(tmp_path, scores={"x": scored(60, ("1", "5"))})
    params = msgspec.structs.replace(params, lowest=0.0, highest=10.0)
    assert evaluate_downstream(None, params, Report()).notes == ()


def test_the_squared_error_is_that_of_the_predicted_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[RelatednessResult] = []

    def watch(*arguments: Any) -> RelatednessResult:
        found.append(score_pairs(*arguments))
        return found[-1]

    monkeypatch.setattr(downstream, "score_pairs", watch)
    got = evaluate(
        tmp_path,
        scores={"x": scored(60, ("1", "5"))},
        tests={"x": scored(30, ("1", "5"), seed=2)},
    )
    (scores,) = found
    pairs_of = zip(scores.predicted.tolist(), scores.gold.tolist(), strict=True)
    squares = [(one - other) ** 2 for one, other in pairs_of]
    error = row_of(got, "x", "pearson").mean_squared_error
    assert error == pytest.approx(sum(squares) / 30, abs=1e-5)
    assert error is not None
    assert error < 4  # what the mean score would have
    assert row_of(got, "x", "spearman").mean_squared_error is None


def test_the_perceptron_has_its_name_in_the_row(tmp_path: Path) -> None:
    params = params_of(
        tmp_path,
        data={"x": TOPICS},
        tests={"x": OTHERS},
        developments={"x": as_lines(make_rows(24, seed=3))},
    )
    params = msgspec.structs.replace(params, n_hidden=20)
    (row,) = evaluate_downstream(None, params, Report()).results
    assert (row.classifier, row.protocol) == ("MLP (20)", "train-dev-test")
    assert row.majority is not None
    assert row.score > row.majority + 0.2


def test_vectors_are_used_as_they_are_if_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[np.ndarray] = []

    class Long(WordEncoder):
        def encode(self, texts: Any) -> np.ndarray:
            return 3 * super().encode(texts)

    def watch(one: Any, vectors: Any, *others: Any) -> Any:
        seen.append(np.linalg.norm(vectors[0][0], axis=1))
        return measure_set(one, vectors, *others)

    monkeypatch.setattr(module, "load_encoder", lambda *_, **__: Long())
    monkeypatch.setattr(module, "measure_set", watch)
    params = params_of(tmp_path, data={"x": TOPICS})
    for normalised in (True, False):
        settings = msgspec.structs.replace(params, normalised=normalised)
        evaluate_downstream(None, settings, Report())
    assert seen[0] == pytest.approx(np.ones(45), abs=1e-5)
    texts = [line.split("\t")[1] for line in TOPICS.splitlines()]
    lengths = np.linalg.norm(Long().encode(texts), axis=1)
    assert seen[1] == pytest.approx(lengths, rel=1e-5)
    assert abs(lengths.mean() - 1) > 0.5


BAGS = {"word_vectors", "idf_vectors", "sif_vectors", "sif_less_component"}


def write_vectors(file: Path) -> Path:
    """Write a vector for each word of the made texts."""
    words = [*WORDS, *(f"x{word}" for word in WORDS)]
    table = np.random.default_rng(1).normal(size=(len(words), 12))
    lines = [
        f"{word} {' '.join(map(str, row))}"
        for word, row in zip(words, table.tolist(), strict=True)
    ]
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return file


def test_averaged_word_vectors_are_measured_next_to_the_encoder(
    tmp_path: Path,
) -> None:
    got = evaluate(
        tmp_path,
        data={"topics": TOPICS, "two": TOPICS, "MRPC": pairs(40, 1)},
        tests={"two": OTHERS, "MRPC": pairs(20, 2)},
    )
    for name in ("topics", "two"):
        row = row_of(got, name, "accuracy")
        assert set(row.baselines) == BAGS
        assert row.majority is not None
        assert row.baselines["word_vectors"] > row.majority
    # word vectors can't be learned from texts of one word
    assert row_of(got, "MRPC", "accuracy").baselines == {}


def test_baselines_of_pairs_use_a_file_of_word_vectors(tmp_path: Path) -> None:
    params = params_of(
        tmp_path,
        data={"MRPC": pairs(40, 1)},
        scores={"STS-B": pairs(150, 1, ("0", "5"))},
        tests={"MRPC": pairs(20, 2)},
    )
    params = msgspec.structs.replace(
        params, word_vectors=write_vectors(tmp_path / "own.vec")
    )
    got = evaluate_downstream(None, params, Report())
    assert [row.metric for row in got.results] == [
        *("accuracy", "f1", "pearson", "spearman")
    ]
    for row in got.results:
        assert set(row.baselines) == BAGS
    f1 = row_of(got, "MRPC", "f1")
    assert f1.baselines["word_vectors"] == 1  # pairs are equal or not
    assert row_of(got, "STS-B", "pearson").baselines["word_vectors"] > 0.5


def test_baselines_can_be_left_out_and_a_file_without_the_words_is_refused(
    tmp_path: Path,
) -> None:
    params = params_of(tmp_path, data={"topics": TOPICS})
    without = msgspec.structs.replace(params, baselines=False)
    (row,) = evaluate_downstream(None, without, Report()).results
    assert row.baselines == {}
    file = tmp_path / "tea.vec"
    file.write_text("tea 1 2\n", "utf-8")
    other = msgspec.structs.replace(params, word_vectors=file)
    with pytest.raises(UserError, match=r"tea\.vec has a vector for none of the"):
        evaluate_downstream(None, other, Report())
