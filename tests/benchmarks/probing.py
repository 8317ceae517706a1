"""Probe the bundled encoder, its untrained twin and a BiLSTM: docs/probing.md.

    python -m tests.benchmarks.probing --data DIR [--classifier mlp] [--rows F.tsv]

DIR holds the probing files, LANGUAGE.TASK.tsv.xz. The BiLSTM has one layer, as many
dimensions as the bundled encoder, its vocabulary, maximum over time, and random weights
(`--bilstm FOLDER` takes a trained one). Everything is measured by `probe`, as a user
would: the bundled encoder with all baselines, the two others without.
"""

import argparse
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np
import torch

from app.cli.terminal import TerminalSink
from app.engine.encoders.bilstm import BilstmModule
from app.engine.encoders.configs import BilstmConfig, StaticConfig
from app.engine.encoders.folder import read_config
from app.engine.encoders.new_config import vocabulary_files
from app.engine.encoders.registry import find_encoder
from app.engine.encoders.static.encoder import (
    read_romaniser,
    read_vocabulary,
    save_static,
)
from app.engine.encoders.static.module import StaticModule
from app.engine.encoders.weights import save_neural
from app.engine.probing.results_file import write_results_file
from app.engine.runtime.report import Report
from app.engine.tasks.probe import probe
from app.params import build_params
from app.params.probing import Probe
from app.results.measurements import Probed

TWIN, BILSTM = "untrained", "bilstm"
SEED = 1_000  # other weights than those of the twins that are a baseline
EMBED_DIM = 128  # of the BiLSTM
BASELINES = ("majority", "length", "tfidf", "random_vectors")


def main() -> None:
    """Run what is asked for, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--classifier", choices=("logistic", "mlp"), default="logistic")
    parser.add_argument("--only", nargs="*", default=[], help="languages or tasks")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--bilstm", default="")
    parser.add_argument("--bare", action="store_true", help="no baselines, no controls")
    parser.add_argument("--rows", type=Path, help="TSV of all rows")
    options = parser.parse_args()
    files = [
        file
        for file in sorted(options.data.glob("*.tsv*"))
        if not options.only or set(options.only) & set(file.name.split("."))
    ]
    with tempfile.TemporaryDirectory() as name:
        others = make_twin(Path(name) / TWIN), make_bilstm(Path(name) / BILSTM)
        named = [str(others[0]), options.bilstm or str(others[1])]
        rows = run(files, [""], options, baselines=not options.bare)
        rows += run(files, named, options, baselines=False)
    if options.rows:
        write_results_file(options.rows, rows)
    print_means(rows)
    print_languages(rows)


def run(
    files: Sequence[Path],
    encoders: Sequence[str],
    options: argparse.Namespace,
    *,
    baselines: bool,
) -> list[Probed]:
    """Probe, and print what it took."""
    values = {
        "data": files,
        "encoders": encoders,
        "classifiers": [options.classifier],
        "seeds": options.seeds,
        "control": not options.bare,
        "baselines": baselines,
    }
    begun, used = time.monotonic(), time.process_time()
    result = probe(None, build_params(Probe, values), Report(TerminalSink()))
    print(
        f"{len(files)} files, {', '.join({row.encoder for row in result.results})}: "
        f"{time.monotonic() - begun:.0f} s, {time.process_time() - used:.0f} s of CPU",
        flush=True,
    )
    for note in result.notes:
        print(note)
    return list(result.results)


def make_twin(folder: Path) -> Path:
    """Save the bundled encoder with fresh weights."""
    bundled = find_encoder("")
    config = read_config(bundled)
    assert isinstance(config, StaticConfig)
    torch.manual_seed(SEED)
    save_static(
        folder,
        msgspec.structs.replace(config, name=TWIN, precision="float16"),
        table=StaticModule(config).table.detach().numpy(),
        vocabulary=read_vocabulary(bundled, config).model_bytes,
        card="# untrained\n",
        romaniser=read_romaniser(bundled) if config.n_ngrams else None,
    )
    return folder


def make_bilstm(folder: Path) -> Path:
    """Save a BiLSTM of one layer with random weights."""
    bundled = find_encoder("")
    found = read_config(bundled)
    assert isinstance(found, StaticConfig)
    config = BilstmConfig(
        name=BILSTM,
        dim=found.dim,
        embed_dim=EMBED_DIM,
        hidden_dim=found.dim // 2,
        n_pieces=found.n_pieces,
        precision="float16",
    )
    torch.manual_seed(SEED)
    save_neural(
        folder,
        config,
        BilstmModule(config),
        vocabulary=vocabulary_files(bundled),
        card="# bilstm\n",
    )
    return folder


def print_means(rows: Sequence[Probed]) -> None:
    """Print each task's means over the languages, in per cent."""
    encoders = list(dict.fromkeys(row.encoder for row in rows))
    print(
        "\n| task | "
        + " | ".join((*BASELINES, *encoders))
        + " | "
        + " | ".join(f"selectivity of {name}" for name in encoders)
        + " |"
    )
    print("|---" * (1 + len(BASELINES) + 2 * len(encoders)) + "|")
    for task in dict.fromkeys(row.task for row in rows):
        of_task = [row for row in rows if row.task == task]
        cells = [
            _mean(row.baselines.get(name) for row in of_task) for name in BASELINES
        ]
        for field in ("accuracy", "selectivity"):
            cells += [
                _mean(getattr(row, field) for row in of_task if row.encoder == name)
                for name in encoders
            ]
        print(f"| {task} | " + " | ".join(cells) + " |")


def print_languages(rows: Sequence[Probed]) -> None:
    """Print a table of tasks and languages for each encoder, with half intervals."""
    languages = sorted({row.language for row in rows})
    for encoder in dict.fromkeys(row.encoder for row in rows):
        print(f"\n### {encoder}\n\n| task | " + " | ".join(languages) + " |")
        print("|---" * (1 + len(languages)) + "|")
        found = {
            (row.task, row.language): row for row in rows if row.encoder == encoder
        }
        for task in dict.fromkeys(row.task for row in rows):
            cells = [_cell(found.get((task, language))) for language in languages]
            print(f"| {task} | " + " | ".join(cells) + " |")


def _cell(row: Probed | None) -> str:
    if row is None:
        return ""
    low, high = row.accuracy_interval
    return f"{100 * row.accuracy:.1f} ± {50 * (high - low):.1f}"


def _mean(values: Iterable[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{100 * float(np.mean(known)):.1f}" if known else ""


if __name__ == "__main__":
    main()
