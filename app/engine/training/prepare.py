"""Before the steps: find the data of a training, check it, and split it."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from app.engine.device import wanted_device
from app.engine.encoders.checkpoint import find_encoder
from app.engine.encoders.folder import fingerprint_of
from app.engine.encoders.new_config import check_settings
from app.engine.encoders.shelf import check_plain_name
from app.engine.report import Report
from app.engine.tasks.train_vocabulary import build_vocabulary
from app.engine.training.files import language_codes
from app.engine.training.leaks import KeptOut, read_kept_out
from app.engine.training.objectives.mixture import parse_objectives
from app.engine.training.record import hash_data, hash_file, settings_key
from app.engine.training.run_mark import mark_run
from app.engine.training.split_pairs import SplitPairs, measured_on, split_pairs
from app.errors import UserError
from app.params.training import TrainEncoder, TrainVocabulary
from app.paths import resource_dir

if TYPE_CHECKING:
    from app.engine.project import Project
    from app.engine.training.recipe import Work

SAVING_FILE = "saving"  # in the work folder: the encoder that stands is this one's
_TAKEN = "{} exists already: choose another name."
NEED_PAIRS = {"ranking", "translation", "distillation"}


class Prepared(NamedTuple):
    """What a training learns from.

    Attributes:
        out: where the encoder will stand.
        folder: the work folder, the same for equal settings and data.
        split: pairs to train on and to measure on.
        kept_out: sentences that must not be seen, those measured on too.
        hashes: of all that was given, by name.
        languages: codes.
    """

    out: Path
    folder: Path
    split: SplitPairs
    kept_out: KeptOut
    hashes: dict[str, str]
    languages: tuple[str, ...]


def prepare(
    project: "Project | None", params: TrainEncoder, report: Report
) -> Prepared:
    """Find, hash and split the data; the work folder holds what is made on the way.

    Raises:
        UserError: the data do not fit the settings, or the encoder exists.
    """
    check_settings(params)
    out = choose_folder(project, params)
    files = find_pairs(project, params, out, report)
    hashes = hash_data(params, files, report) | _hash_given(project, params)
    kept_out = read_kept_out(project, params, report)
    key = settings_key(params, hashes | {"kept out": kept_out.fingerprint})
    folder = out.parent / f".{out.name}.training-{key}"
    if out.exists() and not (folder / SAVING_FILE).exists():
        raise UserError(_TAKEN.format(out))
    folder.mkdir(parents=True, exist_ok=True)
    mark_run(folder, report.run)
    with removed_if_refused(folder):
        split = split_pairs(
            files,
            kept_out,
            folder,
            report,
            n_development=params.n_development,
            seed=params.seed,
        )
    unseen = kept_out.joined(measured_on(split))
    return Prepared(out, folder, split, unseen, hashes, language_codes(files))


@contextmanager
def removed_if_refused(folder: Path) -> Iterator[None]:
    """Remove a work folder without a checkpoint if settings or data are refused.

    Other settings or data have another folder: nothing in this one is of use to them.
    """
    from app.engine.training.state import PATTERN

    try:
        yield
    except UserError:
        if not any(folder.glob(PATTERN)):
            shutil.rmtree(folder, ignore_errors=True)
        raise


def make_work(
    project: "Project | None", prepared: Prepared, params: TrainEncoder, report: Report
) -> "Work":
    """Find or train the vocabulary, and say what a recipe works with."""
    from app.engine.training.recipe import Work

    return Work(
        folder=prepared.folder,
        project_folder=None if project is None else project.folder,
        files=prepared.split.paths,
        languages=prepared.languages,
        kept_out=prepared.kept_out,
        vocabulary=_find_vocabulary(project, prepared, params, report),
        device=wanted_device(),
    )


def choose_folder(project: "Project | None", params: TrainEncoder) -> Path:
    """Choose where the encoder will stand.

    It must not stand there yet, unless a training was killed right after it had saved.
    """
    if params.out is not None:
        folder = params.out
    elif project is not None:
        _check_name(params.name)
        folder = project.folder / "encoders" / params.name
    else:
        raise UserError("Name a folder to write the encoder into (out).")
    is_begun = any(folder.parent.glob(f".{folder.name}.training-*/{SAVING_FILE}"))
    if folder.exists() and not is_begun:
        raise UserError(_TAKEN.format(folder))
    return folder


def find_pairs(
    project: "Project | None",
    params: TrainEncoder,
    out: Path,
    report: Report,
    *,
    n_most: int | None = None,
) -> tuple[Path, ...]:
    """Name the files of pairs; those of linked corpora are written first.

    Args:
        project: has the corpora.
        params: name corpora and files.
        out: where the encoder would stand; linked pairs are written beside it.
        report: is told of the pairs.
        n_most: linked pairs to write at most; None: all.

    Raises:
        UserError: there are none, but an objective needs them.
    """
    objectives = {one.name for one in parse_objectives(params.objectives)}
    files = params.pairs
    if params.corpora:
        from app.engine.training.linked_pairs import write_linked_pairs

        if project is None:
            raise UserError("Corpora need a project: open one, or name pairs.")
        folder = out.parent / f".{out.name}.training-pairs"
        files += write_linked_pairs(
            project, params.corpora, folder, report, n_most=n_most
        )
    if not files and objectives & NEED_PAIRS:
        raise UserError("Name corpora or at least one file of pairs to train on.")
    if not files and params.n_development:
        raise UserError(
            "There are no pairs to measure on: name some, or set n_development to 0."
        )
    return files


def _check_name(name: str) -> None:
    """Refuse a name by which the project's encoder could not be found."""
    check_plain_name(name)
    if (resource_dir() / "encoders" / name).exists():
        raise UserError(f"A bundled encoder is called {name}: choose another name.")


def _hash_given(project: "Project | None", params: TrainEncoder) -> dict[str, str]:
    """Hash the vocabulary and the encoders that the params name."""
    folder = None if project is None else project.folder
    objectives = {one.name for one in parse_objectives(params.objectives)}
    needed = {
        "initial": bool(params.initial),
        "teacher": "distillation" in objectives,
        "coarse_encoder": "ranking" in objectives and params.n_hard_negatives > 0,
    }
    hashes = {
        f"{field} {getattr(params, field)}".strip(): fingerprint_of(
            find_encoder(getattr(params, field), folder)
        )
        for field, is_needed in needed.items()
        if is_needed
    }
    if params.vocabulary is not None:
        for file in _vocabulary_files(params.vocabulary):
            hashes[f"vocabulary {file.name}"] = hash_file(file)
    return hashes


def _vocabulary_files(folder: Path) -> Sequence[Path]:
    """Name the files of a vocabulary."""
    from app.engine.encoders.new_config import vocabulary_files

    return [folder / name for name in vocabulary_files(folder)]


def _find_vocabulary(
    project: "Project | None", prepared: Prepared, params: TrainEncoder, report: Report
) -> Path:
    """Name the folder of the vocabulary; train one if none was given."""
    if params.vocabulary is not None:
        return params.vocabulary
    if params.initial:
        return find_encoder(params.initial, None if project is None else project.folder)
    if not prepared.split.files:
        raise UserError(
            "There are no pairs to train a vocabulary on: name the folder of one, such "
            "as a bundled encoder's."
        )
    folder = prepared.folder / "vocabulary"
    if not (folder / "vocabulary.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        settings = TrainVocabulary(
            out=folder,
            units=params.units,
            model=params.vocabulary_model,
            n_pieces=params.n_pieces,
            sampling_exponent=params.sampling_exponent,
            seed=params.seed,
        )
        build_vocabulary(prepared.split.paths, settings, report)
    return folder
