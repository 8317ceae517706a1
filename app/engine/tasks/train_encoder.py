"""Task: train a static encoder by translation ranking on aligned sentences."""

import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from app.engine.device import halve_until_it_fits, wanted_device
from app.engine.encoders.checkpoint import folder_bytes
from app.engine.encoders.configs import StaticConfig
from app.engine.report import Report
from app.engine.tasks.train_vocabulary import build_vocabulary
from app.engine.text.opening import check_file
from app.engine.training.card import write_card
from app.errors import UserError
from app.params.training import TrainEncoder, TrainVocabulary
from app.paths import resource_dir

if TYPE_CHECKING:
    from app.engine.project import Project
    from app.engine.text.vocabulary import Vocabulary


class TrainEncoderResult(msgspec.Struct, frozen=True):
    """What a trained encoder is.

    Attributes:
        name, folder: what it is called and where it stands.
        n_pairs, n_languages: what it was trained on.
        n_steps: steps in all.
        batch_size: smaller than asked for if the GPU's memory was too small.
        device: what it was trained on.
        resumed_at_step: step from which this run went on; 0: from the beginning.
        loss, error: of the last batches; error is a rate 0…1 within a batch.
        size_bytes: of the folder.
    """

    name: str
    folder: str
    n_pairs: int
    n_languages: int
    n_steps: int
    batch_size: int
    device: str
    resumed_at_step: int
    loss: float
    error: float
    size_bytes: int


def train_encoder(
    project: "Project | None", params: TrainEncoder, report: Report
) -> TrainEncoderResult:
    """Train an encoder and write its folder; go on where an equal run was stopped.

    Vocabulary, pieces and checkpoints stand in a hidden folder beside the encoder's
    until it is done. Its name holds a hash of settings and data, so that a run with
    other settings begins anew and leaves that of the first alone.

    Raises:
        UserError: there are no pairs, or the encoder exists.
    """
    out = _choose_folder(project, params)
    files = _find_pairs(project, params, out, report)
    hashes = hash_files(files, report)
    work = out.parent / f".{out.name}.training-{_settings_key(params, hashes)}"
    work.mkdir(parents=True, exist_ok=True)
    result = _train(_Work(work, files, hashes, out), params, report)
    for old in out.parent.glob(f".{out.name}.training-*"):
        shutil.rmtree(old, ignore_errors=True)
    return result


class _Work(NamedTuple):
    """Where a training works and with what.

    Attributes:
        folder: vocabulary, pieces and checkpoints.
        files: the pairs; hashes: their SHA-256 by name.
        out: where the encoder will stand.
    """

    folder: Path
    files: Sequence[Path]
    hashes: dict[str, str]
    out: Path


def _train(work: _Work, params: TrainEncoder, report: Report) -> TrainEncoderResult:
    """Train in the work folder and save the encoder."""
    from app.engine.encoders.static_folder import save_static
    from app.engine.text.vocabulary import load_vocabulary
    from app.engine.training.batches import TableShape
    from app.engine.training.loop import TrainedTable, Trainer, train_table
    from app.engine.training.tokens import tokenise_pairs

    vocabulary = load_vocabulary(_find_vocabulary(work, params, report))
    pairs = tokenise_pairs(work.files, vocabulary, work.folder, report)
    shape = TableShape(vocabulary.n_pieces, params.n_bigrams, vocabulary.space_id)
    wanted = wanted_device()
    # embedding_bag is not on MPS in every torch
    device = wanted if wanted.startswith("cuda") else "cpu"

    def train(batch_size: int) -> TrainedTable:
        fitting = msgspec.structs.replace(params, batch_size=batch_size)
        trainer = Trainer(pairs, shape, fitting, device)
        return train_table(trainer, fitting, work.folder, report)

    trained, batch_size = halve_until_it_fits(train, params.batch_size, smallest=2)
    n_pairs, n_languages = pairs.n_pairs, len(pairs.languages)
    save_static(
        work.out,
        _config(params, vocabulary, n_languages),
        table=trained.table,
        vocabulary=vocabulary.model_bytes,
        card=write_card(params, work.hashes, n_pairs),
    )
    return TrainEncoderResult(
        name=params.name,
        folder=str(work.out),
        n_pairs=n_pairs,
        n_languages=n_languages,
        n_steps=params.n_steps,
        batch_size=batch_size,
        device=device,
        resumed_at_step=trained.first_step,
        loss=trained.loss,
        error=trained.error,
        size_bytes=folder_bytes(work.out),
    )


def hash_files(files: Sequence[Path], report: Report) -> dict[str, str]:
    """Give the SHA-256 of each file of pairs by its name.

    Raises:
        UserError: a file is empty, or two have the same name.
        ResourceError: a file is missing.
    """
    hashes: dict[str, str] = {}
    for done, file in enumerate(files):
        report.step("Checking pairs", done, len(files), file.name)
        if file.name in hashes:
            raise UserError(f"Two files of pairs are named {file.name}: rename one.")
        check_file(file)
        with file.open("rb") as stream:
            hashes[file.name] = hashlib.file_digest(stream, "sha256").hexdigest()
    return hashes


def _choose_folder(project: "Project | None", params: TrainEncoder) -> Path:
    """Choose where the encoder will stand; it must not stand there yet."""
    if params.out is not None:
        folder = params.out
    elif project is not None:
        _check_name(params.name)
        folder = project.folder / "encoders" / params.name
    else:
        raise UserError("Name a folder to write the encoder into (out).")
    if folder.exists():
        raise UserError(f"{folder} exists already: choose another name.")
    return folder


def _check_name(name: str) -> None:
    """Refuse a name by which the project's encoder could not be found."""
    if Path(name).name != name or name.startswith(".") or not name.isprintable():
        raise UserError(f"The name {name!r} is no name of a folder: choose another.")
    if (resource_dir() / "encoders" / name).exists():
        raise UserError(f"A bundled encoder is called {name}: choose another name.")


def _find_pairs(
    project: "Project | None", params: TrainEncoder, out: Path, report: Report
) -> tuple[Path, ...]:
    """Name the files of pairs; those of linked corpora are written first."""
    files = params.pairs
    if params.corpora:
        from app.engine.training.linked_pairs import write_linked_pairs

        if project is None:
            raise UserError("Corpora need a project: open one, or name pairs.")
        folder = out.parent / f".{out.name}.training-pairs"
        files += write_linked_pairs(project.store, params.corpora, folder, report)
    if not files:
        raise UserError("Name corpora or at least one file of pairs to train on.")
    return files


def _settings_key(params: TrainEncoder, hashes: dict[str, str]) -> str:
    """Hash what decides the weights: settings and data, not where they stand."""
    settings = msgspec.structs.asdict(params)
    for name in ("pairs", "out", "name", "checkpoint_every_s"):
        settings.pop(name)
    settings["vocabulary"] = str(params.vocabulary)
    settings["hashes"] = hashes
    encoded = msgspec.json.encode(settings, order="deterministic")
    return hashlib.sha256(encoded).hexdigest()[:12]


def _find_vocabulary(work: _Work, params: TrainEncoder, report: Report) -> Path:
    """Name the folder of the vocabulary; train one if none was given."""
    if params.vocabulary is not None:
        return params.vocabulary
    folder = work.folder / "vocabulary"
    if not (folder / "vocabulary.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        settings = TrainVocabulary(
            out=folder,
            n_pieces=params.n_pieces,
            sampling_exponent=params.sampling_exponent,
            seed=params.seed,
        )
        build_vocabulary(work.files, settings, report)
    return folder


def _config(
    params: TrainEncoder, vocabulary: "Vocabulary", n_languages: int
) -> StaticConfig:
    """Describe the encoder."""
    return StaticConfig(
        name=params.name,
        description=f"Static encoder of {params.dim} dimensions, trained on "
        f"{n_languages} language pairs.",
        dim=params.dim,
        n_pieces=vocabulary.n_pieces,
        n_bigrams=params.n_bigrams,
    )
