"""Find, check and split the data of a training before its first step."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Select, or_, select

from app.engine.encoders.configs import ContextualConfig
from app.engine.encoders.contextual import base_folder
from app.engine.encoders.folder import fingerprint_of, read_config
from app.engine.encoders.new_config import check_settings
from app.engine.encoders.registry import check_plain_name, find_encoder
from app.engine.exchange.pair_export import open_pair_source
from app.engine.project.active_sentences import is_active
from app.engine.project.project import Project
from app.engine.runtime.devices import preferred_device
from app.engine.runtime.report import Report
from app.engine.store.corpora import CorpusRow, corpus_of, list_corpora, position_of
from app.engine.store.lookup import find_corpora, find_pair_set
from app.engine.store.schema import CORPUS_STRIDE, corpus, link, sentence
from app.engine.text.line_files import file_stem, language_codes, language_pair
from app.engine.text.writers.tally import ExportTally
from app.engine.training.data.batches import parse_weight
from app.engine.training.data.texts import write_texts
from app.engine.training.data.word_lists import write_word_groups
from app.engine.training.held_out import HeldOutSentences, read_held_out
from app.engine.training.objectives.mixture import parse_objectives
from app.engine.training.pair_splits import PairSplit, measured_on, split_pairs
from app.engine.training.record import hash_data, hash_file, mark_run, settings_key
from app.engine.training.vocabulary import build_vocabulary
from app.errors import UserError
from app.params.pairs import ExportPairs
from app.params.training.encoder import TrainEncoder, TrainVocabulary
from app.params.training.fields import NEED_PAIRS, TITLES, missing_files
from app.paths import resource_dir

if TYPE_CHECKING:
    from app.engine.training.recipes import TrainingInputs

SAVING_FILE = "saving"  # in the work folder; marks that the saved encoder belongs to it
_TAKEN = "{} already exists. Choose another name."


class PreparedTraining(NamedTuple):
    """Prepared inputs of a training.

    Attributes:
        out: output folder of the encoder.
        folder: work folder, the same for equal settings and data.
        split: training pairs and held-out pairs.
        kept_out: sentences excluded from training, including held-out pairs.
        hashes: hashes of all inputs, by name.
        languages: codes.
    """

    out: Path
    folder: Path
    split: PairSplit
    kept_out: HeldOutSentences
    hashes: dict[str, str]
    languages: tuple[str, ...]


def prepare_training(
    project: Project | None, params: TrainEncoder, report: Report
) -> PreparedTraining:
    """Find, hash and split the data; intermediate files are in the work folder.

    Raises:
        UserError: the data do not fit the settings, or the encoder exists.
    """
    check_settings(params)
    out = choose_folder(project, params)
    groups = write_word_groups(
        params.word_lists, _pairs_folder(out), report, seed=params.seed
    )
    files = find_pairs(project, params, out, report)
    if _pairs_folder(out).is_dir():
        mark_run(_pairs_folder(out), report.run)
    files += _select_languages(groups, params.languages)
    _check_weights(params.pair_weights, (*files, *params.nli))
    hashes = hash_data(params, files, report) | _hash_given(project, params)
    kept_out = read_held_out(project, params, report)
    key = settings_key(params, hashes | {"kept out": kept_out.fingerprint})
    folder = make_work_folder(out, key, report)
    with remove_folder_on_user_error(folder):
        split = split_pairs(
            files,
            kept_out,
            folder,
            report,
            n_development=params.n_development,
            seed=params.seed,
        )
    unseen = kept_out.joined(measured_on(split))
    return PreparedTraining(out, folder, split, unseen, hashes, language_codes(files))


def make_work_folder(out: Path, key: str, report: Report) -> Path:
    """Make the work folder of a training, or find the folder of an equal training.

    Args:
        out: output folder, which may exist only if this training was killed right after
            saving.

    Raises:
        UserError: the result exists.
    """
    folder = out.parent / f".{out.name}.training-{key}"
    if out.exists() and not (folder / SAVING_FILE).exists():
        raise UserError(_TAKEN.format(out))
    folder.mkdir(parents=True, exist_ok=True)
    mark_run(folder, report.run)
    return folder


def is_training_begun(out: Path) -> bool:
    """Return whether a training has started to save to this folder."""
    return any(out.parent.glob(f".{out.name}.training-*/{SAVING_FILE}"))


@contextmanager
def remove_folder_on_user_error(folder: Path) -> Iterator[None]:
    """Remove a work folder without a checkpoint if settings or data are rejected.

    Other settings or data use another folder, so the folder would never be reused.
    """
    from app.engine.training.trainers.state import PATTERN

    try:
        yield
    except UserError:
        if not any(folder.glob(PATTERN)):
            shutil.rmtree(folder, ignore_errors=True)
        raise


def make_training_inputs(
    project: Project | None,
    prepared: PreparedTraining,
    params: TrainEncoder,
    report: Report,
) -> "TrainingInputs":
    """Find or train the vocabulary, and return the inputs of a recipe."""
    from app.engine.training.recipes import TrainingInputs

    return TrainingInputs(
        folder=prepared.folder,
        project_folder=None if project is None else project.folder,
        files=prepared.split.paths,
        languages=prepared.languages,
        kept_out=prepared.kept_out,
        vocabulary=_find_vocabulary(project, prepared, params, report),
        device=preferred_device(),
    )


def choose_folder(project: Project | None, params: TrainEncoder) -> Path:
    """Choose where the encoder will be written.

    It must not exist, unless a training was killed right after saving.
    """
    if params.out is not None:
        folder = params.out
    elif project is not None:
        _check_name(params.name)
        folder = project.folder / "encoders" / params.name
    else:
        raise UserError("Choose a folder to write the encoder to (out).")
    if folder.exists() and not is_training_begun(folder):
        raise UserError(_TAKEN.format(folder))
    return folder


def find_pairs(
    project: Project | None,
    params: TrainEncoder,
    out: Path,
    report: Report,
    *,
    n_most: int | None = None,
) -> tuple[Path, ...]:
    """Return the files of pairs, after writing the pairs of linked corpora.

    Args:
        params: params with corpora and files.
        out: output folder of the encoder; linked pairs are written next to it.
        n_most: maximum number of linked pairs; None: all.

    Raises:
        UserError: there are no pairs, but an objective needs them.
    """
    objectives = {one.name for one in parse_objectives(params.objectives)}
    files = params.pairs
    if (params.corpora or params.pair_sets) and project is None:
        raise UserError(
            "Corpora and pair sets need a project. Open one, or use pair files."
        )
    if params.corpora and project is not None:
        files += write_linked_pairs(
            project, params.corpora, _pairs_folder(out), report, n_most=n_most
        )
    if project is not None:
        files += tuple(
            _write_pair_set(project, name, _pairs_folder(out), report)
            for name in params.pair_sets
        )
    if not files and objectives & NEED_PAIRS:
        raise UserError("Choose corpora or at least one pair file to train on.")
    found = _select_languages(files, params.languages)
    if files and not found:
        codes = ", ".join(language_codes(files)) or "files without a language"
        raise UserError(
            f"No pairs are in {', '.join(params.languages)}; found: {codes}."
        )
    field = missing_files(msgspec.structs.asdict(params))
    if field and field != "corpora":
        raise UserError(f"{TITLES[field]} are missing, but an objective needs them.")
    return found


def _pairs_folder(out: Path) -> Path:
    """Return the folder for pairs from corpora."""
    return out.parent / f".{out.name}.training-pairs"


def _check_weights(weights: Sequence[str], files: Sequence[Path]) -> None:
    """Reject a weight of pair files that is not a number or applies to no file."""
    for text in weights:
        pattern, _ = parse_weight(text)
        if not any(fnmatchcase(file_stem(file), pattern) for file in files):
            raise UserError(f"No pair file is named {pattern!r}. Change the weight.")


def _select_languages(
    files: tuple[Path, ...], languages: Sequence[str]
) -> tuple[Path, ...]:
    """Return the files of pairs whose languages, except English, are all selected."""
    from app.engine.training.recipes import match_codes

    if not languages or not files:
        return files
    codes = language_codes(files)
    chosen = set(match_codes(languages, codes))
    english = set(match_codes(["eng"], codes))
    return tuple(
        file
        for file in files
        if (own := {*language_pair(file)} - english - {""}) and own <= chosen
    )


def _check_name(name: str) -> None:
    """Reject a name by which the project's encoder could not be found."""
    check_plain_name(name)
    if (resource_dir() / "encoders" / name).exists():
        raise UserError(f"A bundled encoder is named {name}. Choose another name.")


def _hash_given(project: Project | None, params: TrainEncoder) -> dict[str, str]:
    """Hash the vocabulary and the encoders in the params."""
    folder = None if project is None else project.folder
    objectives = {one.name for one in parse_objectives(params.objectives)}
    needed = {
        "initial": bool(params.initial),
        "base": params.architecture == "contextual" and not params.initial,
        "teacher": "distillation" in objectives,
        "coarse_encoder": "ranking" in objectives
        and params.n_hard_negatives > 0
        and bool(params.coarse_encoder or not params.n_coarse_steps),
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
    """Return the files of a vocabulary."""
    from app.engine.encoders.new_config import vocabulary_files

    return [folder / name for name in vocabulary_files(folder)]


def given_vocabulary(params: TrainEncoder, project_folder: Path | None) -> Path | None:
    """Return the folder of the vocabulary in the params; None: train a vocabulary.

    The vocabulary of a contextual encoder is in its static encoder's folder.
    """
    if params.architecture == "contextual":
        if not params.initial:
            return find_encoder(params.base, project_folder)
        initial = find_encoder(params.initial, project_folder)
        config = read_config(initial)
        if not isinstance(config, ContextualConfig):
            return initial  # rejected later for its architecture
        return base_folder(initial, config)
    if params.vocabulary is not None or not params.initial:
        return params.vocabulary
    return find_encoder(params.initial, project_folder)


def _find_vocabulary(
    project: Project | None,
    prepared: PreparedTraining,
    params: TrainEncoder,
    report: Report,
) -> Path:
    """Return the folder of the vocabulary; train a vocabulary if none is specified."""
    given = given_vocabulary(params, None if project is None else project.folder)
    if given is not None:
        return given
    folder = prepared.folder / "vocabulary"
    if not (folder / "vocabulary.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        files, kept_out = prepared.split.paths, prepared.kept_out
        train_own_vocabulary(params, files, kept_out, folder, report)
    return folder


def train_own_vocabulary(
    params: TrainEncoder,
    files: Sequence[Path],
    kept_out: HeldOutSentences,
    folder: Path,
    report: Report,
) -> None:
    """Train the vocabulary of an encoder.

    Args:
        files: files of pairs; empty: train on the text of the other objectives.
        kept_out: sentences of development and test sets, excluded from this text.
        folder: folder of the vocabulary; this text is written next to it.
    """
    settings = TrainVocabulary(
        out=folder,
        units=params.units,
        model=params.vocabulary_model,
        n_pieces=params.n_pieces,
        sampling_exponent=params.sampling_exponent,
        seed=params.seed,
    )
    texts = files or write_texts(params, kept_out, folder.parent, report)
    build_vocabulary(texts, settings, report, has_english=bool(files))


PAGE = 10_000
STAGE, READING_SETS = "Reading linked sentences", "Reading pair sets"


def write_linked_pairs(
    project: Project,
    names: Sequence[str],
    folder: Path,
    report: Report,
    *,
    n_most: int | None = None,
) -> tuple[Path, ...]:
    """Write one TSV for each pair of linked corpora.

    Args:
        names: corpora or sub-corpora, whose partners are all corpora linked to them.
        folder: folder for the files.
        n_most: maximum number of pairs; None: all.

    Returns:
        The files, named by the languages and ids of the two corpora: en-de.1-2.tsv.

    Raises:
        UserError: a corpus does not exist, or no corpus is linked to another.
    """
    store = project.store
    chosen = {row.id: row for row in find_corpora(store, names)}
    listed = {row.id: row for row in list_corpora(store)}
    marks = {id_: _marks(project, row) for id_, row in (listed | chosen).items()}
    statement = _linked_sentences(set(chosen))
    files: dict[str, Path] = {}
    n_pairs = 0
    with ExitStack() as stack, store.connect() as connection:
        streams = {}
        rows = connection.execution_options(yield_per=PAGE).execute(statement)
        for source_id, target_id, source, target in rows:
            if not all(
                marks[corpus_of(id_)][position_of(id_)]
                for id_ in (source_id, target_id)
            ):
                continue
            ids = corpus_of(source_id), corpus_of(target_id)
            codes = "-".join(listed[id_].language for id_ in ids)
            name = f"{codes}.{ids[0]}-{ids[1]}.tsv"
            if name not in streams:
                folder.mkdir(parents=True, exist_ok=True)
                files[name] = folder / name
                stream = files[name].open("w", encoding="utf-8", newline="\n")
                streams[name] = stack.enter_context(stream)
            streams[name].write(f"{_one_cell(source)}\t{_one_cell(target)}\n")
            n_pairs += 1
            report.step(STAGE, n_pairs, 0)
            if n_pairs == n_most:
                break
    if not files:
        raise UserError(
            f"No sentence of {', '.join(row.name for row in chosen.values())} is "
            "linked to a translation. "
            "Import aligned files, or train on pair files."
        )
    return tuple(files[name] for name in sorted(files))


def _write_pair_set(project: Project, name: str, folder: Path, report: Report) -> Path:
    """Write the edited pairs of a set that an export would contain.

    Raises:
        UserError: the set does not exist, or has no such pairs.
    """
    chosen = ExportPairs(pairs=name, out=folder)
    source = open_pair_source(project, chosen, ExportTally(), report)
    row = find_pair_set(project.store, name)
    codes = f"{source.header.source_language}-{source.header.target_language}"
    file = folder / f"{codes}.set{row.id}.tsv"
    folder.mkdir(parents=True, exist_ok=True)
    n_pairs = 0
    with file.open("w", encoding="utf-8", newline="\n") as stream:
        for _, pairs in source.pages:
            for pair in pairs:
                stream.write(f"{_one_cell(pair.source)}\t{_one_cell(pair.target)}\n")
            n_pairs += len(pairs)
            report.step(READING_SETS, n_pairs, source.n)
    if not n_pairs:
        raise UserError(
            f"The pair set {row.name} has no accepted pairs to train on. Accept some "
            "in Review, or choose another pair set."
        )
    return file


def _marks(project: Project, corpus: CorpusRow) -> NDArray[np.bool_]:
    """Return whether each sentence of a corpus participates: bool (n,)."""
    return is_active(project, corpus, np.arange(corpus.n_sentences))


def _linked_sentences(corpus_ids: set[int]) -> Select[Any]:
    """Select the links that touch any of the corpora, with both texts."""
    source, target = sentence.alias("source"), sentence.alias("target")
    ranges = [
        side.between(i * CORPUS_STRIDE, (i + 1) * CORPUS_STRIDE - 1)
        for i in sorted(corpus_ids)
        for side in (link.c.source_id, link.c.target_id)
    ]
    ready = select(corpus.c.id).where(corpus.c.state == "ready")
    return (
        select(link.c.source_id, link.c.target_id, source.c.text, target.c.text)
        .join(source, source.c.id == link.c.source_id)
        .join(target, target.c.id == link.c.target_id)
        .where(or_(*ranges))
        .where((link.c.source_id // CORPUS_STRIDE).in_(ready))
        .where((link.c.target_id // CORPUS_STRIDE).in_(ready))
        .order_by(link.c.source_id, link.c.target_id)
    )


def _one_cell(text: str) -> str:
    """Replace tabs and line breaks, so that a sentence stays in one TSV cell."""
    return text.replace("\t", " ").replace("\n", " ")
