"""Recipes to train and save each architecture: data, trainer and encoder from params.

Static encoders with ranking alone use a trainer with an explicit gradient; all other
combinations train a torch module.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec
import torch
from torch import Tensor

from app.arrays import FloatArray
from app.engine.encoders.configs import (
    BaseConfig,
    ContextualConfig,
    EncoderConfig,
    StaticConfig,
    architecture_of,
)
from app.engine.encoders.contextual import attach_base
from app.engine.encoders.encoder import Encoder
from app.engine.encoders.folder import read_config
from app.engine.encoders.neural import NeuralEncoder, SentenceModule
from app.engine.encoders.new_config import (
    TrainableConfig,
    new_config,
    vocabulary_files,
    with_format_of,
)
from app.engine.encoders.registry import find_encoder
from app.engine.encoders.static.encoder import NgramTable, StaticEncoder
from app.engine.encoders.static.table_rows import make_romaniser
from app.engine.encoders.tokenisers import load_tokeniser
from app.engine.encoders.weights import build_module, load_module, save_weights
from app.engine.runtime.report import Report
from app.engine.text.subword_vocabulary import load_vocabulary
from app.engine.training.data.batches import TableShape
from app.engine.training.data.tokens import tokenise_pairs
from app.engine.training.held_out import HeldOutSentences
from app.engine.training.loop import TrainingLoop
from app.engine.training.objective import Objective, ObjectiveContext
from app.engine.training.objectives.mixture import (
    make_objectives,
    parse_objectives,
    task_weights,
)
from app.engine.training.objectives.nli import InferenceObjective
from app.engine.training.trainers.module_trainer import ModuleTrainer, TrainableModule
from app.engine.training.trainers.static_trainer import StaticTrainer
from app.engine.training.trainers.trainer import Trainer
from app.errors import UserError
from app.languages import parse_language
from app.params.training.encoder import TrainEncoder

if TYPE_CHECKING:
    from app.engine.encoders.neural import SentenceModule
    from app.engine.text.subword_vocabulary import Vocabulary

SMALLEST_BATCH = 2

_KINDS = {
    "static": "Static encoder",
    "bilstm": "BiLSTM encoder",
    "transformer": "Transformer encoder",
    "contextual": "Contextual encoder",
}
_FREE = {"dropout", "max_tokens", "precision"}  # may differ from the initial encoder's


class TrainingInputs(NamedTuple):
    """Inputs of a recipe.

    Attributes:
        folder: work folder for tokens, mined negatives and checkpoints.
        project_folder: folder to find encoders in, besides the bundled encoders.
        files: TSV of english⇥foreign to train on.
        languages: codes of the training languages.
        kept_out: sentences excluded from training, including held-out pairs.
        vocabulary: folder of the vocabulary.
        device: torch device.
    """

    folder: Path
    project_folder: Path | None
    files: tuple[Path, ...]
    languages: tuple[str, ...]
    kept_out: HeldOutSentences
    vocabulary: Path
    device: str


class Recipe(Protocol):
    """Recipe to train and save one architecture.

    Attributes:
        device: training device.
        n_examples: training pairs or other examples.
        n_inference: NLI training pairs, and held-out NLI pairs.
        notes: sentences for the user about the data.
    """

    device: str
    n_examples: int
    n_inference: tuple[int, int]
    notes: tuple[str, ...]

    def make(self, params: TrainEncoder) -> Trainer:
        """Make a trainer; the params' batch may be smaller than the recipe's."""

    def save(self, out: Path, weights: Mapping[str, Tensor], card: str) -> None:
        """Write the encoder's folder."""


class InitialEncoder(NamedTuple):
    """An encoder to start from: its folder, config and module."""

    folder: Path
    config: EncoderConfig
    module: "SentenceModule"


def make_recipe(work: TrainingInputs, params: TrainEncoder, report: Report) -> Recipe:
    """Select and make the recipe of the params.

    Raises:
        UserError: the data or the initial encoder do not fit the params.
    """
    initial = _load_initial(work, params)
    if uses_static_trainer(params):
        return StaticRecipe(work, params, report, initial)

    return ModuleRecipe(work, params, report, initial)


def uses_static_trainer(params: TrainEncoder) -> bool:
    """Return whether the trainer with the explicit gradient supports the params."""
    names = [one.name for one in parse_objectives(params.objectives)]
    return (
        params.architecture == "static"
        and names == ["ranking"]
        and not params.tasks_per_language
        and params.optimiser == "adam"
        and params.direction == "both"
        and params.similarity == "cosine"
        and params.precision in ("auto", "float32")
        and params.n_accumulated == 1
        and not params.batch_tokens
        and not params.clip_norm
        and not params.learns_temperature
        and not params.n_hard_negatives
    )


def make_config(
    params: TrainEncoder, work: TrainingInputs, initial: InitialEncoder | None = None
) -> TrainableConfig:
    """Return the config of the encoder specified by the params.

    Raises:
        UserError: the sizes are inconsistent.
    """
    n = len(work.languages)
    words = f"{_KINDS[params.architecture]} of {params.dim:,} dimensions"
    description = f"{words}, trained on {n} languages." if n else f"{words}."
    languages, licence = work.languages, ""
    if initial is not None:
        before = initial.config
        description = f"{before.name}, trained further. {words}."
        languages = match_codes(languages, before.languages)
        languages = tuple(dict.fromkeys((*before.languages, *languages)))
        licence = before.licence
    config = new_config(
        params, work.vocabulary, description=description, languages=languages
    )
    return msgspec.structs.replace(config, licence=licence)


def smaller_batch(params: TrainEncoder, n_halvings: int) -> TrainEncoder:
    """Halve the batch several times, in pairs and in tokens."""
    return msgspec.structs.replace(
        params,
        batch_size=max(SMALLEST_BATCH, params.batch_size >> n_halvings),
        # 0 would mean no limit
        batch_tokens=max(params.batch_tokens >> n_halvings, params.batch_tokens and 1),
    )


def check_initial(
    config: TrainableConfig, initial: InitialEncoder, vocabulary: Path
) -> None:
    """Reject an initial encoder with other sizes or another vocabulary.

    Raises:
        UserError: its architecture, a size or its vocabulary differs.
    """
    wanted, found = architecture_of(config), architecture_of(initial.config)
    if wanted != found:
        raise UserError(
            f"{initial.config.name} is a {found} encoder. Choose the same "
            "architecture to start from it."
        )
    sizes = {*config.__struct_fields__} - {*BaseConfig.__struct_fields__} - _FREE | {
        "dim"
    }
    differing = [
        f"{name} {getattr(initial.config, name)}"
        for name in sorted(sizes)
        if getattr(config, name) != getattr(initial.config, name)
    ]
    if differing:
        raise UserError(
            f"{initial.config.name} has different sizes "
            f"({', '.join(differing)}). Set the same sizes to start from it."
        )
    if isinstance(config, ContextualConfig):
        return  # its sizes include the static encoder, which has the vocabulary
    if vocabulary_files(vocabulary) != vocabulary_files(initial.folder):
        raise UserError(
            f"{initial.config.name} has a different vocabulary than "
            f"{vocabulary}. Leave the vocabulary empty to start from this encoder."
        )


def _load_initial(work: TrainingInputs, params: TrainEncoder) -> InitialEncoder | None:
    if not params.initial:
        return None

    return InitialEncoder(*load_initial(params.initial, work.project_folder))


def load_initial(
    name: str, project_folder: Path | None = None
) -> tuple[Path, EncoderConfig, SentenceModule]:
    """Load the module of an encoder to continue training it.

    Returns:
        Its folder, where its vocabulary is; its config; the module, on the CPU.

    Raises:
        UserError: the encoder does not exist, or was imported.
    """
    folder = find_encoder(name, project_folder)
    config = read_config(folder)
    if not isinstance(config, TrainableConfig):
        raise UserError(
            f"{config.name} was imported and can't be trained. Choose a "
            "static, BiLSTM, transformer or contextual encoder trained with Isogloss."
        )
    return folder, config, load_module(folder, config)


class StaticRecipe:
    """See `Recipe`."""

    def __init__(
        self,
        work: TrainingInputs,
        params: TrainEncoder,
        report: Report,
        initial: InitialEncoder | None = None,
    ):
        self.notes: tuple[str, ...] = ()
        self.n_inference = 0, 0
        # embedding_bag is not on MPS in every torch
        self.device = work.device if work.device.startswith("cuda") else "cpu"
        self._vocabulary_folder = work.vocabulary
        self._vocabulary = load_vocabulary(work.vocabulary)
        config = make_config(params, work, initial)
        assert isinstance(config, StaticConfig), "the recipe was chosen by it"
        self.config = config
        self._initial = initial
        if initial is not None:
            check_initial(self.config, initial, work.vocabulary)
        self._pairs = tokenise_pairs(
            work.files, self._vocabulary, work.folder, report, n_ngrams=params.n_ngrams
        )
        self.n_examples = self._pairs.n_pairs
        self._shape = TableShape(
            self._vocabulary.n_pieces,
            params.n_bigrams,
            self._vocabulary.space_id,
            params.n_ngrams,
        )
        self._romaniser = make_romaniser() if params.n_ngrams else None

    def make(self, params: TrainEncoder) -> StaticTrainer:
        """Make a trainer."""
        trainer = StaticTrainer(
            self._pairs, self._shape, params, self.device, self._encoder
        )
        if self._initial is not None:
            table = self._initial.module.state_dict()["table"]
            trainer.optimiser.table.copy_(table)
        return trainer

    def save(self, out: Path, weights: Mapping[str, Tensor], card: str) -> None:
        """Write the encoder's folder."""
        save_weights(out, self.config, weights, self._vocabulary_folder, card)

    def _encoder(self, table: FloatArray) -> Encoder:
        n_ngrams = self._shape.n_ngrams
        romaniser = self._romaniser
        return StaticEncoder(
            table,
            self._vocabulary,
            ngrams=None if romaniser is None else NgramTable(romaniser, n_ngrams),
            device=self.device,
        )


HEADS_SEED = 1  # added to the seed, so that heads and module draw different weights
COARSE_SEED = 2
COARSE_FOLDER = "coarse"  # in the work folder
COARSE_STAGE = "Training the encoder that mines hard negatives"


class _CoarseReport(Report):
    """Shows the steps of the coarse encoder, but not its curves."""

    def __init__(self, outer: Report):
        super().__init__()
        self._outer = outer

    def step(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Show a step, and forward the user's requests.

        Raises:
            Cancelled: the run was asked to stop.
        """
        self.request = self._outer.request
        self._outer.step(COARSE_STAGE, done, total, note)


class ModuleRecipe:
    """See `Recipe`."""

    def __init__(
        self,
        work: TrainingInputs,
        params: TrainEncoder,
        report: Report,
        initial: InitialEncoder | None = None,
    ):
        self.device = work.device
        self._work, self._report, self._initial = work, report, initial
        self.config = make_config(params, work, initial)
        if initial is not None:
            self.config = with_format_of(self.config, initial.config)
        self._vocabulary: Vocabulary | None = None
        if params.units == "pieces":
            self._vocabulary = load_vocabulary(work.vocabulary)
        if initial is not None:
            check_initial(self.config, initial, work.vocabulary)
        self._tokeniser = load_tokeniser(work.vocabulary, self.config)
        objectives = self._make_objectives(params)  # reads the data once
        self._made: tuple[TrainEncoder, tuple[Objective, ...]] | None
        self._made = params, objectives
        self.n_examples = sum(one.n_examples for one in objectives)
        self.n_inference = next(
            (one.n_pairs for one in objectives if isinstance(one, InferenceObjective)),
            (0, 0),
        )
        self.notes = tuple(note for one in objectives for note in one.notes)

    def make(self, params: TrainEncoder) -> ModuleTrainer:
        """Make a trainer; initial weights are drawn from the params' seed."""
        torch.manual_seed(params.seed)
        module = self._make_module()
        made, self._made = self._made, None
        if made is not None and made[0] == params:
            objectives = made[1]
        else:
            objectives = self._make_objectives(params)
        weights = task_weights(objectives, params)
        trained = TrainableModule(module, self._tokeniser, objectives, weights)
        return ModuleTrainer(trained, params, self.device)

    def save(self, out: Path, weights: Mapping[str, Tensor], card: str) -> None:
        """Write the encoder's folder."""
        save_weights(out, self.config, weights, self._work.vocabulary, card)

    def _make_module(self) -> SentenceModule:
        """Build the module, with the weights of the initial encoder if there is one."""
        module = build_module(self.config)
        if self._initial is not None:
            module.load_state_dict(self._initial.module.state_dict())
        attach_base(module, self._work.vocabulary, self.config)
        return module.to(self.device)

    def _make_objectives(self, params: TrainEncoder) -> tuple[Objective, ...]:
        torch.manual_seed(params.seed + HEADS_SEED)
        return make_objectives(self._make_context(params), self._report)

    def _make_context(self, params: TrainEncoder) -> ObjectiveContext:
        targets = match_codes(params.target_languages, self._work.languages)
        return ObjectiveContext(
            params=msgspec.structs.replace(params, target_languages=targets),
            files=self._work.files,
            tokeniser=self._tokeniser,
            vocabulary=self._vocabulary,
            dim=self.config.dim,
            folder=self._work.folder,
            project_folder=self._work.project_folder,
            device=self.device,
            kept_out=self._work.kept_out,
            train_coarse=partial(self._train_coarse, params),
        )

    def _train_coarse(self, params: TrainEncoder, report: Report) -> NeuralEncoder:
        """Train an encoder of these sizes by translation ranking alone.

        Chidambaram et al. 2019, section 3.2: hard negatives come from a model that was
        trained with translation pairs only. It has separate checkpoints.
        """
        coarse = msgspec.structs.replace(
            params,
            objectives=("ranking",),
            n_hard_negatives=0,
            n_steps=params.n_coarse_steps,
            n_development=0,
        )
        torch.manual_seed(params.seed + COARSE_SEED)
        module = self._make_module()
        objectives = make_objectives(self._make_context(coarse), report)
        weights = task_weights(objectives, coarse)
        trained = TrainableModule(module, self._tokeniser, objectives, weights)
        trainer = ModuleTrainer(trained, coarse, self.device)
        folder = self._work.folder / COARSE_FOLDER
        folder.mkdir(exist_ok=True)
        TrainingLoop(trainer, coarse, folder, _CoarseReport(report)).run()
        return trainer.encoder()


def match_codes(wanted: Sequence[str], there: Sequence[str]) -> tuple[str, ...]:
    """Return codes in the form used by the data: eng in files, en in corpora.

    A code that does not occur in the data is returned unchanged.
    """
    known = {_stored_code(code): code for code in reversed(there)}
    return tuple(
        dict.fromkeys(
            code if code in there else known.get(_stored_code(code), code)
            for code in wanted
        )
    )


def _stored_code(code: str) -> str:
    try:
        return parse_language(code).code
    except UserError:
        return code
