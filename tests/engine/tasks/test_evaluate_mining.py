"""Mining measured against gold pairs, with vectors that are known."""

import lzma
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from app.arrays import FloatArray
from app.engine.runtime.report import Report
from app.engine.tasks import evaluate_mining as module
from app.engine.tasks.evaluate_mining import evaluate_mining
from app.errors import UserError
from app.params import build_params
from app.params.mining import EvaluateMining
from app.results.mining import EvaluateMiningResult


class Compass:
    """An encoder that reads a direction: "30" is the unit vector at 30 degrees."""

    name, dim, fingerprint = "compass", 2, "0" * 64

    def encode(self, texts: Sequence[str]) -> FloatArray:
        angles = np.radians([float(text.strip("x")) for text in texts])
        vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        known = np.array([["x" not in text] for text in texts])
        told: FloatArray = (vectors * known).astype(np.float32)
        return told


@pytest.fixture(autouse=True)
def compass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "load_encoder", lambda *_, **__: Compass())


def evaluate(
    folder: Path, source: str, target: str, gold: str, **fields: Any
) -> EvaluateMiningResult:
    for name, text in (("s", source), ("t", target)):
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "g.xz").write_bytes(lzma.compress(gold.encode()))
    files = {"source": folder / "s", "target": folder / "t", "gold": folder / "g.xz"}
    params = build_params(EvaluateMining, {**files, "k": 2, **fields})
    return evaluate_mining(None, params, Report())


# s1-t1 and s2-t2 are near, s3-t3 a little less, s4 and t4 are far apart
SOURCE = "s1\t0\ns2\t60\ns3\t120\ns4\t200\n"
TARGET = "t1\t1\nt2\t62\nt3\t126\nt4\t280\n"


def test_the_best_threshold_keeps_the_true_pairs(tmp_path: Path) -> None:
    got = evaluate(tmp_path, SOURCE, TARGET, "s1\tt1\ns2\tt2\ns3\tt3\n")
    assert (got.precision, got.recall, got.f1, got.pairs) == (1, 1, 1, 3)
    assert (got.wrong, got.missed, got.gold) == ([], [], 3)
    assert got.f1_interval == (1, 1)


def test_a_given_threshold_is_kept(tmp_path: Path) -> None:
    low = evaluate(tmp_path, SOURCE, TARGET, "s1\tt1\n", threshold=-100)
    assert (low.threshold, low.pairs, low.precision, low.recall) == (-100, 4, 0.25, 1)
    assert low.best_f1 > low.f1 == pytest.approx(0.4)
    assert {(one.source, one.target) for one in low.wrong} >= {("s2", "t2")}
    high = evaluate(tmp_path, SOURCE, TARGET, "s1\tt1\n", threshold=900)
    assert (high.pairs, high.f1) == (0, 0)
    assert [(one.source, one.target) for one in high.missed] == [("s1", "t1")]


def test_the_errors_are_the_worst_first_with_what_stands_against_them(
    tmp_path: Path,
) -> None:
    gold = "s1\tt1\ns2\tt3\ns3\tt2\n"
    got = evaluate(tmp_path, SOURCE, TARGET, gold, threshold=-100, margin="absolute")
    wrong = [(one.source, one.target, one.instead) for one in got.wrong]
    assert wrong == [("s2", "t2", "t3"), ("s3", "t3", "t2")]  # 2 and 6 degrees
    missed = [(one.source, one.target, one.instead) for one in got.missed]
    assert missed == [("s2", "t3", "t2"), ("s3", "t2", "t3")]  # 66 and 58 degrees
    scores = [one.score for one in got.missed]
    assert scores == pytest.approx(np.cos(np.radians([66, 58])), abs=1e-6)
    assert got.missed[0].instead_text == "62"


def test_the_errors_fit_into_a_message(tmp_path: Path) -> None:
    side = "".join(f"s{i}\t{i}\n" for i in range(60))
    other = "".join(f"t{i}\t{i}{'0' * 40}e-40\n" for i in range(60))
    gold = "".join(f"s{i}\tt{59 - i}\n" for i in range(60))
    got = evaluate(tmp_path, side, other, gold, threshold=-100)
    assert 0 < len(got.wrong) <= 50
    assert len(msgspec.json.encode(got)) < 60_000


def test_a_header_is_not_a_sentence(tmp_path: Path) -> None:
    gold = "source_id\ttarget_id\ns1\tt1\n"
    got = evaluate(tmp_path, "id\ttext\n" + SOURCE, TARGET, gold)
    assert got.recall == 1


def test_blank_lines_and_line_ends_of_windows_are_passed_over(tmp_path: Path) -> None:
    gold = "\ufeffs1\tt1\r\n\r\ns2\tt2\r\n\r\n"
    got = evaluate(tmp_path, "\ufeff" + SOURCE + "\n", TARGET + "\n\n", gold)
    assert (got.gold, got.recall) == (2, 1)


def test_any_of_equal_texts_stands_for_the_gold_one(tmp_path: Path) -> None:
    twice = "s0\t0\n" + SOURCE
    got = evaluate(tmp_path, twice, TARGET, "s1\tt1\ns0\tt1\ns2\tt2\ns3\tt3\n")
    assert (got.gold, got.f1) == (3, 1)


def test_a_text_that_the_encoder_does_not_know_is_missed(tmp_path: Path) -> None:
    source = SOURCE.replace("60", "x60")
    got = evaluate(tmp_path, source, TARGET, "s1\tt1\ns2\tt2\n")
    assert got.recall == 0.5


def test_one_sentence_a_side_is_a_pair(tmp_path: Path) -> None:
    assert evaluate(tmp_path, "a\t1\n", "b\t2\n", "a\tb\n", k=100).f1 == 1


@pytest.mark.parametrize(
    ("source", "gold", "message"),
    [
        (SOURCE, "s1\tt9\n", r"line 1: the target file has no id 't9'"),
        (SOURCE, "s1\tt1\nq\tt1\n", r"line 2: the source file has no id 'q'"),
        (SOURCE, "s1 t1\n", r"line 1: a gold pair is a source id, a tab and a"),
        (SOURCE, "source\ttarget\n", r"g.xz contains no pair"),
        ("s1 0\n", "s1\tt1\n", r"s, line 1: there is no tab"),
        ("s1\t0\ns1\t1\n", "s1\tt1\n", r"line 2: the id 's1' occurs twice"),
    ],
)
def test_bad_files_are_refused_in_a_sentence(
    tmp_path: Path, source: str, gold: str, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        evaluate(tmp_path, source, TARGET, gold)


# --- BUCC: the threshold of a training set ---


def angles_of(text: str) -> dict[str, float]:
    cells = (line.split("\t") for line in text.splitlines())
    return {id_: float(angle) for id_, angle in cells}


def mine_slowly(source: str, target: str, k: int) -> list[tuple[float, str, str]]:
    """Score by the ratio margin and keep each sentence once, the best pairs first."""
    one, other = angles_of(source), angles_of(target)
    cosine = {
        (s, t): float(np.cos(np.radians(a - b)))
        for s, a in one.items()
        for t, b in other.items()
    }
    near_s = {s: sorted((cosine[s, t] for t in other), reverse=True)[:k] for s in one}
    near_t = {t: sorted((cosine[s, t] for s in one), reverse=True)[:k] for t in other}
    margin = {
        (s, t): c / (sum(near_s[s]) / (2 * k) + sum(near_t[t]) / (2 * k))
        for (s, t), c in cosine.items()
    }
    candidates = {
        max(((s, t) for t in other if cosine[s, t] >= near_s[s][-1]), key=margin.get)  # type: ignore[arg-type] # every pair has one
        for s in one
    } | {
        max(((s, t) for s in one if cosine[s, t] >= near_t[t][-1]), key=margin.get)  # type: ignore[arg-type] # every pair has one
        for t in other
    }
    found, used = [], set()
    for s, t in sorted(candidates, key=lambda pair: -margin[pair]):
        if s not in used and t not in used:
            used |= {s, t}
            found.append((margin[s, t], s, t))
    return found


def make_set(n: int, n_gold: int, seed: int) -> tuple[str, str, str]:
    """Make sentences of which the first n_gold have a translation."""
    generator = np.random.default_rng(seed)
    angles = generator.uniform(0, 360, n)
    noise = generator.normal(0, 2.5, n_gold)
    others = [*(angles[:n_gold] + noise), *generator.uniform(0, 360, n - n_gold)]
    source = "".join(f"s{i}\t{angle:.4f}\n" for i, angle in enumerate(angles))
    target = "".join(f"t{i}\t{angle:.4f}\n" for i, angle in enumerate(others))
    return source, target, "".join(f"s{i}\tt{i}\n" for i in range(n_gold))


def test_every_margin_is_measured_as_if_it_were_mined_alone(tmp_path: Path) -> None:
    source, target, gold = make_set(50, 20, seed=2)
    got = evaluate(tmp_path, source, target, gold)
    alone = {
        margin: evaluate(tmp_path, source, target, gold, margin=margin)
        for margin in ("ratio", "distance", "absolute")
    }
    assert sorted(one.margin for one in got.margins) == sorted(alone)
    for one in got.margins:
        other = alone[one.margin]
        assert (one.f1, one.pairs) == (other.best_f1, other.pairs)
        assert one.threshold == other.threshold
    f1 = [one.f1 for one in got.margins]
    assert f1 == sorted(f1, reverse=True)
    assert f1[0] > f1[-1]
    assert got.recommended == got.margins[0].margin


def test_the_threshold_of_the_training_set_is_applied_to_the_test_set(
    tmp_path: Path,
) -> None:
    train, test = make_set(40, 15, seed=1), make_set(50, 20, seed=2)
    files: dict[str, Any] = {}
    for name, text in zip(("source", "target", "gold"), train, strict=True):
        files[f"train_{name}"] = tmp_path / f"train-{name}"
        files[f"train_{name}"].write_text(text, encoding="utf-8")
    got = evaluate(tmp_path, *test, **files)

    # train: the threshold halfway behind the best F1
    found = mine_slowly(*train[:2], k=2)
    right = [s[1:] == t[1:] and int(s[1:]) < 15 for _, s, t in found]
    f1 = [2 * sum(right[:n]) / (n + 15) for n in range(1, len(found) + 1)]
    best = int(np.argmax(f1))
    threshold = (found[best][0] + found[best + 1][0]) / 2
    assert got.training is not None
    assert got.training.threshold == pytest.approx(threshold, abs=1e-5)
    assert (got.training.pairs, got.training.gold) == (best + 1, 15)
    assert got.training.f1 == pytest.approx(f1[best])

    # test: what is at or above it
    kept = [(s, t) for score, s, t in mine_slowly(*test[:2], k=2) if score >= threshold]
    n_right = sum(s[1:] == t[1:] and int(s[1:]) < 20 for s, t in kept)
    assert got.threshold == got.training.threshold
    assert got.pairs == len(kept)
    assert got.precision == pytest.approx(n_right / len(kept))
    assert got.recall == pytest.approx(n_right / 20)
    assert got.best_f1 >= got.f1
    ratio = next(one for one in got.margins if one.margin == "ratio")
    assert ratio.f1 == got.training.f1  # of the training set


def test_a_training_set_is_whole_and_chooses_alone(tmp_path: Path) -> None:
    files = {"train_source": tmp_path / "s", "train_target": tmp_path / "t"}
    with pytest.raises(UserError, match="A training set needs three files"):
        evaluate(tmp_path, SOURCE, TARGET, "s1\tt1\n", **files)
    files["train_gold"] = tmp_path / "g.xz"
    with pytest.raises(UserError, match="The training set chooses the threshold"):
        evaluate(tmp_path, SOURCE, TARGET, "s1\tt1\n", **files, threshold=1.1)
