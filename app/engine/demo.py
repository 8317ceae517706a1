"""Build the demo project from the samples: twelve languages, links, vectors."""

import csv
import shutil
import zipfile
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import psutil
from sqlalchemy import delete, insert, select

from app.engine.encoders.folder import fingerprint_of
from app.engine.encoders.registry import find_encoder
from app.engine.project.project import Project, create_project, open_project
from app.engine.project.runs import RecordingSink, perform_run, queue_run
from app.engine.runtime.report import Report
from app.engine.store.corpora import first_sentence_id, list_corpora
from app.engine.store.embeddings import list_embeddings
from app.engine.store.schema import edit, link, sentence
from app.errors import ResourceError
from app.languages import language_name
from app.params.base import TaskParams
from app.params.corpora import ImportCorpus
from app.params.vectors import Encode
from app.paths import make_private_folder, resource_dir

HOLDER = "the demo build"
KIND = "gold"
ARCHIVE = "demo.zip"  # written by installers/demo_archive.py


def build_demo(folder: Path, report: Report) -> Path:
    """Unpack the demo project if it does not exist, and encode corpora without vectors.

    Each view has content to show (see `demo_content.py`). Arguments, value and errors
    are those of `build_from_samples`.
    """
    archive = resource_dir() / ARCHIVE
    if not folder.exists() and archive.exists():
        _unpack(archive, folder)
        _clear_undo(folder)
    return build_from_samples(folder, report)


def build_from_samples(folder: Path, report: Report) -> Path:
    """Import the samples if the project does not exist, and encode missing vectors.

    Args:
        folder: folder of the project; the user's changes there are preserved.
        report: report of the caller; a cancelled build leaves no files.

    Returns:
        The project's folder.

    Raises:
        ResourceError: the samples are missing, or the disk is full.
    """
    if not folder.exists():
        _make_project(folder, report)
    with open_project(folder, holder=HOLDER) as project:
        corpora = () if project.is_read_only else _unencoded(project)
        if corpora:
            perform(project, Encode(corpora=corpora), report)
    return folder


def _unpack(archive: Path, folder: Path) -> None:
    """Unpack the archive into a temporary folder, and rename it when complete."""
    _remove_leftovers(folder)
    part = folder.with_name(f"{folder.name}.{psutil.Process().pid}.part")
    try:
        make_private_folder(part)
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(part)
        (project,) = part.iterdir()
        project.chmod(0o700)
        project.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _clear_undo(folder: Path) -> None:
    """Remove the edits that built the demo, so that only the user's are undone."""
    with open_project(folder, holder=HOLDER) as project:
        if not project.is_read_only:
            with project.store.begin() as connection:
                connection.execute(delete(edit))


def _make_project(folder: Path, report: Report) -> None:
    """Import the samples into a temporary folder, and rename it when complete."""
    _remove_leftovers(folder)
    part = folder.with_name(f"{folder.name}.{psutil.Process().pid}.part")
    try:
        with create_project(part, holder=HOLDER) as project:
            for file in sample_files():
                name = language_name(file.stem)
                perform(project, _import_params(file, name), report, subject=name)
            _link_gold(project)
        part.rename(folder)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def _unencoded(project: Project) -> tuple[str, ...]:
    """List the corpora without vectors by the encoder in use.

    Corpora that the user imported and never encoded are left out.
    """
    present = fingerprint_of(find_encoder("", project.folder))
    made = list_embeddings(project.store)
    is_done = {
        one.corpus_id
        for one in made
        if one.fingerprint == present and one.n_done == one.n_rows
    }
    were_encoded = {one.corpus_id for one in made} or {
        corpus.id for corpus in list_corpora(project.store)
    }
    return tuple(str(id_) for id_ in sorted(were_encoded - is_done))


def sample_files() -> list[Path]:
    """List the sample corpora, one file per language.

    Raises:
        ResourceError: the installation is incomplete.
    """
    folder = resource_dir() / "samples"
    files = sorted(folder.glob("*.tsv"))
    if not files:
        raise ResourceError(
            f"The sample texts are missing in {folder}. Reinstall Isogloss."
        )
    return files


class _ForwardingSink:
    """Forwards a run's progress to the caller's report, which can cancel it."""

    def __init__(self, report: Report, subject: str):
        self._report, self._subject = report, subject

    def progress(self, stage: str, done: int, total: int, note: str) -> None:
        """Forward the progress, with the subject added to the stage."""
        self._report.step(f"{stage} {self._subject}".rstrip(), done, total, note)

    def metric(self, step: int, values: dict[str, float]) -> None:
        """Ignore metrics: they are recorded."""

    def changed(self, kind: str, row_id: int) -> None:
        """Ignore changes: the project is not open in a window yet."""


def perform(
    project: Project, params: TaskParams, report: Report, *, subject: str = ""
) -> None:
    """Run a task in a project, recorded like any run."""
    run = queue_run(project, params)
    sink = RecordingSink(project, run, _ForwardingSink(report, subject))
    perform_run(project, params, Report(sink, run=run))


def _import_params(file: Path, name: str) -> ImportCorpus:
    return ImportCorpus(
        files=(file,),
        languages=(file.stem,),
        names=(name,),
        format="tsv",
        columns=("text",),
        label_column="topic",
        header="yes",
        quoting="none",
        encoding="utf-8",
    )


def _link_gold(project: Project) -> None:
    """Link the sentences with the same gold key, each pair once."""
    files = {language_name(file.stem): file for file in sample_files()}
    by_key: dict[str, list[int]] = {}
    for corpus in list_corpora(project.store):
        lines = {line: key for line, key in _gold_lines(files[corpus.name]) if key}
        span = sentence.c.id.between(
            first_sentence_id(corpus.id), first_sentence_id(corpus.id + 1) - 1
        )
        query = select(sentence.c.id, sentence.c.line).where(span)
        with project.store.connect() as connection:
            for id_, line in connection.execute(query):
                if line in lines:
                    by_key.setdefault(lines[line], []).append(id_)
    links = [
        {"source_id": source, "target_id": target, "kind": KIND}
        for ids in by_key.values()
        for source, target in combinations(sorted(ids), 2)
    ]
    with project.store.begin() as connection:
        connection.execute(insert(link), links)


def _gold_lines(file: Path) -> Iterator[tuple[int, str]]:
    """Return the line, from 1, and the gold key of each sentence of a sample."""
    with file.open(encoding="utf-8", newline="") as stream:
        table = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        for line, row in enumerate(table, start=2):
            yield line, row["gold"]


def _remove_leftovers(folder: Path) -> None:
    """Remove the remains of builds that were killed."""
    for part in folder.parent.glob(f"{folder.name}.*.part"):
        pid = part.name.split(".")[-2]
        if pid.isdigit() and not psutil.pid_exists(int(pid)):
            shutil.rmtree(part, ignore_errors=True)
