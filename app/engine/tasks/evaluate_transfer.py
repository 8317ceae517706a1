"""Task: train a classifier in one language and test it in others."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import numpy as np

from app.engine.classify.classifier import Classifier
from app.engine.classify.data_checks import report_data
from app.engine.classify.labelled_rows import LabelledRows, read_tests
from app.engine.classify.language_scores import LanguageResult, measure_matrix
from app.engine.classify.measures import (
    LanguageMeans,
    LanguageRows,
    gap_from,
    measure_means,
    rows_of_development,
)
from app.engine.classify.overlap import (
    exclude_translations,
    find_shared_rows,
    row_hashes,
)
from app.engine.classify.repository import check_name, save_to_project
from app.engine.classify.training import EncodedRows
from app.engine.classify.transfer import (
    LanguageEvaluation,
    TrainedClassifier,
    make_classifier,
    measure_test,
    read_training,
)
from app.engine.encoders.registry import trained_languages
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.classifiers import TransferRow, write_transfer
from app.engine.text.writers.output import OutputFiles
from app.errors import UserError
from app.languages import (
    find_untrained,
    language_name,
    language_of_set,
    parse_language,
)
from app.number_format import format_percent, format_score
from app.params import params_to_json
from app.params.classify import EvaluateTransfer, HeadSettings, TrainClassifier
from app.plurals import count_text
from app.results.annotations import name_classifier
from app.results.transfer import (
    EvaluateTransferResult,
    LanguageDetails,
    PairScore,
    Score,
    TrainingFacts,
)


def evaluate_transfer(
    project: Project | None, params: EvaluateTransfer, report: Report
) -> EvaluateTransferResult[Score]:
    """Train a classifier on one language and test it on others.

    Raises:
        UserError: a file or corpus is invalid, labels would be confused, or the
            classifier was trained for another encoder.
    """
    if params.out is not None:
        _check_out(params.out)
    if params.keep_as:
        _check_kept(project, params)
    tests = read_tests(project, params.tests)
    rows = read_training(project, params)
    if params.apart and rows is not None:
        rows, tests = exclude_translations(project, rows, tests)
    trained = make_classifier(project, params, rows, tests, report)
    # Leakage notes come first: the window shows the first note, and leakage matters
    # most.
    leakage: list[str] = []
    warnings = list(_notes_on_encoder(project, params, trained, tests))
    data: dict[str, EncodedRows] = {}
    found: dict[str, LanguageEvaluation] = {}
    home = parse_language(trained.classifier.config.language).code
    for done, (name, rows) in enumerate(tests.items()):
        report.step("Testing languages", done, len(tests), name)
        vectors = trained.vectors_of(rows, name)
        found[name] = measure_test(name, EncodedRows(rows, vectors), trained, params)
        is_home = language_of_set(name) == home
        leakage += _leakage_notes(name, found[name], is_home=is_home)
        warnings += _notes_of(name, found[name])
        if params.matrix:
            data[name] = EncodedRows(rows, vectors)
    matrix = measure_matrix(trained.classifier, data, params) if params.matrix else {}
    details = [one.measured for one in found.values() if one.measured]
    _save_details(project, params, details, tests, report)
    if params.keep_as and project is not None:
        _keep(project, trained, params, report)
    means, note = _means_of(found, tests, trained, seed=params.seed)
    gap, others = means.gap, means.others
    return EvaluateTransferResult(
        languages={name: one.score for name, one in found.items()},
        mean_gap=gap.value if gap else None,
        mean_gap_interval=(gap.low, gap.high) if gap else None,
        others_mean=others.value if others else None,
        others_mean_interval=(others.low, others.high) if others else None,
        training=_facts(trained.classifier),
        matrix=matrix,
        notes=(
            *(*leakage, *warnings),
            *(*_notes_on(trained.rows, tests), *trained.notes, *note),
        ),
        message=_describe(params, found, trained, means),
    )


def _describe(
    params: EvaluateTransfer,
    found: dict[str, LanguageEvaluation],
    trained: TrainedClassifier,
    means: LanguageMeans,
) -> str:
    """Describe the scores in the training language and in the other languages."""
    classifier = trained.classifier
    home = parse_language(classifier.config.language).code

    def write(value: float) -> str:
        is_score = classifier.gives_scores
        return f"r = {format_score(value, 2)}" if is_score else format_percent(value, 1)

    others = [name for name in found if language_of_set(name) != home]
    singly = [name for name in found if name not in others or len(others) == 1]
    parts = [
        f"{language_name(name)} "
        + write(one.pearson if isinstance(one, PairScore) else one.accuracy)
        for name, one in ((name, found[name].score) for name in singly)
    ]
    if len(others) > 1 and means.others is not None:
        mean = write(means.others.value)
        parts.append(f"mean of {len(others)} other languages {mean}")
    source = trained.rows.source if trained.rows else params.train
    name = params.classifier or params.keep_as or source
    head = name_classifier(classifier.config.head)
    return f"Tested {name} ({head}): {', '.join(parts)}."


def _means_of(
    found: dict[str, LanguageEvaluation],
    tests: dict[str, LabelledRows],
    trained: TrainedClassifier,
    *,
    seed: int,
) -> tuple[LanguageMeans, list[str]]:
    """Return the mean over the other languages and its gap to the training language."""
    config = trained.classifier.config
    home = parse_language(config.language).code
    shared = find_shared_rows(tests, trained.project.store if trained.project else None)
    rows = [
        LanguageRows(language_of_set(name) == home, shared[name], one.sums)
        for name, one in found.items()
    ]
    if any(one.is_home for one in rows) or not config.n_development:
        return measure_means(rows, seed=seed), []
    note = (
        f"No test is in the training language ({language_name(config.language)}): the "
        "gap is measured against its development set."
    )
    if not trained.classifier.gives_scores:
        rows.append(rows_of_development(config.development, config.n_development))
        return measure_means(rows, seed=seed), [note]
    means = measure_means(rows, seed=seed)
    return means._replace(gap=gap_from(config.development, means.others)), [note]


def _notes_on(
    train: LabelledRows | None, tests: dict[str, LabelledRows]
) -> Iterator[str]:
    """Describe rows that were excluded."""
    for rows in ([train] if train else []) + list(tests.values()):
        parts = [
            f"{count_text(n, 'row')} without {what}"
            for n, what in ((rows.n_unlabelled, "a label"), (rows.n_empty, "a text"))
            if n
        ]
        if parts:
            yield f"{rows.source}: {' and '.join(parts)} were excluded."
        if rows.note:
            yield rows.note


def _notes_on_encoder(
    project: Project | None,
    params: EvaluateTransfer,
    trained: TrainedClassifier,
    tests: Iterable[str],
) -> Iterator[str]:
    """Warn about languages that the encoder was not trained on."""
    encoder = trained.encoder.name
    name = encoder if params.classifier else params.encoder
    languages = trained_languages(name, project.folder if project else None)
    used = [trained.classifier.config.language, *map(language_of_set, tests)]
    if untrained := find_untrained(used, languages):
        names = ", ".join(map(language_name, untrained))
        yield f"{encoder} was not trained on {names}, which can lower the scores."


def _notes_of(name: str, tested: LanguageEvaluation) -> Iterator[str]:
    """Warn about cross-validation and unknown labels."""
    if tested.note:
        yield tested.note
    if tested.measured is None:
        return
    details = tested.measured.details
    for label, n in tested.measured.unseen.items():
        yield (
            f"{name}: {n:,} of {details.score.n:,} rows {_pick(n, 'has', 'have')} the "
            f"label {label!r}, which no training row has. "
            f"{_pick(n, 'It counts', 'They count')} as wrong."
        )


def _leakage_notes(
    name: str, tested: LanguageEvaluation, *, is_home: bool
) -> Iterator[str]:
    """Warn about test rows that are training rows or translations of training rows.

    Args:
        is_home: the test is in the training language, so no row is a translation.
    """
    if tested.measured is None:
        return
    details = tested.measured.details
    n = details.score.n
    if details.n_duplicates:
        yield (
            f"{name}: {details.n_duplicates:,} of {n:,} rows "
            f"{_pick(details.n_duplicates, 'is', 'are')} also in the training set, "
            "which inflates the scores."
        )
    n_alike = details.n_translations
    alike = f"{_pick(n_alike, 'looks like a translation', 'look like translations')} of"
    if is_home:
        alike = f"{_pick(n_alike, 'is', 'are')} very similar to"
    if n_alike:
        yield (
            f"{name}: {n_alike:,} of {n:,} rows {alike} training rows, "
            "which may inflate the scores."
        )


def _pick(n: int, one: str, many: str) -> str:
    """Return the verb form for a number of rows."""
    return one if n == 1 else many


def _save_details(
    project: Project | None,
    params: EvaluateTransfer,
    measured: list[LanguageResult],
    tests: dict[str, LabelledRows],
    report: Report,
) -> None:
    """Save the details in the project and in the output file, if any."""
    if params.out is not None:
        _write_details(params.out, [one.details for one in measured])
    if project is None or project.is_read_only or report.run is None:
        return
    rows = [
        TransferRow(
            one.details,
            one.predicted,
            one.gold,
            row_hashes(tests[one.details.name]).view(np.int64),
        )
        for one in measured
    ]
    write_transfer(project.store, report.run, rows)
    report.changed("transfer", report.run)


def _check_kept(project: Project | None, params: EvaluateTransfer) -> None:
    """Check before any work that the classifier can be saved."""
    if project is None:
        raise UserError("A classifier is kept in a project. Name the project.")
    if project.is_read_only:
        raise UserError(
            f"{project.folder.name} is open for reading only, so the classifier can't "
            "be kept."
        )
    if params.classifier:
        raise UserError(f"{params.classifier} is in the project already.")
    check_name(project, params.keep_as)


def _keep(
    project: Project,
    trained: TrainedClassifier,
    params: EvaluateTransfer,
    report: Report,
) -> None:
    """Save the classifier in the project, as train-classifier does."""
    assert trained.train is not None, "it was trained now"
    head = {name: getattr(params, name) for name in HeadSettings.__struct_fields__}
    settings = TrainClassifier(
        name=params.keep_as,
        train=(params.train,),
        development=params.development,
        language=params.language,
        **head,
    )
    config = msgspec.structs.replace(
        trained.classifier.config,
        name=params.keep_as,
        settings=json.loads(params_to_json(settings)),
        corpora=(trained.train.rows.source,),
    )
    is_scored = trained.classifier.gives_scores
    data = report_data(trained.train, {}, is_scored=is_scored, store=project.store)
    save_to_project(project, trained.classifier._replace(config=config), data, report)


def _write_details(file: Path, details: list[LanguageDetails]) -> None:
    """Write all details as JSON; leave no file if writing is interrupted."""
    with OutputFiles(replace=True) as files:
        stream = files.open(file)
        stream.write(msgspec.json.format(msgspec.json.encode(details), indent=1))
        files.commit()


def _check_out(file: Path) -> None:
    if not file.parent.is_dir():
        raise UserError(f"The folder {file.parent} does not exist. Create it first.")
    if file.is_dir():
        raise UserError(f"{file} is a folder. Name a file in it.")


def _facts(classifier: Classifier) -> TrainingFacts:
    config = classifier.config
    names = TrainingFacts.__struct_fields__
    return TrainingFacts(**{name: getattr(config, name) for name in names})
