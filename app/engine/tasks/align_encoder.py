"""Task: add a language to an encoder by matching its vectors of English sentences."""

import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from app.engine.encoders.combined.encoder import language_folder, save_combined
from app.engine.encoders.combined.language_router import LanguageRouter, make_profile
from app.engine.encoders.configs import CombinedConfig
from app.engine.encoders.folder import folder_bytes
from app.engine.encoders.registry import load_encoder
from app.engine.project.runs import versions
from app.engine.runtime.devices import preferred_device
from app.engine.runtime.report import Report
from app.engine.text.line_files import read_pairs
from app.engine.training.alignment.development import ACCURACY, LOSS
from app.engine.training.alignment.preparation import (
    PreparedAlignment,
    make_config,
    make_vocabulary,
    prepare_alignment,
)
from app.engine.training.card import table_text
from app.engine.training.development import METRIC
from app.engine.training.preparation import SAVING_FILE, remove_folder_on_user_error
from app.engine.training.record import make_command
from app.errors import UserError
from app.languages import language_name, parse_language
from app.number_format import format_percent
from app.params.encoders import AlignEncoder
from app.results.alignment import (
    CURVE_FILE,
    AlignmentCurve,
    AlignmentPoint,
    read_curve,
)
from app.results.task import TaskResult

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.project.project import Project
    from app.engine.training.alignment.development import (
        AlignmentDevelopment,
        ZeroShotTest,
    )
    from app.engine.training.alignment.losses import LossSettings
    from app.engine.training.batch_fitting import FittedRun
    from app.engine.training.development import Tick
    from app.engine.training.loop import TrainingResult
    from app.engine.training.trainers.trainer import Trainer

ROUTING_STAGE = "Learning to distinguish the languages"
MAX_ROUTED = 2_000  # pairs on which the choice of the encoder is measured


class AlignEncoderResult(TaskResult, frozen=True):
    """The encoder with the added language.

    Attributes:
        language: code of the added language.
        languages: codes of all added languages.
        n_pairs: training pairs.
        n_steps, kept_step: number of steps, and the step whose weights were saved.
        resumed_at_step: step at which this run resumed; 0: it started from the
            beginning.
        development_loss: alignment loss on held-out pairs; None: too few pairs.
        development_error: retrieval error against the English vectors, 0…1.
        error_before: the same error of the English encoder, 0…1; None: it does not know
            the language, or there are too few pairs.
        accuracy: zero-shot accuracy in the new language, 0…1; None: not measured.
        english_accuracy: accuracy of the same classifier on English pairs, 0…1.
        routed_other, routed_english: share of each side's sentences that are routed to
            the encoder of their language, 0…1.
        curve: measurements during the training.
        notes: sentences for the user.
    """

    name: str
    folder: Path
    language: str
    languages: tuple[str, ...]
    architecture: str
    n_pairs: int
    n_steps: int
    kept_step: int
    resumed_at_step: int
    development_loss: float | None
    development_error: float | None
    error_before: float | None
    accuracy: float | None
    english_accuracy: float | None
    routed_other: float
    routed_english: float
    size_bytes: int
    elapsed_s: float
    device: str
    curve: tuple[AlignmentPoint, ...]
    notes: tuple[str, ...]


def align_encoder(
    project: "Project | None", params: AlignEncoder, report: Report
) -> AlignEncoderResult:
    """Train an encoder of another language to match a frozen English encoder.

    The result is a combined encoder: the unchanged English encoder and the new
    language. If a run with the same settings was stopped, continue from its checkpoint.

    Raises:
        UserError: the pairs or the language do not fit, or the encoder exists.
        Paused: the user paused the run; the same command resumes it.
    """
    begun = time.monotonic()
    prepared = prepare_alignment(project, params, report)
    device = preferred_device()
    with remove_folder_on_user_error(prepared.folder):
        english = load_encoder(str(prepared.base.folder), device=device)
        training = _Training(prepared, params, english, device, report)
        fitted = training.run(report)
    result = _save(prepared, params, training, fitted, report)
    for old in prepared.out.parent.glob(f".{prepared.out.name}.training-*"):
        shutil.rmtree(old, ignore_errors=True)
    report.changed("encoder", 0)
    elapsed_s = fitted.trained.total_seconds(begun)
    return msgspec.structs.replace(result, elapsed_s=elapsed_s)


class _Training:
    """State shared by the steps of an alignment.

    Attributes:
        recipe: trains and saves the encoder.
        english_accuracy: accuracy of the English classifier; None: there is none.
        curve_file: measurements so far.
    """

    def __init__(
        self,
        prepared: PreparedAlignment,
        params: AlignEncoder,
        english: "Encoder",
        device: str,
        report: Report,
    ):
        from app.engine.training.alignment.losses import LossSettings
        from app.engine.training.alignment.recipe import (
            AlignmentInputs,
            AlignmentRecipe,
        )

        english.encode([])  # raises at once if there are only imported vectors
        self.curve_file = prepared.folder / CURVE_FILE
        self._prepared = prepared
        loss = LossSettings(params.loss, params.negatives, params.margin)
        vocabulary = make_vocabulary(prepared, params, report)
        self.recipe = AlignmentRecipe(
            make_config(prepared, params, vocabulary),
            loss,
            english,
            AlignmentInputs(prepared.file, vocabulary, prepared.folder, device),
            report,
        )
        zero_shot = _make_zero_shot(params, english, report)
        self.english_accuracy = (
            None if zero_shot is None else zero_shot.english_accuracy
        )
        self._development = _make_development(
            prepared, english, loss, zero_shot, report
        )
        self._english = english

    def measure_before(self, report: Report) -> float | None:
        """Return the error of the English encoder, if it knows the language."""
        prepared = self._prepared
        if self._development is None or not prepared.is_known:
            return None
        return self._development.measure_error(self._english, report)

    def run(self, report: Report) -> "FittedRun":
        """Train, and use smaller batches if the GPU's memory is too small."""
        from app.engine.training.batch_fitting import train_fitting
        from app.engine.training.loop import TrainingLoop
        from app.engine.training.trainers.precision import repeatable
        from app.params.training.encoder import TrainEncoder

        folder = self._prepared.folder

        def run(
            trainer: "Trainer", fitting: TrainEncoder, note: str
        ) -> "TrainingResult":
            measured = None
            if self._development is not None:
                measured = _RecordedDevelopment(
                    self._development, self.curve_file, trainer
                )
            loop = TrainingLoop(
                trainer, fitting, folder, report, measured, criterion=LOSS
            )
            return loop.run(note=note)

        with repeatable(self.recipe.device):
            settings = self._prepared.settings
            return train_fitting(self.recipe, settings, folder, report, run)


class _RecordedDevelopment:
    """Writes the measurements at each step to a file; see `Development`."""

    def __init__(
        self, development: "AlignmentDevelopment", file: Path, trainer: "Trainer"
    ):
        self._development, self._file, self._trainer = development, file, trainer

    def measure(self, encoder: "Encoder", tick: "Tick") -> dict[str, float]:
        """Measure and add a point; replace the point of a repeated step."""
        values = self._development.measure(encoder, tick)
        step = self._trainer.step
        point = AlignmentPoint(step, values[LOSS], values[METRIC], values.get(ACCURACY))
        before = read_curve(self._file.parent)
        points = () if before is None else before.points
        kept = tuple(one for one in points if one.step < step)
        write_curve(self._file, AlignmentCurve(0, None, (*kept, point)))
        return values


def write_curve(file: Path, curve: AlignmentCurve) -> None:
    """Write a curve under a temporary name and rename it."""
    part = file.with_suffix(".part")
    part.write_bytes(msgspec.json.format(msgspec.json.encode(curve)))
    part.replace(file)


def _make_zero_shot(
    params: AlignEncoder, english: "Encoder", report: Report
) -> "ZeroShotTest | None":
    """Train the English classifier, if there are labelled pairs."""
    from app.engine.training.alignment.development import (
        ZeroShotTest,
        read_labelled_pairs,
    )

    if not params.nli and params.nli_test is None:
        return None
    if not params.nli or params.nli_test is None:
        raise UserError(
            "Zero-shot accuracy needs two files: labelled English pairs (nli), and "
            "labelled pairs in the new language (nli_test). Choose both, or neither."
        )
    training = read_labelled_pairs(params.nli)
    test = read_labelled_pairs([params.nli_test])
    return ZeroShotTest(english, training, test, report, seed=params.seed)


def _make_development(
    prepared: PreparedAlignment,
    english: "Encoder",
    loss: "LossSettings",
    zero_shot: "ZeroShotTest | None",
    report: Report,
) -> "AlignmentDevelopment | None":
    from app.engine.training.alignment.development import AlignmentDevelopment

    file = prepared.development_file
    if file is None:
        return None
    return AlignmentDevelopment(file, english, loss, report, zero_shot)


def _save(
    prepared: PreparedAlignment,
    params: AlignEncoder,
    training: _Training,
    fitted: "FittedRun",
    report: Report,
) -> AlignEncoderResult:
    """Write the combined encoder's folder."""
    trained, recipe = fitted.trained, training.recipe
    router = _make_router(prepared, report)
    routed_english, routed_other = _measure_routing(prepared, router)
    measured = read_curve(prepared.folder)
    curve = AlignmentCurve(
        trained.kept_step,
        training.english_accuracy,
        () if measured is None else measured.points,
    )
    result = AlignEncoderResult(
        name=prepared.settings.name,
        folder=prepared.out,
        language=prepared.language,
        languages=router.languages,
        architecture=params.architecture,
        n_pairs=recipe.n_examples,
        n_steps=trained.n_steps,
        kept_step=trained.kept_step,
        resumed_at_step=trained.first_step,
        development_loss=trained.measured.get(LOSS),
        development_error=trained.measured.get(METRIC),
        error_before=training.measure_before(report),
        accuracy=trained.measured.get(ACCURACY),
        english_accuracy=training.english_accuracy,
        routed_other=routed_other,
        routed_english=routed_english,
        size_bytes=0,
        elapsed_s=0.0,
        device=recipe.device,
        curve=curve.points,
        notes=tuple(
            filter(None, (*prepared.notes, *recipe.notes, fitted.note, trained.note))
        ),
        message=f"Added {language_name(prepared.language)} to "
        f"{prepared.base.config.name} as {prepared.settings.name}.",
    )
    if change := _describe_change(prepared, result):
        result = msgspec.structs.replace(
            result,
            message=f"{result.message} {change}",
            notes=(change, *result.notes),
        )
    card = _write_card(prepared, params, result)
    part = prepared.folder / "encoder"
    shutil.rmtree(part, ignore_errors=True)  # left by a run that was killed
    recipe.save(part, trained.weights, card)
    write_curve(part / CURVE_FILE, curve)
    (prepared.folder / SAVING_FILE).touch()
    if not prepared.out.exists():  # else a run was killed after saving
        _write_combined(prepared, router, part, card)
    return msgspec.structs.replace(result, size_bytes=folder_bytes(prepared.out))


def _describe_change(prepared: PreparedAlignment, result: AlignEncoderResult) -> str:
    """Compare errors in a language that the encoder already knew; empty: unknown."""
    before, after = result.error_before, result.development_error
    if before is None or after is None:
        return ""
    language, base = language_name(prepared.language), prepared.base.config.name
    words = (
        f"Retrieval error in {language} on held-out pairs: {format_percent(after, 1)}, "
        f"before {format_percent(before, 1)}."
    )
    return f"{words} {base} is better for {language}." if before < after else words


def _write_combined(
    prepared: PreparedAlignment, router: LanguageRouter, part: Path, card: str
) -> None:
    base = prepared.base
    added = {code: language_folder(base.combined or part, code) for code in base.added}
    known = base.config.languages or ("en",)
    codes = {parse_language(code).code for code in known}
    new = [one for one in router.languages if parse_language(one).code not in codes]
    names = ", ".join(map(language_name, router.languages))
    config = CombinedConfig(
        name=prepared.settings.name,
        description=f"{base.config.name} with {names} added.",
        dim=base.config.dim,
        precision=base.config.precision,
        languages=(*known, *new),
        licence=base.config.licence,
        added=router.languages,
    )
    save_combined(
        prepared.out,
        config,
        router,
        base=base.folder,
        added={**added, prepared.language: part},
        card=card,
    )


def _make_router(prepared: PreparedAlignment, report: Report) -> LanguageRouter:
    """Learn the letters of English and of the added language from the pairs."""
    from app.engine.encoders.combined.encoder import is_multilingual

    report.step(ROUTING_STAGE, 0, 0)
    english, others = zip(*read_pairs(prepared.file), strict=True)
    profile = make_profile(others)
    before, config = prepared.base.router, prepared.base.config
    return LanguageRouter(
        make_profile(english) if before is None else before.base,
        {**({} if before is None else before.added), prepared.language: profile},
        is_base_multilingual=is_multilingual(config),
    )


def _measure_routing(
    prepared: PreparedAlignment, router: LanguageRouter
) -> tuple[float, float]:
    """Return the shares of English and other sentences routed to their encoder."""
    file = prepared.development_file or prepared.file
    pairs = list(read_pairs(file))[:MAX_ROUTED]
    english, others = zip(*pairs, strict=True)
    to_base = float((router.route(english) == -1).mean())
    own = router.languages.index(prepared.language)
    return to_base, float((router.route(others) == own).mean())


def _write_card(
    prepared: PreparedAlignment, params: AlignEncoder, result: AlignEncoderResult
) -> str:
    """Write the model card: the encoders, the data, and how to reproduce the result."""
    kinds = {"cbow": "the mean of learned vectors", "bilstm": "a BiLSTM"}
    losses = {
        "align": f"the alignment loss with λ = {params.negatives:g}",
        "rank": f"the ranking loss with margin {params.margin:g} (a control)",
    }
    base, language = prepared.base.config.name, language_name(prepared.language)
    measured = [
        ("alignment loss on held-out pairs", result.development_loss),
        ("retrieval error on held-out pairs", result.development_error),
        (f"retrieval error of {base} on these pairs", result.error_before),
        ("zero-shot accuracy", result.accuracy),
        ("accuracy of the classifier in English", result.english_accuracy),
        (f"share of {language} sentences that its encoder reads", result.routed_other),
        ("share of English sentences that the base reads", result.routed_english),
    ]
    rows = [(name, f"{value:.4f}") for name, value in measured if value is not None]
    shown = params
    if Path(params.english).name != params.english:  # no path of this machine
        shown = msgspec.structs.replace(params, english=Path(params.english).name)
    sections = [
        f"# {result.name}",
        f"{base}, unchanged, with {language} added: {kinds[params.architecture]} was "
        f"trained on {result.n_pairs:,} translations of English sentences to return "
        f"the vectors that {base} has of the English sentences, by "
        f"{losses[params.loss]}. A text is read by the encoder of its language, which "
        "is recognised by its letters.",
        "\n".join(f"- {note}" for note in result.notes),
        "## Measured",
        table_text(("", "value"), rows),
        "## Data",
        table_text(
            ("file", "SHA-256"), [(n, f"`{h}`") for n, h in prepared.hashes.items()]
        ),
        "## Reproduce",
        f"```\n{make_command(shown)}\n```",
        table_text(("", "value"), [*versions().items(), ("device", result.device)]),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"
