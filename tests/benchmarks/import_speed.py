"""Speed and memory of importing a TSV of a million lines.

    python tests/benchmarks/import_speed.py [--lines 1000000] [--all-scripts]

Prints what was measured beside its bound. The peer is a bare insert by sqlite3 of the
same rows, with the same keyword index, in the same run.
"""

import argparse
import json
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from app.engine.store.corpora import first_sentence_id
from app.engine.store.schema import FTS_SQL
from app.engine.store.words.keyword_index import keyword_text
from app.paths import resource_dir

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


LENGTH = 60  # characters of a sentence, about
SHARD = 20_000
BOUND_S, BOUND_RATIO, BOUND_BYTES = 20.0, 4.0, 400_000_000


def write_table(path: Path, n: int, *, all_scripts: bool) -> None:
    """Write a TSV of numbers and sentences made of the samples' words."""
    generator = random.Random(1)
    names = "??.tsv" if all_scripts else "en.tsv"
    words = [
        file.read_text(encoding="utf-8").replace("\t", " ").split()
        for file in sorted((resource_dir() / "samples").glob(names))
    ]
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for line in range(n):
            made = " ".join(generator.choices(words[line % len(words)], k=14))
            stream.write(f"{line}\t{made[:LENGTH].strip()}\n")


def insert_bare(table: Path, database: Path) -> float:
    """Insert the rows of the TSV with sqlite3 alone; returns the seconds."""
    lines = table.read_text(encoding="utf-8").split("\n")[:-1]
    texts = [line.split("\t")[1] for line in lines]
    indexed = [keyword_text(text) for text in texts]
    connection = sqlite3.connect(database)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(
        "CREATE TABLE sentence (id INTEGER PRIMARY KEY, text TEXT NOT NULL, "
        "language TEXT NOT NULL, line INTEGER NOT NULL, length INTEGER NOT NULL, "
        "hash INTEGER NOT NULL)"
    )
    connection.execute(FTS_SQL)
    begun = time.perf_counter()
    for start in range(0, len(texts), SHARD):
        part = range(start, min(start + SHARD, len(texts)))
        rows = [
            (first_sentence_id(1) + i, texts[i], "en", i, len(texts[i]), i)
            for i in part
        ]
        connection.executemany("INSERT INTO sentence VALUES (?,?,?,?,?,?)", rows)
        connection.executemany(
            "INSERT INTO sentence_words (rowid, text) VALUES (?, ?)",
            [(first_sentence_id(1) + i, indexed[i]) for i in part],
        )
        connection.commit()
    elapsed = time.perf_counter() - begun
    connection.close()
    return elapsed


def import_table(table: Path, folder: Path) -> None:
    """Import the TSV as the command line does; prints seconds and peak bytes."""
    from app.engine.project.project import create_project
    from app.engine.runtime.report import Report
    from app.engine.tasks.import_corpus import import_corpus
    from app.params import build_params
    from app.params.corpora import ImportCorpus

    params = build_params(ImportCorpus, {"files": [table], "languages": ["en"]})
    with create_project(folder) as project:
        begun = time.perf_counter()
        result = import_corpus(project, params, Report())
        elapsed = time.perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    n = result.corpora[0].n_sentences
    print(json.dumps({"elapsed_s": elapsed, "peak": peak, "n": n}))


def main() -> int:
    """Measure and print; returns 1 if a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--all-scripts", action="store_true")
    parser.add_argument("--child", nargs=2, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        import_table(*options.child)
        return 0
    with tempfile.TemporaryDirectory() as name:
        table = Path(name) / "table.tsv"
        write_table(table, options.lines, all_scripts=options.all_scripts)
        command = [sys.executable, __file__, "--child", str(table)]
        done = subprocess.run(
            [*command, str(Path(name) / "p.isogloss")],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        # Last: on Linux a child's peak begins at what its parent holds.
        peer_s = insert_bare(table, Path(name) / "bare.sqlite")
    found = json.loads(done.stdout)
    elapsed_s, peak = found["elapsed_s"], found["peak"]
    ratio = elapsed_s / peer_s
    print(f"sentences          {found['n']:,}")
    print(f"import             {elapsed_s:.1f} s (bound {BOUND_S:.0f} s)")
    print(f"bare sqlite3       {peer_s:.1f} s")
    print(f"ratio              {ratio:.2f} (bound {BOUND_RATIO:.0f})")
    print(f"peak memory        {peak / 1e6:.0f} MB (bound {BOUND_BYTES / 1e6:.0f} MB)")
    is_good = elapsed_s <= BOUND_S and ratio <= BOUND_RATIO and peak <= BOUND_BYTES
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
