"""Tiny trainings for tests: recipes over made pairs, and a sink that steers them."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np

from app.engine.runtime.report import Report
from app.engine.text.subword_vocabulary import MODEL_FILE, Vocabulary
from app.engine.training.held_out import HeldOutSentences
from app.engine.training.recipes import Recipe, TrainingInputs, make_recipe
from app.params.training.encoder import TrainEncoder
from tests.engine.training.synthetic import write_pairs

STATIC = TrainEncoder(
    name="tiny",
    n_bigrams=64,
    n_ngrams=0,
    dim=32,
    n_steps=200,
    batch_size=64,
    n_warmup=5,
    lr=0.03,
    checkpoint_every_s=3600,
)
BILSTM = msgspec.structs.replace(
    STATIC,
    architecture="bilstm",
    embed_dim=16,
    dim=16,
    dropout=0.2,
    n_steps=40,
    batch_size=16,
    batch_tokens=300,
    lr=0.01,
    clip_norm=1.0,
    precision="float32",
)
RATES = {"sentences_per_s", "tokens_per_s"}  # of the clock, never twice the same


class Curve:
    """A sink that keeps the curves without their rates, and steers at a step."""

    def __init__(self, at: int = -1, act: Callable[[Report], None] | None = None):
        self.points: dict[int, dict[str, float]] = {}
        self.stages: list[str] = []
        self.notes: list[str] = []
        self.report = Report(self)
        self._at, self._act = at, act

    def progress(self, stage: str, done: int, total: int, note: str) -> None:
        self.stages.append(stage)
        self.notes.append(note)

    def metric(self, step: int, values: dict[str, float]) -> None:
        kept = {name: value for name, value in values.items() if name not in RATES}
        self.points[step] = self.points.get(step, {}) | kept
        if step == self._at and self._act is not None:
            self._act(self.report)

    def changed(self, kind: str, row_id: int) -> None:
        pass


def pause(report: Report) -> None:
    report.request = "pause"


def finish(report: Report) -> None:
    report.request = "finish"


def make_tiny(
    vocabulary: Vocabulary, folder: Path, params: TrainEncoder, device: str = "cpu"
) -> Recipe:
    """Make a recipe over two made languages in a work folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MODEL_FILE).write_bytes(vocabulary.model_bytes)
    files = [
        write_pairs(folder / f"eng-{code}.tsv", 300, seed=i)
        for i, code in enumerate(("deu", "fra"))
    ]
    work = TrainingInputs(
        folder=folder,
        project_folder=None,
        files=tuple(files),
        languages=("deu", "eng", "fra"),
        kept_out=HeldOutSentences(np.empty(0, np.uint64)),
        vocabulary=folder,
        device=device,
    )
    return make_recipe(work, params, Report())
