"""How much of what leaks is found, and how much of what is found does leak.

Run by hand: `python -m tests.benchmarks.leakage [--encoder E]`. The samples of twelve
languages hold sentences that are translations of each other (those with a gold key)
among others that are not. Each language is looked for in each other one; what is found
is right if both sentences have the same key. Then copies of a language's own sentences
are looked for in it: equal, in capitals, with a word left out, with letters exchanged.
"""

import argparse
import tempfile
from collections import Counter
from itertools import permutations
from pathlib import Path

import numpy as np
from sqlalchemy import select

from app.engine.demo import sample_files
from app.engine.project.project import Project, create_project
from app.engine.project.runs import perform_run, queue_run
from app.engine.runtime.report import Report
from app.engine.statistics import wilson_interval
from app.engine.store import schema
from app.engine.store.corpora import position_of
from app.engine.store.findings import Finding
from app.engine.tasks.import_corpus import import_corpus
from app.params.corpora import ImportCorpus
from app.params.quality import FindLeakage
from tests.benchmarks.duplicates import KINDS, said_again
from tests.engine.quality.made import findings

Rows = list[tuple[str, str]]  # text and gold key; empty: it has no translation


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", default="")
    options = parser.parse_args()
    samples = {file.stem: _read(file) for file in sample_files()}
    with tempfile.TemporaryDirectory(prefix="isogloss-bench-") as made:
        folder = Path(made)
        with create_project(folder / "p.isogloss") as project:
            for code, rows in samples.items():
                _add(project, folder, code, code, [text for text, _ in rows])
            _measure_translations(project, samples, options.encoder)
            _measure_copies(project, folder, samples, options.encoder)


def _measure_translations(
    project: Project, samples: dict[str, Rows], encoder: str
) -> None:
    """Look for each language in each other one."""
    n_right, n_found, n_there = Counter[str](), Counter[str](), Counter[str]()
    for one, other in permutations(samples, 2):
        known = {key for _, key in samples[other] if key}
        n_there[one] += sum(key in known for _, key in samples[one])
        for finding in _find(project, one, other, encoder):
            if finding.kind != "translation" or finding.other_id is None:
                continue
            key = samples[one][position_of(finding.sentence_id)][1]
            twin = samples[other][position_of(finding.other_id)][1]
            n_found[one] += 1
            n_right[one] += bool(key) and key == twin
    for code in [*samples, ""]:
        right, found, there = (
            counts[code] if code else counts.total()
            for counts in (n_right, n_found, n_there)
        )
        print(
            f"{code or 'all':<4} found {_share(right, there)}   right "
            f"{_share(right, found)}"
        )


def _measure_copies(
    project: Project, folder: Path, samples: dict[str, Rows], encoder: str
) -> None:
    """Look for changed copies of each language's sentences in it."""
    draw = np.random.default_rng(1)
    n_found, n_there, n_wrong, n_all = Counter[str](), Counter[str](), 0, 0
    for code, rows in samples.items():
        kinds = [KINDS[i % len(KINDS)] for i in range(len(rows))]
        half = len(rows) // 2  # the others are not there
        copies = [
            said_again(text, kind, draw)
            for (text, _), kind in zip(rows, kinds, strict=True)
        ]
        _add(project, folder, f"{code}-copies", code, copies)
        _add(project, folder, f"{code}-half", code, [text for text, _ in rows[:half]])
        found = _find(project, f"{code}-copies", f"{code}-half", encoder)
        indices = {
            position_of(one.sentence_id): position_of(one.other_id or 0)
            for one in found
            if one.kind != "translation"
        }
        for index, kind in enumerate(kinds[:half]):
            n_there[kind] += 1
            n_found[kind] += indices.get(index) == index
        n_wrong += sum(index >= half for index in indices)
        n_all += len(rows) - half
    for kind in KINDS:
        print(f"{kind:<20} found {_share(n_found[kind], n_there[kind])}")
    print(f"{'not there':<20} found {_share(n_wrong, n_all)}")


def _find(project: Project, one: str, other: str, encoder: str) -> list[Finding]:
    params = FindLeakage(corpus=one, within=(other,), encoder=encoder)
    run = queue_run(project, params)
    perform_run(project, params, Report(run=run))
    return findings(project, run)


def _add(
    project: Project, folder: Path, name: str, code: str, texts: list[str]
) -> None:
    file = folder / f"{name}.txt"
    file.write_text("\n".join(texts) + "\n", "utf-8", newline="\n")
    params = ImportCorpus(files=(file,), languages=(code,), names=(name,))
    import_corpus(project, params, Report())
    with project.store.connect() as connection:
        query = select(schema.corpus.c.n_sentences).where(schema.corpus.c.name == name)
        assert connection.scalar(query) == len(texts)


def _read(file: Path) -> Rows:
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    cells = [line.split("\t") for line in lines]
    return [(text, gold) for text, _, gold in cells]


def _share(n: int, total: int) -> str:
    estimate = wilson_interval(n, total)
    low, high = 100 * estimate.low, 100 * estimate.high
    return f"{100 * estimate.value:5.1f} % ({low:.1f} to {high:.1f} %, {n} of {total})"


if __name__ == "__main__":
    main()
