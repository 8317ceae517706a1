"""Task: add an encoder from LASER, sentence-transformers or Isogloss to a project."""

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np

from app.engine.encoders.configs import (
    CONFIG_FILE,
    EncoderConfig,
    SentenceTransformersConfig,
    WordBagConfig,
)
from app.engine.encoders.folder import (
    CARD_FILE,
    LICENCE_FILE,
    folder_bytes,
    read_config,
    write_config,
)
from app.engine.encoders.imported.card import (
    hash_source,
    read_front_matter,
    read_licence,
    write_import_card,
)
from app.engine.encoders.imported.folder_check import MODULES_FILE, UNREADABLE
from app.engine.encoders.registry import check_new_name, load_encoder
from app.engine.encoders.speed import make_sentences, measure_speed
from app.engine.project.project import Project
from app.engine.runtime.devices import preferred_device
from app.engine.runtime.report import Report
from app.engine.store.lookup import find_corpus
from app.engine.store.sentences import read_texts
from app.engine.store.words.indexes import TABLE_FILE, TABLES
from app.engine.text.line_files import read_lines
from app.errors import ResourceError, UserError
from app.languages import parse_language
from app.params.encoders import AddEncoder
from app.paths import strip_compression
from app.results.task import TaskResult

WORD_VECTOR_FILES = (".vec", ".txt", ".bin")
SPACE_FACTOR = 2  # required free disk space, as a multiple of the source's size
N_TRIED = 20  # sentences that the encoder must encode before it is added


class AddEncoderResult(TaskResult, frozen=True):
    """The added encoder.

    Attributes:
        sentences_per_s: speed on sentences of 30 characters, measured on this machine.
        source_sha256: hash of the imported file or folder, in hex.
    """

    name: str
    folder: Path
    kind: str
    dim: int
    size_bytes: int
    sentences_per_s: float
    source_sha256: str


def add_encoder(
    project: Project, params: AddEncoder, report: Report
) -> AddEncoderResult:
    """Check, copy, try and measure an encoder, then add it to the project.

    Raises:
        UserError: the source is damaged, requires running its code, or has an unknown
            format; or the name is taken.
        ResourceError: the source is missing, or the disk is too full.
        Cancelled: all copied files are removed.
    """
    params = msgspec.structs.replace(params, source=_find_source(project, params))
    source = params.source
    if not source.exists():
        raise ResourceError(f"{source} doesn't exist.")
    kind = _find_kind(params)
    name = params.name or _name_of(source, kind)
    check_new_name(project.folder, name)
    _check_space(project.folder, source)
    target = project.folder / "encoders" / name
    part = target.with_name(f".{name}.part")
    shutil.rmtree(part, ignore_errors=True)  # left by a run that was killed
    try:
        if kind == "word-vectors":
            _write_word_bag(project, params, part, name, report)
        else:
            _WRITERS[kind](params, part, name, report)
        config = _finish(params, kind, part, report)
        part.replace(target)
    except UserError as error:  # the copy is deleted: the error is in the source
        raise UserError(_name_source(str(error), part, source)) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    report.changed("encoder", 0)
    return AddEncoderResult(
        name=name,
        folder=target,
        kind=kind,
        dim=config.dim,
        size_bytes=folder_bytes(target),
        sentences_per_s=config.sentences_per_s,
        source_sha256=config.source_sha256,
        message=f"Added {name}: {config.dim:,} dimensions, "
        f"{config.sentences_per_s:,.0f} sentences per second on this machine.",
    )


def _name_source(message: str, part: Path, source: Path) -> str:
    """Replace the name of the copy by that of the source in errors."""
    for copy in (part / "model", part):
        message = message.replace(str(copy), str(source))
    return message


def _find_source(project: Project, params: AddEncoder) -> Path:
    """Return the source: a path, or the project's word vectors with this name."""
    source = params.source
    if source.name != str(source) or source.exists():
        return source
    stored = project.folder / TABLES / source
    return stored if (stored / TABLE_FILE).is_file() else source


def _find_kind(params: AddEncoder) -> str:
    """Return the format of the source."""
    source = params.source
    if params.kind != "auto":
        return params.kind
    if (source / TABLE_FILE).is_file():
        return "word-vectors"
    if source.is_file():
        _refuse_unreadable(source)
        is_text = strip_compression(source).suffix in WORD_VECTOR_FILES
        return "word-vectors" if is_text else "laser"
    if (source / CONFIG_FILE).is_file():
        return "isogloss"
    if (source / MODULES_FILE).is_file() or (source / "config.json").is_file():
        return "sentence-transformers"
    raise UserError(
        f"{source} is not an encoder: it has neither {CONFIG_FILE} of "
        f"Isogloss nor {MODULES_FILE} of sentence-transformers."
    )


def _refuse_unreadable(source: Path) -> None:
    """Reject weight files that are not LASER's."""
    with source.open("rb") as stream:
        is_gguf = stream.read(4) == b"GGUF"
    suffix = ".gguf" if is_gguf else source.suffix.lower()
    if suffix in UNREADABLE:
        raise UserError(
            f"{source} is a {UNREADABLE[suffix]} file, which Isogloss doesn't read. "
            "Download the encoder as a folder with model.safetensors."
        )


def _name_of(source: Path, kind: str) -> str:
    """Name an encoder after its file or folder."""
    path = source.resolve()
    if kind == "word-vectors" and path.is_file():
        return strip_compression(path).stem
    return path.stem if kind == "laser" else path.name


def _write_laser(params: AddEncoder, part: Path, name: str, report: Report) -> None:
    """Convert LASER's files."""
    from app.engine.encoders.imported.laser import LaserSource, convert_laser

    if not params.source.is_file():
        raise UserError(f"{params.source} is a folder. Choose LASER's .pt file.")
    report.step("Converting LASER", 0, 1)
    files = LaserSource(params.source, params.pieces, params.dictionary)
    convert_laser(files, part, name)


def _write_transformer(
    params: AddEncoder, part: Path, name: str, report: Report
) -> None:
    """Check and copy a sentence-transformers folder."""
    from app.engine.encoders.imported.folder_check import check_folder, copy_folder
    from app.engine.encoders.imported.sentence_transformers import (
        MODEL_FOLDER,
        describe_model,
        load_model,
        require_extra,
    )

    modules = check_folder(params.source)
    require_extra()
    copy_folder(params.source, part / MODEL_FOLDER, modules, report)
    report.step("Loading", 0, 1)
    module, _ = load_model(part / MODEL_FOLDER)
    config = SentenceTransformersConfig(
        name=name,
        description=describe_model(module),
        dim=module.dim,
        precision="float32",
    )
    write_config(part, config)


def _write_own(params: AddEncoder, part: Path, name: str, report: Report) -> None:
    """Copy a folder that Isogloss wrote, without unrelated files."""
    config = read_config(params.source)
    files = [file for file in sorted(params.source.rglob("*")) if file.is_file()]
    for done, file in enumerate(files):
        report.step("Copying", done, len(files), file.name)
        if file.name.startswith(".") or file.is_symlink():
            continue
        copy = part / file.relative_to(params.source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    write_config(part, msgspec.structs.replace(config, name=name))


def _write_word_bag(
    project: Project, params: AddEncoder, part: Path, name: str, report: Report
) -> None:
    """Make an encoder that averages the word vectors of a file or of the project."""
    from app.engine.encoders.word_bag import save_word_bag
    from app.engine.wordvectors.project_files import open_table
    from app.engine.wordvectors.reader import MAX_WORDS

    table, _ = open_table(project, params.source, report, max_words=MAX_WORDS)
    kinds = {"mean": "Mean", "idf": "IDF-weighted mean", "sif": "SIF-weighted mean"}
    minus = ", without the first component" if params.removes_component else ""
    config = WordBagConfig(
        name=name,
        description=f"{kinds[params.weighting]} of {len(table.words):,} word "
        f"vectors{minus}.",
        dim=table.dim,
        languages=(table.language,) if table.language else (),
        weighting=params.weighting,
        removes_component=params.removes_component,
    )
    texts = _weighting_texts(project, params)
    save_word_bag(part, config, table.words, np.asarray(table.vectors), texts, report)


def _weighting_texts(project: Project, params: AddEncoder) -> list[str]:
    """Read the sentences from which the weights of words are computed."""
    if params.text is not None:
        return list(read_lines(params.text))
    if not params.corpus:
        return []
    corpus = find_corpus(project.store, params.corpus)
    return read_texts(project.store, corpus.id, 0, corpus.n_sentences)


def _finish(params: AddEncoder, kind: str, part: Path, report: Report) -> EncoderConfig:
    """Try the encoder, measure it, and complete its config and card."""
    report.step("Loading", 0, 1)
    encoder = load_encoder(str(part), device=preferred_device())
    vectors = encoder.encode(["", *make_sentences(N_TRIED)])
    # word vectors of a language without sample sentences are not an error
    is_empty = kind != "word-vectors" and not vectors.any()
    if is_empty or not np.isfinite(vectors).all():
        raise UserError(
            f"{params.source} returns no vectors. The encoder is incomplete."
        )
    found = read_config(part)
    licence, text = _licence(params, kind, found)
    said = read_front_matter(params.source)[1]
    given = tuple(parse_language(one).code for one in params.languages)
    config: EncoderConfig = msgspec.structs.replace(
        found,
        languages=given or found.languages or said,
        origin=found.origin or "/".join(params.source.resolve().parts[-2:]),
        licence=licence,
        source_sha256=hash_source(params.source, report),
        sentences_per_s=round(measure_speed(encoder, report), 1),
    )
    if text:
        (part / LICENCE_FILE).write_text(text, encoding="utf-8", newline="\n")
    if kind != "isogloss" or not (part / CARD_FILE).is_file():
        card = write_import_card(config, text, n_bytes=folder_bytes(part))
        (part / CARD_FILE).write_text(card, encoding="utf-8", newline="\n")
    write_config(part, config)
    return config


def _licence(params: AddEncoder, kind: str, found: EncoderConfig) -> tuple[str, str]:
    """Return the licence in one line and its text, from the params or the source."""
    name, text = read_licence(params.licence)
    if kind in ("laser", "word-vectors"):
        return name, text
    files = sorted(params.source.glob("LICEN[CS]E*"))
    if files and not text:
        first_line, text = read_licence(str(files[0]))
        name = name or first_line
    return name or found.licence or read_front_matter(params.source)[0], text


def _check_space(folder: Path, source: Path) -> None:
    """Check the disk space before copying."""
    size = source.stat().st_size if source.is_file() else folder_bytes(source)
    free = shutil.disk_usage(folder).free
    if SPACE_FACTOR * size > free:
        raise ResourceError(
            f"{source} needs {size / 1000000.0:,.0f}\u00a0MB, but the disk of "
            f"{folder} has only {free / 1000000.0:,.0f}\u00a0MB free. Free some space."
        )


_WRITERS: dict[str, Callable[[AddEncoder, Path, str, Report], None]] = {
    "laser": _write_laser,
    "sentence-transformers": _write_transformer,
    "isogloss": _write_own,
}
