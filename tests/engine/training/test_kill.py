"""A training that is killed with -9 goes on and ends as if nothing had been."""

import os
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from app.engine.encoders.registry import load_encoder
from app.engine.runtime.report import Report
from app.engine.tasks.train_encoder import train_encoder
from app.params import build_params
from app.params.training.encoder import TrainEncoder
from tests.engine.training.synthetic import write_pairs

SCRIPT = """
import sys
from app.engine.runtime.report import Report
from app.engine.tasks.train_encoder import train_encoder
from app.params import params_from_json

if __name__ == "__main__":
    train_encoder(None, params_from_json(sys.argv[1]), Report())
"""


def start_and_kill(folder: Path, settings: dict[str, object]) -> None:
    """Train in a process and kill it once it has written a checkpoint."""
    script = folder / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    arguments = msgspec.json.encode({"task": "train-encoder", **settings}).decode()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, str(script), arguments], env=environment
    )
    deadline = time.monotonic() + 60
    while not list(folder.glob("out/.*/checkpoint-*.safetensors")):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.kill()
    process.wait()


def test_killed_training_ends_with_the_same_weights(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "eng-xxx.tsv", 300)
    settings = {
        "name": "tiny",
        "out": str(tmp_path / "out" / "killed"),
        "pairs": [str(pairs)],
        "n_pieces": 300,
        "n_bigrams": 64,
        "n_ngrams": 0,
        "dim": 32,
        "n_steps": 400,
        "batch_size": 64,
        "checkpoint_every_s": 0.2,
    }
    start_and_kill(tmp_path, settings)
    killed = train_encoder(None, build_params(TrainEncoder, settings), Report())
    settings["out"] = str(tmp_path / "out" / "whole")
    whole = train_encoder(None, build_params(TrainEncoder, settings), Report())
    assert killed.resumed_at_step > 0
    assert whole.resumed_at_step == 0
    fingerprints = {load_encoder(one.folder).fingerprint for one in (killed, whole)}
    assert len(fingerprints) == 1
