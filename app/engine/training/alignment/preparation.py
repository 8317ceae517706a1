"""Find and check the training data and output folder of an added language."""

import os
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from app.engine.encoders.combined.encoder import base_folder, load_router
from app.engine.encoders.combined.language_router import LanguageRouter
from app.engine.encoders.configs import (
    BilstmConfig,
    CombinedConfig,
    EncoderConfig,
    StaticConfig,
)
from app.engine.encoders.folder import fingerprint_of, read_config
from app.engine.encoders.registry import check_plain_name, find_encoder
from app.engine.project.project import Project
from app.engine.runtime.blocking_calls import ChildCall, run_in_child
from app.engine.runtime.report import Report
from app.engine.text.language_detection import (
    MIN_CONFIDENCE,
    describe_language_mismatch,
    guess_language,
)
from app.engine.text.line_files import language_pair, read_pairs
from app.engine.text.subword_vocabulary import MODEL_FILE, load_vocabulary
from app.engine.training.alignment.linked_pairs import write_english_pairs
from app.engine.training.alignment.recipe import AlignedConfig
from app.engine.training.held_out import read_held_out
from app.engine.training.pair_splits import PairSplit, split_pairs
from app.engine.training.preparation import (
    choose_folder,
    make_work_folder,
    remove_folder_on_user_error,
)
from app.engine.training.record import hash_data, settings_key
from app.errors import UserError
from app.languages import language_name, parse_language, primary_language
from app.params.encoders import AlignEncoder
from app.params.training.encoder import TrainEncoder

UNKNOWN_LANGUAGE = "und"  # ISO 639-2: undetermined
N_GUESSED_FROM = 300  # sentences
N_EPOCHS, FEWEST_STEPS = 5, 400
N_MEASUREMENTS = 20
N_WARMUP = 100
CLIP_NORM = 5.0
MAX_SAMPLE = 500_000  # sentences to train the vocabulary on
VOCABULARY_STAGE = "Training the vocabulary"


class BaseEncoder(NamedTuple):
    """The encoder that a language is added to.

    Attributes:
        folder, config: folder and config of the original encoder, without added
            languages.
        combined: folder of the combined encoder that contains the encoder, if any.
        router: router of the combined encoder.
    """

    folder: Path
    config: EncoderConfig
    combined: Path | None
    router: LanguageRouter | None

    @property
    def added(self) -> tuple[str, ...]:
        """Return the codes of the added languages."""
        return self.router.languages if self.router is not None else ()


class PreparedAlignment(NamedTuple):
    """Encoder, data and folders of an alignment.

    Attributes:
        base: encoder to add the language to.
        language: code of the added language.
        out: output folder of the combined encoder.
        folder: work folder, the same for equal settings and data.
        settings: settings of the training loop.
        split: training pairs and development pairs.
        hashes: SHA-256 of inputs by name.
        notes: sentences for the user.
    """

    base: BaseEncoder
    language: str
    out: Path
    folder: Path
    settings: TrainEncoder
    split: PairSplit
    hashes: dict[str, str]
    notes: tuple[str, ...]

    @property
    def is_known(self) -> bool:
        """Return whether the base encoder already supports the language."""
        known = {parse_language(code).code for code in self.base.config.languages}
        return self.language in known

    @property
    def file(self) -> Path:
        """Return the file of training pairs."""
        return self.split.paths[0]

    @property
    def development_file(self) -> Path | None:
        """Return the file of held-out pairs; None: there are too few."""
        files = [Path(file) for file in self.split.development.values()]
        return files[0] if files else None


def prepare_alignment(
    project: Project | None, params: AlignEncoder, report: Report
) -> PreparedAlignment:
    """Find, hash and split the data; other prepared files are in the work folder.

    Raises:
        UserError: the data or the language do not fit, or the encoder exists.
    """
    base = find_base(project, params.english)
    out = choose_folder(project, loop_settings(params, dim=base.config.dim))
    params = _with_file(project, params, out, report)
    language, notes = choose_language(params, base)
    settings = loop_settings(params, dim=base.config.dim)
    hashes = hash_data(settings, settings.pairs, report)
    hashes[f"English encoder {base.config.name}"] = fingerprint_of(base.folder)
    kept_out = read_held_out(project, settings, report)
    marks = {
        "kept out": kept_out.fingerprint,
        "loss": f"{params.loss} {params.negatives} {params.margin}",
        "hidden": str(params.hidden_dim),
        "language": language,
    }
    key = settings_key(settings, hashes | marks)
    folder = make_work_folder(out, key, report)
    with remove_folder_on_user_error(folder):
        split = split_pairs(
            settings.pairs,
            kept_out,
            folder,
            report,
            n_development=params.n_development,
            seed=params.seed,
        )
    return PreparedAlignment(
        base=base,
        language=language,
        out=out,
        folder=folder,
        settings=_with_steps(settings, params, split.counts[0].n_trained),
        split=split,
        hashes=hashes,
        notes=(*notes, *split.notes),
    )


def _with_file(
    project: Project | None, params: AlignEncoder, out: Path, report: Report
) -> AlignEncoder:
    """Write the pairs of a corpus to a file, and set its language.

    Raises:
        UserError: neither or both of file and corpus are set, or there are no pairs.
    """
    if (params.pairs is None) == (not params.corpus):
        raise UserError("Choose a file of translations, or a corpus of the project.")
    if params.pairs is not None:
        return params
    if project is None:
        raise UserError("Corpora need a project. Name a project.")
    folder = out.parent / f".{out.name}.training-pairs"
    file, language = write_english_pairs(project, params.corpus, folder, report)
    language = params.language or language
    return msgspec.structs.replace(params, pairs=file, language=language)


def find_base(project: Project | None, name: str) -> BaseEncoder:
    """Find the base encoder, which may be part of a combined encoder.

    Raises:
        UserError: the encoder does not exist.
    """
    folder = find_encoder(name, None if project is None else project.folder)
    config = read_config(folder)
    if not isinstance(config, CombinedConfig):
        return BaseEncoder(folder, config, None, None)
    inner = base_folder(folder)
    return BaseEncoder(inner, read_config(inner), folder, load_router(folder, config))


def choose_language(
    params: AlignEncoder, base: BaseEncoder
) -> tuple[str, tuple[str, ...]]:
    """Return the code of the added language, and notes for the user.

    Raises:
        UserError: the language is English, already added, or has an invalid code.
    """
    assert params.pairs is not None, "the pairs of a corpus are written to a file"
    texts = [other for _, other in islice(read_pairs(params.pairs), N_GUESSED_FROM)]
    guess = guess_language(texts)
    named = params.language or language_pair(params.pairs)[1]
    if not named and guess.confidence >= MIN_CONFIDENCE and guess.code != "en":
        named = guess.code
    code = parse_language(named or UNKNOWN_LANGUAGE).code
    check_plain_name(code)
    if primary_language(code) == "en":
        raise UserError(
            "The added language can't be English. The second column of "
            f"{params.pairs.name} must be in another language."
        )
    if code in base.added:
        raise UserError(
            f"{language_name(code)} was already added to this encoder. Choose the "
            "encoder without it, or another language."
        )
    if code == UNKNOWN_LANGUAGE:
        return code, ("The language of the pairs is unknown. Set its code.",)
    mismatch = describe_language_mismatch(guess, code)
    return code, (mismatch,) if mismatch else ()


def loop_settings(params: AlignEncoder, *, dim: int) -> TrainEncoder:
    """Return the settings of the training loop; `n_steps` may still be open (1)."""
    name = params.name or (params.out.name if params.out is not None else "")
    if not name:
        raise UserError("Name the new encoder, or choose a folder to write it to.")
    test = () if params.nli_test is None else (params.nli_test,)
    is_bilstm = params.architecture == "bilstm"
    return TrainEncoder(
        name=name,
        pairs=() if params.pairs is None else (params.pairs,),
        kept_out=params.kept_out + test,
        out=params.out,
        architecture="bilstm" if is_bilstm else "static",
        n_pieces=params.n_pieces,
        n_ngrams=params.n_ngrams,
        dim=dim,
        embed_dim=params.embed_dim,
        dropout=params.dropout,
        max_tokens=params.max_tokens,
        objectives=("alignment",),
        nli=params.nli,
        n_steps=max(params.n_steps, 1),
        batch_size=params.batch_size,
        languages_per_batch=1,
        lr=params.lr,
        n_warmup=N_WARMUP,
        clip_norm=CLIP_NORM if is_bilstm else 0.0,
        precision=params.precision,
        n_development=params.n_development,
        evaluate_every=max(params.evaluate_every, 1),
        checkpoint_every_s=params.checkpoint_every_s,
        seed=params.seed,
    )


def _with_steps(
    settings: TrainEncoder, params: AlignEncoder, n_pairs: int
) -> TrainEncoder:
    """Set numbers that depend on the pairs, if the params do not specify them."""
    n_batches = -(-N_EPOCHS * n_pairs // params.batch_size)
    n_steps = params.n_steps or max(FEWEST_STEPS, n_batches)
    return msgspec.structs.replace(
        settings,
        n_steps=n_steps,
        n_warmup=min(N_WARMUP, n_steps // 10),
        evaluate_every=params.evaluate_every or max(1, n_steps // N_MEASUREMENTS),
    )


def make_vocabulary(
    prepared: PreparedAlignment, params: AlignEncoder, report: Report
) -> Path:
    """Train a vocabulary on the sentences of the other language; return its folder."""
    folder = prepared.folder / "vocabulary"
    model = folder / MODEL_FILE
    if model.exists():
        return folder
    folder.mkdir(exist_ok=True)
    texts = [other for _, other in read_pairs(prepared.file)]
    step = -(-len(texts) // MAX_SAMPLE)
    sample, part = folder / "sample.txt", model.with_suffix(".part")
    sample.write_text(
        "".join(f"{text}\n" for text in texts[::step]), encoding="utf-8", newline="\n"
    )
    call = ChildCall(
        "app.engine.text.subword_vocabulary:fit_vocabulary",
        {
            "sample": str(sample),
            "model": str(part),
            "n_pieces": params.n_pieces,
            "n_threads": os.cpu_count() or 1,
            "seed": params.seed,
        },
    )
    run_in_child(call, report, stage=VOCABULARY_STAGE, note=f"{len(texts):,} sentences")
    sample.unlink()
    part.replace(model)
    return folder


def make_config(
    prepared: PreparedAlignment, params: AlignEncoder, vocabulary: Path
) -> AlignedConfig:
    """Return the config of the added language's encoder."""
    name = language_name(prepared.language)
    n_pieces = load_vocabulary(vocabulary).n_pieces
    description = f"{name}, aligned to the space of {prepared.base.config.name}."
    if params.architecture == "cbow":
        return StaticConfig(
            name=prepared.language,
            description=description,
            dim=prepared.base.config.dim,
            languages=(prepared.language,),
            n_pieces=n_pieces,
            n_bigrams=0,
            n_ngrams=params.n_ngrams,
        )
    return BilstmConfig(
        name=prepared.language,
        description=description,
        dim=prepared.base.config.dim,
        languages=(prepared.language,),
        n_pieces=n_pieces,
        embed_dim=params.embed_dim,
        hidden_dim=params.hidden_dim,
        dropout=params.dropout,
        max_tokens=params.max_tokens,
    )
