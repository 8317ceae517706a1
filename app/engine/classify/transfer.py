"""Train on one language and test on others: the steps of the transfer task."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from app.arrays import FloatArray
from app.engine.classify.classifier import Classifier, ClassifierConfig
from app.engine.classify.cross_validation import cross_probabilities, make_examples
from app.engine.classify.data_checks import (
    InputForm,
    check_development,
    check_set,
    form_of_classifier,
    form_of_training,
)
from app.engine.classify.features import raw_vectors_of, vectors_of
from app.engine.classify.labelled_rows import LabelledRows, read_labelled
from app.engine.classify.language_scores import (
    LanguageResult,
    TrainingSet,
    check_matrix,
    measure_language,
    measure_scores,
)
from app.engine.classify.measures import Sums, sums_of_classes, sums_of_scores
from app.engine.classify.repository import (
    load_classifier_encoder,
    load_project_classifier,
    training_rows,
)
from app.engine.classify.training import (
    EncodedRows,
    check_training,
    gather_data,
    train_classifier_on,
)
from app.engine.encoders.registry import load_encoder
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.errors import UserError
from app.languages import language_name, parse_language
from app.params import build_params
from app.params.classify import EvaluateTransfer, HeadSettings, TrainClassifier
from app.results.transfer import Score

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder


class LanguageEvaluation(NamedTuple):
    """Result of one test: score, details for classes, and the method.

    Attributes:
        sums: sums of each row (see `measures.LanguageRows`).
    """

    score: Score
    measured: LanguageResult | None
    sums: Sums
    note: str = ""


class TrainedClassifier(NamedTuple):
    """A classifier with its encoder and training rows."""

    classifier: Classifier
    rows: LabelledRows | None
    train: EncodedRows | None
    encoder: "Encoder"
    project: Project | None
    documents: bool
    report: Report
    notes: tuple[str, ...] = ()

    @property
    def trained_on(self) -> TrainingSet | None:
        """Return the training rows, if available."""
        if self.train is None:
            return None
        return TrainingSet(self.train, self.project.store if self.project else None)

    def vectors_of(self, rows: LabelledRows, language: str) -> tuple[FloatArray, ...]:
        """Return the vectors of a test's rows."""
        named = parse_language(language)
        rows = rows._replace(file_language=named.code if named.known else "")
        if not self.classifier.config.normalised:
            return raw_vectors_of(self.project, self.encoder, rows, self.report)
        return vectors_of(
            self.project,
            self.encoder,
            rows,
            self.report,
            document_language=named.code if self.documents else "",
        )


def read_training(
    project: Project | None, params: EvaluateTransfer
) -> LabelledRows | None:
    """Read the training rows; None if a trained classifier is specified."""
    if bool(params.train) == bool(params.classifier):
        raise UserError("Name either the rows to train on, or a trained classifier.")
    return read_labelled(project, params.train) if params.train else None


def check_transfer(
    rows: LabelledRows, others: Iterable[LabelledRows], params: EvaluateTransfer
) -> InputForm:
    """Check training rows and rows of other sets, and return their common form.

    Raises:
        UserError: rows of a set are unsuitable.
    """
    form = form_of_training(rows, check_training(rows, params), params)
    for one in others:
        check_set(one, form)
    return form


def make_classifier(
    project: Project | None,
    params: EvaluateTransfer,
    rows: LabelledRows | None,
    tests: Mapping[str, LabelledRows],
    report: Report,
) -> TrainedClassifier:
    """Train the classifier, or load the specified one.

    Raises:
        UserError: training or test rows are unsuitable; raised before any work.
    """
    if rows is None:
        return _loaded(project, params, tests, report)
    other = read_labelled(project, params.development) if params.development else None
    form = check_transfer(rows, ([other] if other else []) + [*tests.values()], params)
    if params.matrix:
        check_matrix(tests, gives_scores=not form.classes)
    encoder = load_encoder(params.encoder, project.folder if project else None)
    language = parse_language(params.language).code if params.documents else ""
    code = parse_language(params.language).code
    sets = [
        gather_data(
            project,
            encoder,
            [one._replace(file_language=code)],
            report,
            document_language=language,
        )
        for one in (rows, other)
        if one is not None
    ]
    made = train_classifier_on(
        sets[0], sets[1] if other else None, encoder, params, report
    )
    config = msgspec.structs.replace(made.config, language=params.language)
    return TrainedClassifier(
        made._replace(config=config),
        rows,
        sets[0],
        encoder,
        project,
        params.documents,
        report,
        tuple(check_development(other, form, rows, tests)) if other else (),
    )


def _loaded(
    project: Project | None,
    params: EvaluateTransfer,
    tests: Mapping[str, LabelledRows],
    report: Report,
) -> TrainedClassifier:
    if project is None:
        raise UserError("A trained classifier is part of a project. Open that project.")
    classifier = load_project_classifier(project, params.classifier)
    form = form_of_classifier(classifier.config, params.similar_labels)
    for one in tests.values():
        check_set(one, form)
    if params.matrix:
        check_matrix(tests, gives_scores=classifier.gives_scores)
    encoder = load_classifier_encoder(project, classifier, params.encoder)
    parts = training_rows(project, classifier)
    documents = params.documents or classifier.is_of_documents
    language = parse_language(classifier.config.language).code if documents else ""
    train = (
        gather_data(project, encoder, parts, report, document_language=language)
        if parts
        else None
    )
    rows = train.rows if train else None
    return TrainedClassifier(
        classifier, rows, train, encoder, project, documents, report
    )


def measure_test(
    name: str, test: EncodedRows, trained: TrainedClassifier, params: EvaluateTransfer
) -> LanguageEvaluation:
    """Test on the rows of one language; on the training set by cross-validation."""
    if trained.classifier.gives_scores:
        found = measure_scores(trained.classifier, test, seed=params.seed)
        return LanguageEvaluation(
            found.score, None, sums_of_scores(found.gold, found.found)
        )
    crossed = _cross_validate(test, trained, params)
    measured = measure_language(
        name,
        trained.classifier,
        test,
        None if crossed is not None else trained.trained_on,
        settings=params,
        probabilities=crossed,
    )
    language = language_name(name)
    note = f"{language} is the training set: it was tested by cross-validation."
    sums = sums_of_classes(measured.gold, measured.predicted)
    return LanguageEvaluation(
        measured.details.score, measured, sums, note * (crossed is not None)
    )


def _cross_validate(
    test: EncodedRows, trained: TrainedClassifier, params: EvaluateTransfer
) -> FloatArray | None:
    """Cross-validate if the test is the training set itself; else return None."""
    if trained.train is None or not _are_equal(test.rows, trained.train.rows):
        return None
    config = trained.classifier.config
    settings: HeadSettings = params
    if config.settings:
        settings = _settings_of(config)
    if "inverse_l2" in config.notes:  # as selected on all rows
        chosen = config.notes["inverse_l2"]
        settings = msgspec.structs.replace(settings, inverse_l2=chosen)
    examples, _ = make_examples(trained.train, settings)
    return cross_probabilities(examples, settings, trained.report)


def _settings_of(config: ClassifierConfig) -> TrainClassifier:
    """Read a classifier's training settings, which another version may have written."""
    try:
        settings: TrainClassifier = build_params(TrainClassifier, config.settings)
    except msgspec.ValidationError as error:
        raise UserError(
            f"The settings that {config.name} was trained with can't be used "
            f"({error}). Train it again, or test it on other rows."
        ) from error
    return settings


def _are_equal(one: LabelledRows, other: LabelledRows) -> bool:
    """Return whether two sets have the same rows from the same source."""
    return one.source == other.source and np.array_equal(one.places, other.places)
