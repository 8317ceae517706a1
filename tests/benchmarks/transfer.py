"""Zero-shot transfer of the bundled encoder: the tables of docs/classification.md.

    python -m tests.benchmarks.transfer --data EVAL [--only sib200 xed xnli english]

EVAL is a folder with flores200/dev.tsv.xz, classification/{sib200/labels.tsv,
xed.tsv.xz, english.tsv.xz}, xnli/{dev,test}.tsv.xz and sts/stsb.tsv.xz. Every set
becomes files of label⇥text(⇥text), and then `evaluate-transfer` runs on them as a user
would run it.
"""

import argparse
import json
import lzma
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from app.engine.encoders.registry import load_encoder
from app.engine.heads.base import Examples
from app.engine.heads.fitting import fit_head
from app.engine.heads.folds import hold_out, make_folds
from app.engine.heads.relatedness import pearson
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report
from app.engine.tasks.evaluate_transfer import evaluate_transfer
from app.languages import language_name, parse_language
from app.params import build_params
from app.params.classify import EvaluateTransfer
from app.results.transfer import EvaluateTransferResult, LanguageScore, PairScore, Score

# Twenty languages of most speakers, mother tongue and second (Ethnologue's order of
# magnitude), each in its usual script.
LARGEST = (
    *("eng_Latn", "zho_Hans", "hin_Deva", "spa_Latn", "fra_Latn", "arb_Arab"),
    *("ben_Beng", "por_Latn", "rus_Cyrl", "urd_Arab", "ind_Latn", "deu_Latn"),
    *("jpn_Jpan", "mar_Deva", "tel_Telu", "tur_Latn", "tam_Taml", "yue_Hant"),
    *("vie_Latn", "kor_Hang"),
)
N_FOLDS = 10
Rows = list[tuple[str, ...]]


def main() -> None:
    """Run what is asked for, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=list(SETS))
    parser.add_argument("--encoder", default="")
    options = parser.parse_args()
    for name in options.only:
        begun = time.monotonic()
        print(f"\n## {name}\n")
        SETS[name](options.data, options.encoder)
        print(f"\n{time.monotonic() - begun:.0f} s")


def run_sib200(data: Path, encoder: str) -> None:
    """Topics of FLORES sentences, trained on English, in all languages of the table."""
    columns = _read_columns(data / "flores200" / "dev.tsv.xz")
    split: dict[str, list[tuple[str, int]]] = defaultdict(list)
    path = data / "classification" / "sib200" / "labels.tsv"
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        part, topic, _, row = line.split("\t")
        split[part].append((topic, int(row)))

    def rows(code: str, part: str) -> Rows:
        return [(topic, columns[code][row]) for topic, row in split[part]]

    tests = {code: rows(code, "test") for code in columns}
    sets = rows("eng_Latn", "train"), rows("eng_Latn", "dev")
    heads = (
        ("logistic", False),
        ("logistic", True),
        ("mlp", False),
        ("centroid", False),
    )
    for head, balanced in [*heads, ("logistic", True)]:
        result = _evaluate(sets, tests, encoder, head=head, balanced=balanced)
        scores = _scores(result)
        large = {code: scores[code] for code in LARGEST}
        name = f"{head}{', balanced' if balanced else ''}"
        _print_means(f"{name}, all {len(scores)}", scores)
        _print_interval(result)
        _print_means(f"{name}, 20 largest", large)
        if head == "logistic" and not balanced:
            _print_table({code: scores[code] for code in LARGEST})
            _print_worst(scores)


def run_xed(data: Path, encoder: str) -> None:
    """Polarity of film lines, trained on English, in 26 languages."""
    found: dict[tuple[str, str], Rows] = defaultdict(list)
    for part, language, label, text in _read_rows(
        data / "classification" / "xed.tsv.xz"
    ):
        found[part, language].append((label, text))
    tests = {name: rows for (part, name), rows in found.items() if part != "train"}
    for head, balanced in (("logistic", False), ("logistic", True), ("mlp", True)):
        result = _evaluate(
            (found["train", "en"], None), tests, encoder, head=head, balanced=balanced
        )
        name = f"{head}{', balanced' if balanced else ''}"
        scores = _scores(result)
        _print_means(f"{name}, {len(scores)}", scores)
        _print_interval(result)
        if balanced and head == "logistic":
            _print_table(scores)


def run_xnli(data: Path, encoder: str) -> None:
    """Inference, trained on the English development set, tested on 15 languages."""
    train = [
        (label, *texts)
        for language, _, label, *texts in _read_rows(data / "xnli" / "dev.tsv.xz")
        if language == "en"
    ]
    tests: dict[str, Rows] = defaultdict(list)
    for language, _, label, *texts in _read_rows(data / "xnli" / "test.tsv.xz"):
        if language != "ko":
            tests[language].append((label, *texts))
    settings = {"n_epochs": 200, "batch_size": 128, "dropout": 0.3, "matrix": True}
    result = _evaluate((train, None), tests, encoder, head="nli", **settings)
    scores = _scores(result)
    _print_means(f"nli, {len(scores)}", scores)
    _print_interval(result)
    _print_table(scores)
    names = list(result.matrix)
    print("\n| premise ↓ hypothesis → | " + " | ".join(names) + " | mean |")
    print("|---" * (len(names) + 2) + "|")
    for name, row in result.matrix.items():
        cells = [f"{100 * row[other]:.1f}" for other in names]
        cells.append(f"{100 * np.mean(list(row.values())):.1f}")
        print(f"| {name} | " + " | ".join(cells) + " |")
    result = _evaluate((train, None), tests, encoder, head="logistic")
    _print_means("logistic", _scores(result))
    _print_interval(result)


def run_sts(data: Path, encoder_name: str) -> None:
    """Relatedness, trained on the English development set; cosine alone beside it."""
    train: Rows = []
    tests: dict[str, Rows] = defaultdict(list)
    for language, part, _, _, grade, *texts in _read_rows(data / "sts" / "stsb.tsv.xz"):
        if part == "test":
            tests[language].append((grade, *texts))
        elif language == "en":
            train.append((grade, *texts))
    result = _evaluate((train, None), tests, encoder_name, head="relatedness", lr=0.01)
    encoder = load_encoder(encoder_name)
    print("\n| language | n | Pearson | 95 % | Spearman | Pearson of the cosine |")
    print("|---|---|---|---|---|---|")
    for name, score in result.languages.items():
        assert isinstance(score, PairScore)
        first, second = (
            normalise_rows(encoder.encode([row[index] for row in tests[name]]))[0]
            for index in (1, 2)
        )
        gold = np.array([float(row[0]) for row in tests[name]], np.float32)
        plain = pearson(np.einsum("nd,nd->n", first, second), gold)
        low, high = (100 * end for end in score.pearson_interval)
        print(
            f"| {language_name(parse_language(name).code)} | {score.n:,} | "
            f"{100 * score.pearson:.1f} | {low:.1f}–{high:.1f} | "
            f"{100 * score.spearman:.1f} | {100 * plain:.1f} |"
        )
    print()
    _print_interval(result)


def run_english(data: Path, encoder_name: str) -> None:
    """MR, SUBJ and CR by ten-fold cross-validation, the penalty chosen within each."""
    sets: dict[str, Rows] = defaultdict(list)
    for task, label, text in _read_rows(data / "classification" / "english.tsv.xz"):
        sets[task].append((label, text))
    encoder = load_encoder(encoder_name)
    print("| set | n | accuracy | sd of folds | majority |\n|---|---|---|---|---|")
    for task, rows in sets.items():
        texts = [text for _, text in rows]
        names = sorted({label for label, _ in rows})
        classes = np.array([names.index(label) for label, _ in rows])
        vectors, _ = normalise_rows(encoder.encode(texts))
        accuracies = list(_fold_accuracies(Examples(vectors, classes, len(names))))
        majority = np.bincount(classes).max() / len(classes)
        print(
            f"| {task} | {len(rows):,} | {100 * np.mean(accuracies):.1f} | "
            f"{100 * np.std(accuracies):.1f} | {100 * majority:.1f} |"
        )


def _fold_accuracies(examples: Examples) -> Iterator[float]:
    folds = make_folds(examples.classes, N_FOLDS, seed=1)
    settings = build_params(EvaluateTransfer, {"tests": ["en=x"]})
    for fold in range(N_FOLDS):
        rest = examples.part(folds != fold)
        held = np.isin(
            np.arange(len(rest.classes)), hold_out(rest.classes, 0.05, seed=1)
        )
        fitted = fit_head(rest.part(~held), rest.part(held), settings, Report())
        test = examples.part(folds == fold)
        said = fitted.head.logits(test.features).argmax(axis=1)
        yield float((said == test.classes).mean())


def _evaluate(
    sets: tuple[Rows, Rows | None],
    tests: dict[str, Rows],
    encoder: str,
    **fields: object,
) -> EvaluateTransferResult[Score]:
    """Write files and run the task."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        values = {
            "train": str(_write(folder / "train.tsv", sets[0])),
            "tests": [
                f"{language}={_write(folder / f'{language}.tsv', rows)}"
                for language, rows in tests.items()
            ],
            "encoder": encoder,
            **fields,
        }
        if sets[1] is not None:
            values["development"] = str(_write(folder / "dev.tsv", sets[1]))
        result = evaluate_transfer(
            None, build_params(EvaluateTransfer, values), Report()
        )
    print(
        f"{fields}: {json.dumps(result.training.notes)}, development "
        f"{100 * result.training.development:.1f}, n {result.training.n_train:,}"
    )
    return result


def _scores(result: EvaluateTransferResult[Score]) -> dict[str, LanguageScore]:
    return {
        name: one
        for name, one in result.languages.items()
        if isinstance(one, LanguageScore)
    }


def _print_means(name: str, scores: dict[str, LanguageScore]) -> None:
    """Print means over languages, and what is lost from English to the others."""
    means = [
        100 * float(np.mean([getattr(one, field) for one in scores.values()]))
        for field in ("accuracy", "macro_f1", "majority")
    ]
    is_home = [parse_language(code).code == "en" for code in scores]
    accuracies = np.array([one.accuracy for one in scores.values()])
    gap = 100 * (
        accuracies[is_home].mean() - accuracies[np.logical_not(is_home)].mean()
    )
    print(
        f"{name}: accuracy {means[0]:.1f}, macro-F1 {means[1]:.1f}, majority "
        f"{means[2]:.1f}; gap {gap:.1f}"
    )


def _print_interval(result: EvaluateTransferResult[Score]) -> None:
    """Print what the command tells of the other languages and of the gap."""
    for name, value, interval in (
        ("mean of the others", result.others_mean, result.others_mean_interval),
        ("gap", result.mean_gap, result.mean_gap_interval),
    ):
        assert value is not None
        assert interval is not None
        low, high = (100 * end for end in interval)
        print(f"{name} {100 * value:.1f} ({low:.1f}–{high:.1f})")


def _print_table(scores: dict[str, LanguageScore]) -> None:
    print("\n| language | n | accuracy | 95 % | macro-F1 | majority |")
    print("|---|---|---|---|---|---|")
    for name, one in sorted(scores.items(), key=lambda item: -item[1].accuracy):
        low, high = (100 * end for end in one.accuracy_interval)
        spoken = language_name(parse_language(name).code)
        print(
            f"| {spoken} ({name}) | {one.n:,} | {100 * one.accuracy:.1f} | "
            f"{low:.1f}–{high:.1f} | {100 * one.macro_f1:.1f} | "
            f"{100 * one.majority:.1f} |"
        )
    print()


def _print_worst(scores: dict[str, LanguageScore]) -> None:
    order = sorted(scores, key=lambda name: scores[name].accuracy)
    named = ", ".join(
        f"{name} {100 * scores[name].accuracy:.0f}" for name in order[:15]
    )
    print(f"worst: {named}")
    values = np.array([one.accuracy for one in scores.values()])
    shares = [
        f"{100 * float((values >= at).mean()):.0f} % ≥ {at}"
        for at in (0.5, 0.6, 0.7, 0.8)
    ]
    print("; ".join(shares))


def _write(file: Path, rows: Rows) -> Path:
    text = "".join("\t".join(row) + "\n" for row in rows)
    file.write_text(text, encoding="utf-8", newline="\n")
    return file


def _read_rows(file: Path) -> Iterator[list[str]]:
    with lzma.open(file, "rt", encoding="utf-8", newline="\n") as stream:
        next(stream)
        for line in stream:
            yield line.rstrip("\n").split("\t")


def _read_columns(file: Path) -> dict[str, list[str]]:
    with lzma.open(file, "rt", encoding="utf-8", newline="\n") as stream:
        names = next(stream).rstrip("\n").split("\t")
        rows = [line.rstrip("\n").split("\t") for line in stream]
    columns = zip(*rows, strict=True)
    return {name: list(column) for name, column in zip(names, columns, strict=True)}


SETS = {
    "sib200": run_sib200,
    "xed": run_xed,
    "xnli": run_xnli,
    "english": run_english,
    "sts": run_sts,
}

if __name__ == "__main__":
    main()
