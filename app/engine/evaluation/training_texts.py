"""Find out whether an encoder was trained on the texts that it is evaluated on."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from app.engine.encoders.folder import CARD_FILE
from app.engine.encoders.registry import find_with_heads
from app.engine.runtime.hashing import hash_file
from app.engine.runtime.report import Report
from app.engine.store.lookup import find_corpora
from app.engine.store.runs import DELETED, list_runs
from app.errors import UserError
from app.params import command_name, params_from_json
from app.params.evaluation import AlignedTexts
from app.params.training.encoder import TrainEncoder
from app.params.training.fine_tuning import FineTuneEncoder

if TYPE_CHECKING:
    from app.engine.project.project import Project

WARNING = "so the error is too low. Evaluate on texts that it was not trained on."
_HASH_ROW = re.compile(r"^\| (.+) \| `([0-9a-f]{64})` \|$", re.MULTILINE)
N_RUNS = 1_000  # trainings that are read at most, the newest first


def note_training_texts(
    project: "Project | None", params: AlignedTexts, encoder: str
) -> Iterator[str]:
    """Warn if an encoder was trained on the corpora or files that are evaluated.

    Args:
        project: its runs record which corpora an encoder was trained on.
        params: the corpora or files to evaluate.
        encoder: name or folder; empty: the encoder in use.
    """
    folder = find_with_heads(encoder, project.folder if project else None)[0]
    if project is not None and params.corpora:
        yield from _note_corpora(project, params, folder.name)
    yield from _note_files(params, folder)


def _note_corpora(
    project: "Project", params: AlignedTexts, encoder: str
) -> Iterator[str]:
    """Warn of corpora of which two or more were trained on, as pairs need two."""
    trained = _corpora_trained_on(project, encoder)
    corpora = find_corpora(project.store, params.corpora)
    names = [one.name for one in corpora if one.id in trained]
    if len(names) > 1:
        yield f"{encoder} was trained on pairs of {', '.join(names)}, {WARNING}"


def _corpora_trained_on(project: "Project", encoder: str) -> set[int]:
    """Return ids of corpora that an encoder, or what it started from, has seen."""
    trainings = _read_trainings(project)
    found: set[int] = set()
    seen: set[str] = set()
    while encoder in trainings and encoder not in seen:
        seen.add(encoder)
        params = trainings[encoder]
        excluded = _find_ids(project, params.kept_out_corpora)
        found |= _find_ids(project, params.corpora) - excluded
        encoder = params.initial
    return found


def _read_trainings(project: "Project") -> dict[str, TrainEncoder]:
    """Return the newest finished training of each encoder by its name."""
    found: dict[str, TrainEncoder] = {}
    rows = [
        row
        for task in map(command_name, (TrainEncoder, FineTuneEncoder))
        for row in list_runs(project.store, task=task, limit=N_RUNS, has_deleted=True)
        if row.state.removeprefix(DELETED) == "finished"
    ]
    for row in sorted(rows, key=lambda row: -row.id):
        try:
            params = params_from_json(row.params)
        except msgspec.MsgspecError:
            continue  # of another version
        found.setdefault(params.name, params)
    return found


def _find_ids(project: "Project", names: tuple[str, ...]) -> set[int]:
    """Return the ids of corpora; those that were deleted since are left out."""
    found: set[int] = set()
    for name in names:
        try:
            found |= {row.id for row in find_corpora(project.store, [name])}
        except UserError:
            continue
    return found


def _note_files(params: AlignedTexts, folder: Path) -> Iterator[str]:
    """Warn of files whose hash is on the card of the encoder."""
    card = folder / CARD_FILE
    files = [one for one in (params.source, params.target, params.table) if one]
    if not files or not card.is_file():
        return
    trained = _hashes_trained_on(card.read_text(encoding="utf-8"))
    names = [file.name for file in files if hash_file(file, Report()) in trained]
    if names:
        yield f"{folder.name} was trained on {', '.join(names)}, {WARNING}"


def _hashes_trained_on(card: str) -> set[str]:
    """Return the SHA-256 of the files on a card, without those it was kept from."""
    return {
        digest
        for name, digest in _HASH_ROW.findall(card)
        if f"--kept-out {shlex.quote(name)}" not in card
    }
