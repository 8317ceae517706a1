"""How long classifiers take: training 10,000 × 256, classifying, the demo's click.

    python -m tests.benchmarks.classifier_speed [--rows 10000] [--sentences 1000000]

Training includes the choice of the penalty by cross-validation and the calibration, on
vectors that are there. Vectors are made: seven classes with noise, about as hard as
SIB-200.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from app.engine.demo import build_from_samples
from app.engine.heads.base import Examples
from app.engine.heads.fitting import fit_head
from app.engine.heads.folds import hold_out
from app.engine.project.project import open_project
from app.engine.project.runs import queue_run
from app.engine.runtime.report import Report
from app.engine.store.corpora import list_corpora
from app.engine.tasks.evaluate_transfer import evaluate_transfer
from app.engine.tasks.train_classifier import train_classifier
from app.params import build_params
from app.params.classify import EvaluateTransfer, TrainClassifier
from app.results.transfer import LanguageScore

DIM, N_CLASSES = 256, 7
HEADS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("logistic", {"head": "logistic"}),
    ("mlp 10", {"head": "mlp", "hidden": [10]}),
    ("mlp 10, 8", {"head": "mlp", "hidden": [10, 8]}),
    ("mlp 512, 384", {"head": "mlp", "hidden": [512, 384], "batch_size": 128}),
    ("mlp 512, 512", {"head": "mlp", "hidden": [512, 512], "batch_size": 128}),
    ("mlp 10, L-BFGS", {"head": "mlp", "hidden": [10], "optimiser": "lbfgs"}),
    ("centroid", {"head": "centroid"}),
    ("knn", {"head": "knn"}),
)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--sentences", type=int, default=1_000_000)
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores, torch uses {torch.get_num_threads()} threads\n")
    print(
        f"| head | training {options.rows:,} × {DIM} | accuracy | "
        f"classifying {options.sentences:,} |\n|---|---|---|---|"
    )
    train = make_examples(options.rows, seed=1)
    many = make_examples(100_000, seed=2)
    for name, fields in HEADS:
        settings = build_params(EvaluateTransfer, {"tests": ["x=x"], **fields})
        held = hold_out(train.classes, 0.1, seed=1)
        is_held = np.isin(np.arange(options.rows), held)
        parts = train.part(~is_held), train.part(is_held)
        begun = time.monotonic()
        head = fit_head(*parts, settings, Report()).head
        trained = time.monotonic()
        said = head.logits(many.features).argmax(axis=1)
        rate = options.sentences / len(said)
        used = (time.monotonic() - trained) * rate
        accuracy = 100 * (said == many.classes).mean()
        print(
            f"| {name} | {trained - begun:.1f} s | {accuracy:.1f} % | {used:.1f} s |",
            flush=True,
        )
    measure_demo()


def measure_demo() -> None:
    """Train on the demo's English topics and test its twelve languages."""
    with tempfile.TemporaryDirectory() as name:
        folder = build_from_samples(Path(name) / "demo", Report())
        with open_project(folder) as project:
            corpora = {row.language: row.name for row in list_corpora(project.store)}
            begun = time.monotonic()
            params = build_params(
                TrainClassifier, {"name": "topics", "train": [corpora["en"]]}
            )
            trained = train_classifier(project, params, Report())
            tests = [f"{code}={corpus}" for code, corpus in corpora.items()]
            params = build_params(
                EvaluateTransfer, {"classifier": "topics", "tests": tests}
            )
            run = queue_run(project, params)
            result = evaluate_transfer(project, params, Report(run=run))
            seconds = time.monotonic() - begun
    print(f"\ndemo: {seconds:.1f} s; {trained.message}")
    for language, score in result.languages.items():
        assert isinstance(score, LanguageScore)
        print(f"{language}: n {score.n}, accuracy {100 * score.accuracy:.1f} %")
    print(f"gap {result.mean_gap}; {' '.join(result.notes[:3])}")


def make_examples(n: int, *, seed: int) -> Examples:
    """Make unit vectors of classes that overlap."""
    centres = np.random.default_rng(0).normal(size=(N_CLASSES, DIM))
    generator = np.random.default_rng(seed)
    classes = generator.integers(0, N_CLASSES, n)
    rows = 0.12 * centres[classes] + generator.normal(size=(n, DIM))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return Examples(rows.astype(np.float32), classes, N_CLASSES)


if __name__ == "__main__":
    main()
