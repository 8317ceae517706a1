"""Summarize the result of a job in one sentence."""

from collections.abc import Iterable, Sequence
from functools import partial
from statistics import fmean

import msgspec
from PySide6.QtCore import QCoreApplication

from app.number_format import format_score
from app.params.projection import ProjectMap
from app.results.jobs import (
    ImportedCorpora,
    ImportedCorpus,
    JobMessage,
    MiningScore,
    TrainedEncoder,
)
from app.views.client.runs import RunState
from app.views.widgets.number_format import format_count, format_error_rate, pluralize

_tr = partial(QCoreApplication.translate, "outcomes")

N_NAMED = 3  # largest number of corpora named in a sentence


def name_job(task: str) -> str:
    """Return the name of a job, such as "The import", or its task."""
    names = {
        **_name_corpus_job(),
        **_name_encoder_job(),
        **_name_pair_job(),
        **_name_classify_job(),
        **_name_evaluation_job(),
        **_name_word_vector_job(),
    }
    return names.get(task) or _tr("The job {task}").format(task=task)


def title_job(task: str) -> str:
    """Return the name of a job as a title, such as "Import"."""
    name = name_job(task).removeprefix(_tr("The "))
    return f"{name[:1].upper()}{name[1:]}"


def describe_result(task: str, result: object) -> str:
    """Describe what a job did, such as "Hafenbriefe: 7 sentences imported."."""
    words = ""
    if task == "import-corpus":
        words = describe_imports([msgspec.convert(result, ImportedCorpora).corpora])
    elif task in ("train-encoder", "fine-tune-encoder"):
        words = _describe_training(msgspec.convert(result, TrainedEncoder))
    elif task == "evaluate-mining":
        words = _describe_mining(msgspec.convert(result, MiningScore))
    words = words or msgspec.convert(result, JobMessage).message
    return words or _tr("{job} is done.").format(job=name_job(task))


def find_previewed(params: ProjectMap, runs: Iterable[RunState]) -> ProjectMap | None:
    """Return the running map job whose quick preview was shown, or None."""
    for one in (run.params for run in runs):
        if isinstance(one, ProjectMap) and one.method != params.method == "pca":
            quick = msgspec.structs.replace(one, method="pca", name=params.name)
            if quick == params:
                return one
    return None


def describe_preview(name: str) -> str:
    """Describe the quick preview of a map with this name."""
    words = _tr(
        "Map {name}: a quick preview is shown first. The final map replaces it when "
        "its computation is done."
    )
    return words.format(name=name)


def _name_corpus_job() -> dict[str, str]:
    """Return the name of a job on corpora and their words."""
    return {
        "import-corpus": _tr("The import"),
        "describe-documents": _tr("The description of documents"),
        "make-subcorpus": _tr("The sub-corpus"),
        "save-copy": _tr("The copy of the project"),
        "copy-clean": _tr("The copy of the data"),
        "search": _tr("The search"),
        "index-words": _tr("The index of words"),
        "concordance": _tr("The concordance"),
        "move-hits": _tr("The update of saved hits"),
        "frequencies": _tr("The list of frequencies"),
        "collocates": _tr("The list of collocates"),
        "keyness": _tr("The comparison of words"),
        "equivalents": _tr("The list of equivalents"),
        "import-dictionary": _tr("The import of a dictionary"),
        "export-word-alignments": _tr("The export of word alignments"),
        "find-duplicates": _tr("The search for duplicates"),
        "find-leakage": _tr("The leakage check"),
        "check-corpus": _tr("The check of corpora"),
    }


def _name_encoder_job() -> dict[str, str]:
    """Return the name of a job on encoders and vectors."""
    return {
        "encode": _tr("The encoding"),
        "add-encoder": _tr("The addition of an encoder"),
        "align-encoder": _tr("The addition of a language"),
        "export-encoder": _tr("The export of an encoder"),
        "train-vocabulary": _tr("The training of a vocabulary"),
        "train-encoder": _tr("The training of an encoder"),
        "train-grid": _tr("The comparison of settings"),
        "fine-tune-encoder": _tr("The fine-tuning of an encoder"),
        "plan-training": _tr("The plan of a training"),
        "measure-coverage": _tr("The measurement of coverage"),
        "train-translation": _tr("The training of a translation model"),
        "plan-translation": _tr("The plan of a translation training"),
        "train-translation-grid": _tr("The comparison of translation models"),
        "translate": _tr("The translation"),
        "compare-encoders": _tr("The comparison of encoders"),
        "import-vectors": _tr("The import of vectors"),
        "export-vectors": _tr("The export of vectors"),
        "look-inside": _tr("The attribution"),
        "project-map": _tr("The map"),
    }


def _name_word_vector_job() -> dict[str, str]:
    """Return the name of a job on word vectors and dictionaries."""
    return {
        "train-word-vectors": _tr("The training of word vectors"),
        "import-word-vectors": _tr("The import of word vectors"),
        "map-languages": _tr("The computation of bilingual vectors"),
        "evaluate-word-translation": _tr("The evaluation of word translation"),
        "evaluate-mapped-sentences": _tr("The evaluation of sentence translation"),
        "evaluate-word-similarity": _tr("The evaluation of word similarity"),
        "nearest-words": _tr("The search for nearest words"),
        "translate-word": _tr("The translation of a word"),
        "learn-dictionary": _tr("The dictionary"),
    }


def _name_pair_job() -> dict[str, str]:
    """Return the name of a job on pairs and their judgements."""
    return {
        "align-documents": _tr("The alignment"),
        "mine-pairs": _tr("The mining"),
        "score-pairs": _tr("The scoring of pairs"),
        "export-pairs": _tr("The export of pairs"),
        "export-package": _tr("The package"),
        "open-package": _tr("The import of a package"),
        "return-package": _tr("The return of a package"),
        "merge-package": _tr("The merge of a package"),
    }


def _name_classify_job() -> dict[str, str]:
    """Return the name of a job on labels and classifiers."""
    return {
        "train-classifier": _tr("The training of a classifier"),
        "classify": _tr("The classification"),
        "export-classifier": _tr("The export of a classifier"),
        "import-classifier": _tr("The import of a classifier"),
        "check-labels": _tr("The check of labels"),
        "export-predictions": _tr("The export of predictions"),
        "export-transfer": _tr("The export of a transfer test"),
    }


def _name_evaluation_job() -> dict[str, str]:
    """Return the name of an evaluation or of a job on its results."""
    return {
        "evaluate-retrieval": _tr("The evaluation of retrieval"),
        "evaluate-sts": _tr("The evaluation of similarity"),
        "evaluate-similarity-of-spaces": _tr("The measurement of spaces"),
        "evaluate-downstream": _tr("The downstream suite"),
        "correlate-measurements": _tr("The correlation of measurements"),
        "evaluate-translation": _tr("The evaluation of translation"),
        "evaluate-tatoeba": _tr("The evaluation on Tatoeba"),
        "evaluate-mining": _tr("The evaluation of mining"),
        "evaluate-few-shot": _tr("The few-shot curve"),
        "evaluate-transfer": _tr("The test of a classifier"),
        "probe": _tr("The probing"),
        "make-probing-sets": _tr("The creation of probing sets"),
        "make-report": _tr("The report"),
    }


def _describe_training(trained: TrainedEncoder) -> str:
    """Describe the error; for fine-tuning, both errors and the warning."""
    own = [change for change in trained.changes if not change.is_other]
    if own:
        words = _tr(
            "{name} is trained: retrieval error {before} before, {after} after on "
            "the development pairs."
        ).format(
            name=trained.name,
            before=format_error_rate(fmean(change.before for change in own)),
            after=format_error_rate(fmean(change.after for change in own)),
        )
        return " ".join(filter(None, (words, trained.warning)))
    if trained.development_error is None:
        return ""
    words = _tr("{name} is trained: retrieval error {error} on the development pairs.")
    error = format_error_rate(trained.development_error)
    return words.format(name=trained.name, error=error)


def _describe_mining(measured: MiningScore) -> str:
    if measured.f1 is None:
        return ""
    return _tr("F1 is {f1} at the threshold {threshold}.").format(
        f1=format_error_rate(measured.f1), threshold=format_score(measured.threshold)
    )


def describe_imports(imports: Sequence[Sequence[ImportedCorpus]]) -> str:
    """Describe the corpora of one or more imports in one sentence."""
    corpora = [corpus for one in imports for corpus in one]
    if not corpora:
        return ""
    names = ", ".join(corpus.name for corpus in corpora[:N_NAMED])
    n_more = len(corpora) - N_NAMED
    if n_more > 0:
        words = _tr("{names} and {n} more")
        names = words.format(names=names, n=format_count(n_more))
    n = sum(corpus.n_sentences for corpus in corpora)
    parts = [pluralize(n, _tr("1 sentence imported"), _tr("{n} sentences imported"))]
    # Both sides of a parallel text are read together, so each report counts all lines.
    reports = [[corpus.report for corpus in one] for one in imports if one]
    n_empty = sum(max(side.n_empty for side in one) for one in reports)
    n_refused = sum(max(side.n_refused for side in one) for one in reports)
    n_repaired = sum(max(side.n_repaired for side in one) for one in reports)
    if n_empty:
        one, many = _tr("1 empty line skipped"), _tr("{n} empty lines skipped")
        parts.append(pluralize(n_empty, one, many))
    if n_refused:
        one, many = _tr("1 line rejected"), _tr("{n} lines rejected")
        parts.append(pluralize(n_refused, one, many))
    if n_repaired:
        parts.append(pluralize(n_repaired, _tr("1 repaired"), _tr("{n} repaired")))
    n_documents = sum(max(side.n_documents for side in one) for one in reports)
    if n_documents > len(reports):
        parts.append(_tr("{n} documents").format(n=format_count(n_documents)))
    return _tr("{names}: {what}.").format(names=names, what=", ".join(parts))
