"""Training of a translation model in a work folder that a later run can resume."""

import hashlib
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from app.engine.encoders.bridge.codec import SHARED_FILE, vocabulary_file
from app.engine.encoders.configs import BridgeConfig
from app.engine.encoders.registry import check_new_name
from app.engine.runtime.blocking_calls import ChildCall, run_in_child
from app.engine.runtime.devices import preferred_device
from app.engine.runtime.report import Report
from app.engine.training.preparation import (
    SAVING_FILE,
    is_training_begun,
    make_work_folder,
    remove_folder_on_user_error,
    write_linked_pairs,
)
from app.engine.training.record import hash_file
from app.engine.translation.card import TrainedTranslation, write_card
from app.engine.translation.data import (
    Direction,
    HeldOut,
    ParallelTexts,
    choose_directions,
    hold_out,
    match_language,
    pair_columns,
    read_pair_files,
    read_table,
)
from app.errors import UserError
from app.params import encode_hook
from app.params.training.encoder import TrainEncoder
from app.params.translation import TrainTranslation

if TYPE_CHECKING:
    from app.engine.encoders.bridge.codec import Codec
    from app.engine.project.project import Project
    from app.engine.training.trainers.module_trainer import ModuleTrainer
    from app.engine.translation.development import TranslationDevelopment
    from app.engine.translation.objective import TokenisedTexts

# Fields without effect on the weights: paths, names and intervals.
PLACES = ("name", "table", "corpora", "out", "checkpoint_every_s")
TRAINING_STAGE = "Training the vocabulary"


class PreparedTranslation(NamedTuple):
    """Prepared inputs of a translation training.

    Attributes:
        name: name of the model.
        out: output folder of the model.
        folder: work folder, the same for equal settings and data.
        languages: languages of the model.
        texts: sentences of each language.
        directions: directions in the order of their rotation.
        pairs: training pairs and development pairs.
        hashes: SHA-256 in hex of the data by file name.
    """

    name: str
    out: Path
    folder: Path
    languages: tuple[str, ...]
    texts: ParallelTexts
    directions: list[Direction]
    pairs: HeldOut
    hashes: dict[str, str]


def prepare_translation(
    project: "Project | None", params: TrainTranslation, report: Report
) -> PreparedTranslation:
    """Read the data, choose the directions and find the work folder.

    Raises:
        UserError: the data do not fit the settings, or the model exists.
    """
    out = _choose_folder(project, params)
    prepared = read_data(project, params, out.parent, report)
    key = _settings_key(params, prepared.hashes)
    folder = make_work_folder(out, key, report)
    return prepared._replace(name=params.name or out.name, out=out, folder=folder)


def read_data(
    project: "Project | None", params: TrainTranslation, folder: Path, report: Report
) -> PreparedTranslation:
    """Read the data and choose the directions, without writing to the folder.

    Raises:
        UserError: the data do not fit the settings.
    """
    texts, hashes = _read_texts(project, params, report)
    languages = tuple(texts.texts)
    directions = choose_directions(
        texts,
        languages,
        wanted=params.directions,
        without=params.without,
        copies=params.copies,
    )
    pairs = hold_out(texts, directions, params.n_development, params.seed)
    return PreparedTranslation(
        params.name, folder, folder, languages, texts, directions, pairs, hashes
    )


def train_and_save(
    prepared: PreparedTranslation, params: TrainTranslation, report: Report
) -> TrainedTranslation:
    """Train in the work folder, write the model's folder, remove the work folder.

    Raises:
        UserError: the data are too small for the settings, or the loss is not finite.
        Paused: the user paused the run.
    """
    from app.engine.encoders.bridge.encoder import save_model

    with remove_folder_on_user_error(prepared.folder):
        config, codec = make_codec(prepared, params, report)
        trained = _train(prepared, config, codec, params, report)
    (prepared.folder / SAVING_FILE).touch()
    if not prepared.out.exists():  # else a run was killed after saving
        card = write_card(trained, prepared.hashes, params)
        weights = trained.trained.weights
        save_model(prepared.out, config, weights, codec, card)
    shutil.rmtree(prepared.folder, ignore_errors=True)
    return trained


def _choose_folder(project: "Project | None", params: TrainTranslation) -> Path:
    """Choose the output folder of the model."""
    if params.out is not None:
        return params.out
    if project is None:
        raise UserError("Choose a folder to write the model to (out).")
    if not params.name:
        raise UserError("Type a name for the model.")
    folder = project.folder / "encoders" / params.name
    if not is_training_begun(folder):
        check_new_name(project.folder, params.name)
    return folder


def _read_texts(
    project: "Project | None", params: TrainTranslation, report: Report
) -> tuple[ParallelTexts, dict[str, str]]:
    """Read the table, or the linked pairs of the corpora."""
    if params.table is not None and params.corpora:
        raise UserError("Choose a table or corpora, not both.")
    if params.table is not None:
        table = read_table(params.table, report, params.languages)
        return pair_columns(table), {params.table.name: hash_file(params.table)}
    if not params.corpora:
        raise UserError("Choose a table or aligned corpora to train on.")
    if project is None:
        raise UserError("Corpora need a project. Open one, or use a table.")
    with tempfile.TemporaryDirectory() as folder:
        files = write_linked_pairs(project, params.corpora, Path(folder), report)
        hashes = {file.name: hash_file(file) for file in files}
        texts = read_pair_files(files, report)
    if params.languages:
        where = "The chosen corpora"
        chosen = [match_language(one, texts.texts, where) for one in params.languages]
        texts = ParallelTexts(
            {code: texts.texts[code] for code in dict.fromkeys(chosen)},
            {key: p for key, p in texts.pairs.items() if set(key) <= set(chosen)},
        )
    return texts, hashes


def _settings_key(params: TrainTranslation, hashes: dict[str, str]) -> str:
    """Hash what determines the weights: settings and data, not file paths."""
    settings = msgspec.structs.asdict(params)
    for name in PLACES:
        settings.pop(name)
    settings["hashes"] = sorted(hashes.values())
    encoded = msgspec.json.encode(settings, order="deterministic", enc_hook=encode_hook)
    return hashlib.sha256(encoded).hexdigest()[:12]


def make_codec(
    prepared: PreparedTranslation, params: TrainTranslation, report: Report
) -> "tuple[BridgeConfig, Codec]":
    """Train the vocabularies that are missing in the work folder."""
    from app.engine.encoders.bridge.codec import Codec
    from app.engine.text.subword_vocabulary import Vocabulary

    is_shared = params.system == "shared"
    texts = prepared.texts.texts
    groups = {vocabulary_file(c, is_shared=False): [c] for c in prepared.languages}
    if is_shared:
        groups = {SHARED_FILE: list(prepared.languages)}
    loaded: dict[str, Vocabulary] = {}
    for file, codes in groups.items():
        path = prepared.folder / file
        if not path.exists():
            sentences = [text for code in codes for text in texts[code]]
            _train_vocabulary(path, sentences, params, report, ", ".join(codes))
        vocabulary = Vocabulary(path.read_bytes())
        loaded |= dict.fromkeys(codes, vocabulary)
    config = BridgeConfig(
        name=prepared.name,
        description=_describe(params, prepared.languages),
        dim=params.dim,
        precision="float16",
        languages=prepared.languages,
        system=params.system,
        n_pieces=tuple(loaded[codes[0]].n_pieces for codes in groups.values()),
        embed_dim=params.embed_dim,
        hidden_dim=params.dim // 2,
        n_layers=params.n_layers,
        n_heads=params.n_heads if params.system == "bridge" else 0,
        bridge_dim=params.bridge_dim,
        dropout=params.dropout,
        max_tokens=params.max_tokens,
        directions=tuple(prepared.directions),
        is_lowercase=params.lowercase,
    )
    return config, Codec(config, loaded)


def _describe(params: TrainTranslation, languages: Sequence[str]) -> str:
    kinds = {
        "bridge": f"attention bridge with {params.n_heads} heads",
        "attention": "no bridge",
        "shared": "one shared encoder and decoder",
    }
    return f"Translation model of {len(languages)} languages, {kinds[params.system]}."


def _train_vocabulary(
    path: Path,
    sentences: list[str],
    params: TrainTranslation,
    report: Report,
    note: str,
) -> None:
    """Train a vocabulary on all sentences of one or more languages."""
    sample, part = path.with_suffix(".txt"), path.with_suffix(".part")
    with sample.open("w", encoding="utf-8", newline="\n") as stream:
        for text in sentences:
            line = text.lower() if params.lowercase else text
            stream.write(" ".join(line.split()) + "\n")
    arguments = {
        "sample": str(sample),
        "model": str(part),
        "n_pieces": params.n_pieces,
        "n_threads": 1,
        "seed": params.seed,
        "kind": "cased-bpe",
    }
    call = ChildCall("app.engine.text.subword_vocabulary:fit_vocabulary", arguments)
    run_in_child(call, report, stage=TRAINING_STAGE, note=note)
    part.replace(path)
    sample.unlink()


class TrainingParts(NamedTuple):
    """Components of a translation training.

    Attributes:
        development: None if no pairs are held out.
    """

    trainer: "ModuleTrainer"
    development: "TranslationDevelopment | None"


def make_parts(
    prepared: PreparedTranslation,
    tokens: "TokenisedTexts",
    params: TrainTranslation,
    settings: TrainEncoder,
    device: str,
) -> TrainingParts:
    """Build the model with random weights, its trainer and its development metric.

    Args:
        prepared: texts and pairs.
        tokens: pieces of the texts, with the model's codec.
        settings: settings of the steps (see `loop_settings`).
    """
    from app.engine.encoders.bridge.encoder import make_module
    from app.engine.training.trainers.module_trainer import (
        ModuleTrainer,
        TrainableModule,
    )
    from app.engine.translation.development import TranslationDevelopment
    from app.engine.translation.objective import DirectionRotation

    config = tokens.codec.config
    rotation = DirectionRotation(
        tokens,
        prepared.pairs.training,
        settings,
        penalty=params.penalty,
        device=device,
    )
    model = make_module(config, params.seed).to(device)
    tokeniser = tokens.codec.tokeniser(config.languages[0])
    trained = TrainableModule(model, tokeniser, [rotation], [1.0])
    held_out = {
        direction: rows
        for direction, rows in prepared.pairs.development.items()
        if len(rows)
    }
    development = TranslationDevelopment(
        model,
        tokens,
        prepared.texts,
        held_out,
        uses_bleu=params.select_by == "bleu",
        device=device,
    )
    return TrainingParts(
        ModuleTrainer(trained, settings, device), development if held_out else None
    )


def training_device() -> str:
    """Return the device of a translation training: CUDA or CPU."""
    device = preferred_device()
    return device if device.startswith("cuda") else "cpu"


def _train(
    prepared: PreparedTranslation,
    config: BridgeConfig,
    codec: "Codec",
    params: TrainTranslation,
    report: Report,
) -> TrainedTranslation:
    """Train from the work folder's checkpoint, if there is one."""
    from app.engine.training.loop import TrainingLoop
    from app.engine.training.trainers.precision import repeatable
    from app.engine.translation.objective import TokenisedTexts

    device, settings = training_device(), loop_settings(params)
    tokens = TokenisedTexts(codec, prepared.texts.texts, report)
    with repeatable(device):
        trainer, development = make_parts(prepared, tokens, params, settings, device)
        loop = TrainingLoop(trainer, settings, prepared.folder, report, development)
        trained = loop.run()
    return TrainedTranslation(
        config=config,
        trained=trained,
        n_pairs={d: len(rows) for d, rows in prepared.pairs.training.items()},
        n_parameters=trainer.n_parameters,
        device=device,
        precision=trainer.precision,
    )


def loop_settings(params: TrainTranslation) -> TrainEncoder:
    """Return the settings for training loop, trainer and sampler."""
    return TrainEncoder(
        name=params.name or "translation",
        objectives=("translation",),
        n_steps=params.n_steps,
        batch_size=params.batch_size,
        batch_tokens=params.batch_tokens,
        languages_per_batch=1,
        lr=params.lr,
        n_warmup=params.n_warmup,
        decay=params.decay,
        clip_norm=params.clip_norm,
        precision=params.precision,
        evaluate_every=params.evaluate_every,
        patience=params.patience,
        checkpoint_every_s=params.checkpoint_every_s,
        seed=params.seed,
    )
