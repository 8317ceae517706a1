"""Let the n-th write, flush or renaming fail, or cut the power there.

Run by hand on Linux with a C compiler:
`python -m tests.soak.faults [--jobs import,mine] [--points 40] [--seed 1]`.
A library in C (`faults.c`) is preloaded, so that the real calls of Python, SQLite and
every other library fail. Each job first runs whole, and its changes of files are
counted; then it runs again and again with one change that fails (disk full, error of
the disk, or a disk that stays full), or with a power cut, after which every write that
was not flushed is lost, or any part of them. Each time the project has to open again,
SQLite's `integrity_check` has to pass, and the job has to end with the same content.
"""

import argparse
import ctypes
import errno
import mmap
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from sqlalchemy import text

from app.engine.edits.journal import apply_edit
from app.engine.project.project import Project, create_project, open_project
from app.engine.project.runs import (
    RecordingSink,
    find_interrupted,
    perform_run,
    queue_run,
)
from app.engine.runtime.report import Report, SilentSink
from app.engine.store.connections import DATABASE
from app.engine.store.corpora import first_sentence_id, list_corpora
from app.engine.store.embeddings import embedding_files, list_embeddings
from app.engine.store.pairs.sets import first_pair_id, list_pair_sets
from app.errors import describe_error
from app.params.base import TaskParams
from app.params.corpora import ImportCorpus
from app.params.mining import MinePairs
from app.params.training.encoder import TrainEncoder
from app.params.vectors import Encode
from app.protocol.edits import Change
from app.protocol.edits.corpora import HideSentences
from app.protocol.edits.general import RenameCorpus, SetNote
from app.protocol.edits.pairs import JudgePairs, Verdict
from tests.engine.review.made import add_corpora, add_pairs, verdicts
from tests.engine.training.synthetic import write_pairs

WRITE, SYNC, RENAME = 1, 2, 4
BLOCK = 4096  # bytes that a disk writes whole
N_LINES = 400
Content = tuple[Any, ...]


class _Control(ctypes.Structure):
    """What `faults.c` reads: see there."""

    _fields_ = [
        *((name, ctypes.c_int64) for name in ("mode", "kinds", "count", "at")),
        *((name, ctypes.c_int64) for name in ("error", "stays", "n_hits")),
        ("folder", ctypes.c_char * 512),
        ("undo", ctypes.c_char * 512),
    ]


class Fault(NamedTuple):
    """What goes wrong: the name for the table, and how."""

    name: str
    mode: Literal[1, 2]
    error: int = 0
    stays: bool = False


FAULTS = (
    Fault("disk full once", 1, errno.ENOSPC),
    Fault("disk stays full", 1, errno.ENOSPC, stays=True),
    Fault("disk error", 1, errno.EIO),
    Fault("power cut", 2),
)


class Job(NamedTuple):
    """A job: what prepares the project, what it does, and what it leaves."""

    prepare: Callable[[Project, Path], None]
    run: Callable[[Project, Path], None]
    content: Callable[[Project, Path], Content]


def main() -> None:
    """Run the jobs with their faults, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", default=",".join(JOBS))
    parser.add_argument("--points", type=int, default=40, help="of each job and fault")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if "ISOGLOSS_FAULTS" not in os.environ:
        sys.exit(_preload())
    rng = random.Random(options.seed)
    failures = 0
    print(f"{'job':8} {'fault':16} {'changes':>7} {'points':>6}  how it ended")
    for name in options.jobs.split(","):
        with tempfile.TemporaryDirectory(prefix="isogloss-faults-") as made:
            failures += _break_job(name, Path(made), options.points, rng)
    sys.exit(bool(failures))


def _preload() -> int:
    """Compile the library and run this module with it."""
    source = Path(__file__).with_suffix(".c")
    with tempfile.TemporaryDirectory(prefix="isogloss-faults-") as made:
        library, control = Path(made, "faults.so"), Path(made, "control")
        flags = ("-shared", "-fPIC", "-O1", "-o", str(library))
        subprocess.run(["cc", *flags, str(source), "-ldl"], check=True)
        control.write_bytes(bytes(ctypes.sizeof(_Control)))
        environment = {
            **os.environ,
            "LD_PRELOAD": str(library),
            "ISOGLOSS_FAULTS": str(control),
            "ISOGLOSS_DATA": made,
            "OMP_NUM_THREADS": "1",
        }
        command = [sys.executable, "-m", "tests.soak.faults", *sys.argv[1:]]
        return subprocess.run(command, env=environment).returncode


def _break_job(name: str, made: Path, n_points: int, rng: random.Random) -> int:
    """Run one job with every kind of fault; returns the number of failures."""
    job, whole = JOBS[name], made / "whole.isogloss"
    with create_project(whole) as project:
        job.prepare(project, made)
    start = made / "start.isogloss"
    shutil.copytree(whole, start)
    control = _open_control()
    _arm(control, Fault("", 1), whole, made)
    assert _in_child(job, whole, made) == "finished"
    control.mode = 0
    n_changes = int(control.count)
    with open_project(whole) as project:
        expected = job.content(project, made)
    assert expected
    failures = 0
    for fault in FAULTS:
        indices = range(1, n_changes + 1)
        points = sorted(rng.sample(indices, min(n_points, n_changes)))
        ends: Counter[str] = Counter()
        for point in points:
            copy = made / "copy.isogloss"
            shutil.copytree(start, copy)
            _arm(control, fault, copy, made, point)
            end = _in_child(job, copy, made)
            control.mode = 0
            if fault.mode == 2:
                _cut_power(copy, made / "undo", rng)
            problem = _find_problem(job, copy, made, expected)
            if problem or end.startswith("bug"):
                failures += 1
                print(f"FAILED {name}, {fault.name} at {point}: {end}; {problem}")
            ends[end] += 1
            shutil.rmtree(copy)
        how = ", ".join(f"{n} {end}" for end, n in ends.most_common())
        print(
            f"{name:8} {fault.name:16} {n_changes:7} {len(points):6}  {how}",
            flush=True,
        )
    return failures


def _open_control() -> _Control:
    with open(os.environ["ISOGLOSS_FAULTS"], "r+b") as stream:
        return _Control.from_buffer(mmap.mmap(stream.fileno(), 0))


def _arm(
    control: _Control, fault: Fault, folder: Path, made: Path, at: int = 0
) -> None:
    shutil.rmtree(made / "undo", ignore_errors=True)
    (made / "undo").mkdir()
    control.kinds, control.count, control.at = WRITE | SYNC | RENAME, 0, at
    control.error, control.stays, control.n_hits = fault.error, fault.stays, 0
    control.folder, control.undo = str(folder).encode(), str(made / "undo").encode()
    control.mode = fault.mode


def _in_child(job: Job, folder: Path, made: Path) -> str:
    """Open the project and do the job in a process of its own; returns how it ended."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()  # a power cut ends the whole group
        end = "finished"
        try:
            with open_project(folder) as project:
                job.run(project, made)
        except BaseException as error:  # noqa: BLE001 - it is reported
            end = describe_error(error).kind
            if end == "bug":
                end = f"bug: {error!r}"
        os.write(writer, end.encode()[:4000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        end = stream.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return end


def _cut_power(folder: Path, undo: Path, rng: random.Random) -> None:
    """Take back what was not flushed: all of it, or a part that the disk did write."""
    keeps = rng.choice((0.0, 0.5))
    for file in folder.rglob("*"):
        log = undo / str(file.stat().st_ino)
        if not file.is_file() or not log.exists():
            continue
        after, flushed = file.read_bytes(), _undone(file.read_bytes(), log.read_bytes())
        merged = bytearray(flushed)
        for at in range(0, len(after), BLOCK):
            block = after[at : at + BLOCK]
            if rng.random() < keeps and flushed[at : at + BLOCK] != block:
                merged.extend(bytes(max(0, at + len(block) - len(merged))))
                merged[at : at + len(block)] = block
        file.write_bytes(merged)


def _undone(content: bytes, log: bytes) -> bytes:
    """Return what a file held when it was last flushed."""
    records, index = [], 0
    while index < len(log):
        size, offset, length = np.frombuffer(log, np.int64, 3, index).tolist()
        records.append((size, offset, log[index + 24 : index + 24 + length]))
        index += 24 + length
    data = bytearray(content)
    for size, offset, old in reversed(records):
        data[offset : offset + len(old)] = old
        data = data[:size].ljust(size, b"\0")
    return bytes(data)


def _find_problem(job: Job, folder: Path, made: Path, expected: Content) -> str:
    """Do the job again without a fault; returns what is wrong then, or nothing."""
    try:
        with sqlite3.connect(folder / DATABASE) as connection:
            (answer,) = connection.execute("PRAGMA integrity_check").fetchone()
        if answer != "ok":
            return f"integrity_check: {answer}"
        end = _in_child(job, folder, made)
        if end != "finished":
            return f"again: {end}"
        with open_project(folder) as project:
            found = job.content(project, made)
    except Exception as error:  # noqa: BLE001 - it is reported
        return f"{error!r}"
    return "" if found == expected else "other content"


# ---- the jobs


def _perform(project: Project, params: TaskParams) -> None:
    """Run a task as the command line does; one that was interrupted is resumed."""
    run = queue_run(project, params, resume=find_interrupted(project, params))
    report = Report(RecordingSink(project, run, SilentSink()), run=run)
    perform_run(project, params, report)


def _rows(project: Project, sql: str) -> list[tuple[Any, ...]]:
    with project.store.connect() as connection:
        return [tuple(row) for row in connection.execute(text(sql))]


def _lines(seed: int) -> list[str]:
    rng = random.Random(seed)
    words = [f"{a}{b}{c}" for a in "bdfgkm" for b in "aeiou" for c in "lmnrst"]
    return [" ".join(rng.choices(words, k=7)) for _ in range(N_LINES)]


def _write_lines(_project: Project, made: Path) -> None:
    for seed, name in enumerate(("left", "right")):
        lines = "\n".join(_lines(seed)) + "\n"
        (made / f"{name}.txt").write_text(lines, "utf-8", newline="\n")


def _import(project: Project, made: Path, name: str = "left") -> None:
    if not any(corpus.name == name for corpus in list_corpora(project.store)):
        file = made / f"{name}.txt"
        _perform(project, ImportCorpus(files=(file,), languages=("en",), names=(name,)))


def _imported(project: Project, _made: Path) -> Content:
    (corpus,) = list_corpora(project.store)
    first = first_sentence_id(corpus.id)
    last = first_sentence_id(corpus.id + 1)
    lines = f"SELECT text, line, hash FROM sentence WHERE id >= {first} AND id < {last}"
    found = "SELECT rowid FROM sentence_words WHERE sentence_words MATCH 'bal'"
    hits = [id_ - first for (id_,) in _rows(project, found) if first <= id_ < last]
    return corpus.n_sentences, _rows(project, f"{lines} ORDER BY id"), sorted(hits)


def _prepare_texts(project: Project, made: Path) -> None:
    _write_lines(project, made)
    _import(project, made)
    _import(project, made, "right")


def _encode(project: Project, _made: Path) -> None:
    _perform(project, Encode(corpora=("left", "right")))


def _encoded(project: Project, _made: Path) -> Content:
    return tuple(
        [(row.corpus_id, row.n_done, row.n_rows)]
        + [file.read_bytes() for file in embedding_files(project.folder, row.array)]
        for row in sorted(list_embeddings(project.store), key=lambda it: it.corpus_id)
    )


def _prepare_vectors(project: Project, made: Path) -> None:
    _prepare_texts(project, made)
    _encode(project, made)


def _mine(project: Project, _made: Path) -> None:
    if not list_pair_sets(project.store):
        _perform(project, MinePairs(source="left", target="right", candidates=True))


def _mined(project: Project, _made: Path) -> Content:
    (row,) = list_pair_sets(project.store)
    first = first_pair_id(row.id)
    pairs = _rows(project, f"SELECT * FROM pair WHERE id >= {first} ORDER BY id")
    return row.n_pairs, [(pair[0] - first, *pair[1:]) for pair in pairs]


def _prepare_training(_project: Project, made: Path) -> None:
    write_pairs(made / "eng-xxx.tsv", 200)


def _train(project: Project, made: Path) -> None:
    if (project.folder / "encoders" / "small").exists():
        return
    params = TrainEncoder(
        name="small",
        pairs=(made / "eng-xxx.tsv",),
        n_pieces=300,
        n_bigrams=64,
        n_ngrams=0,
        dim=16,
        n_steps=60,
        batch_size=32,
        languages_per_batch=1,
        checkpoint_every_s=0.02,
    )
    _perform(project, params)


def _trained(project: Project, _made: Path) -> Content:
    folder = project.folder / "encoders" / "small"
    names = ("weights.safetensors", "vocabulary.model")
    return tuple((folder / name).read_bytes() for name in names)


def _prepare_pairs(project: Project, _made: Path) -> None:
    add_corpora(project, 8)
    add_pairs(project, 8)


def _apply(project: Project, changes: list[Change]) -> None:
    """Apply the edits that are not in the journal yet."""
    ((n_done,),) = _rows(project, "SELECT count(*) FROM edit")
    for change in changes[n_done:]:
        apply_edit(project, change, lambda _kind, _id: None)


def _judge(project: Project, _made: Path) -> None:
    first = first_pair_id(1)
    verdicts: list[Verdict] = ["accept", "reject", "flag"]
    _apply(
        project,
        [
            JudgePairs(pairs=(first + number,), verdict=verdicts[number % 3])
            for number in range(8)
        ],
    )


def _judged(project: Project, _made: Path) -> Content:
    ((n_edits,),) = _rows(project, "SELECT count(*) FROM edit")
    return n_edits, verdicts(project, 1, 8)


def _edit(project: Project, _made: Path) -> None:
    first = first_sentence_id(1)
    changes: list[Change] = [
        RenameCorpus(corpus=1, name="renamed"),
        SetNote(sentence=first, text="a note"),
        HideSentences(sentences=(first + 1, first + 2)),
        SetNote(sentence=first, text="another note"),
    ]
    _apply(project, changes)


def _edited(project: Project, _made: Path) -> Content:
    ((n_edits,),) = _rows(project, "SELECT count(*) FROM edit")
    notes = _rows(project, "SELECT sentence_id, text FROM note")
    hidden = _rows(project, "SELECT sentence_id, state FROM hidden ORDER BY 1")
    return n_edits, notes, hidden, [it.name for it in list_corpora(project.store)]


JOBS = {
    "import": Job(_write_lines, _import, _imported),
    "encode": Job(_prepare_texts, _encode, _encoded),
    "mine": Job(_prepare_vectors, _mine, _mined),
    "train": Job(_prepare_training, _train, _trained),
    "judge": Job(_prepare_pairs, _judge, _judged),
    "edit": Job(_prepare_pairs, _edit, _edited),
}


if __name__ == "__main__":
    main()
