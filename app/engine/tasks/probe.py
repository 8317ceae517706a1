"""Task: probe encoders on probing sets."""

from collections import Counter
from collections.abc import Iterator, Sequence
from copy import copy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from app.engine.classify.labelled_rows import read_labelled_corpora
from app.engine.encoders.registry import find_encoder, load_encoder
from app.engine.probing.corpus_sets import make_corpus_set
from app.engine.probing.experiment import PreparedSet, ProbeExperiment, classifiers_of
from app.engine.probing.progress import SubtaskReport
from app.engine.probing.results_file import check_results_file, write_results_file
from app.engine.probing.sets import ProbingSet, cut_training, read_probing_set
from app.engine.probing.untrained_encoders import UntrainedEncoders
from app.engine.runtime.devices import preferred_device
from app.engine.runtime.report import Report
from app.engine.store.lookup import find_corpus
from app.engine.store.runs import read_measurements, write_measurements
from app.errors import ResourceError, UserError
from app.number_format import format_percent
from app.params.probing import Probe
from app.plurals import count_text
from app.results.measurements import Probed
from app.results.probing_tasks import ProbingAverage, average_by_kind

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.project.project import Project

FEW_TEST_ROWS = 30  # below this, a 95 % interval is up to 36 points wide or wider
N_NAMED = 3  # encoders listed in the message
N_STEPS = 4  # progress steps per file, encoder and classifier


class ProbeResult(msgspec.Struct, frozen=True):
    """Accuracies of probes; rates 0…1.

    Attributes:
        results: a row for each file or corpus, encoder and classifier.
        averages: averages over the surface, syntactic and semantic tasks, and over all.
        notes: a sentence for each file or encoder that could not be probed, and for
            each file with few test rows.
        message: the mean accuracies, in a sentence for the user.
    """

    results: tuple[Probed, ...]
    notes: tuple[str, ...] = ()
    averages: tuple[ProbingAverage, ...] = ()
    message: str = ""


def probe(project: "Project | None", params: Probe, report: Report) -> ProbeResult:
    """Probe every encoder on every file; continue after an invalid file.

    An interrupted run resumes after the last finished file and encoder.

    Raises:
        UserError: an encoder does not exist, or no file and no corpus could be used.
    """
    if not params.data and not params.corpora:
        raise UserError("Choose a probing file or a labelled corpus.")
    if params.out is not None:
        check_results_file(params.out)
    folder = project.folder if project else None
    names = list(dict.fromkeys(params.encoders or ("",)))
    for name in names:
        find_encoder(name, folder)
    device = preferred_device()
    encoders = {name: load_encoder(name, folder, device=device) for name in names}
    if params.heads:
        encoders = _with_heads(encoders)
    _make_names_unique(encoders)
    batch = _Batch(project, params, report, encoders)
    sources: list[Path | str] = [*params.data, *params.corpora]
    for index, source in enumerate(sources):
        batch.probe_set(index, source)
    if not batch.rows:
        raise UserError(" ".join(batch.notes))
    if params.out is not None:
        write_results_file(params.out, batch.rows)
    averages = tuple(average_by_kind(batch.rows))
    return ProbeResult(
        tuple(batch.rows), tuple(batch.notes), averages, describe_accuracies(batch.rows)
    )


def describe_accuracies(rows: Sequence[Probed]) -> str:
    """Describe the mean accuracy of each encoder, and the number of test rows."""
    tests = {row.data: row.n for row in rows}
    what = f"Mean accuracy on {len(tests):,} probing sets"
    if len(tests) == 1:
        what = f"Accuracy on {rows[0].data}"
    named = dict.fromkeys(row.encoder for row in rows)
    figures = []
    for name in named:
        own = [row.accuracy for row in rows if row.encoder == name]
        figures.append(f"{name} {format_percent(sum(own) / len(own), 1)}")
    if len(figures) > N_NAMED:
        figures[N_NAMED:] = [f"and {len(figures) - N_NAMED:,} more"]
    n_rows = count_text(sum(tests.values()), "test row")
    return f"{what} ({n_rows}): {', '.join(figures)}."


class _Batch:
    """State of probing several files and encoders.

    Attributes:
        rows: measurements, including those before an interruption.
        notes: sentences on failures and on files with few test rows.
    """

    def __init__(
        self,
        project: "Project | None",
        params: Probe,
        report: Report,
        encoders: "dict[str, Encoder]",
    ):
        self._project, self._params, self._report = project, params, report
        self._encoders = encoders
        self._names = _distinct_names(params.data)
        folder = project.folder if project else None
        self._twins = UntrainedEncoders(folder, preferred_device())
        self.notes: list[str] = []
        self.rows = [] if project is None else list(_recorded_rows(project, report.run))

    def probe_set(self, index: int, source: Path | str) -> None:
        """Probe all encoders on a file or a corpus; note failures."""
        name = source.name if isinstance(source, Path) else source
        try:
            probing_set = self._read(index, source)
            self.notes += _note_few_tests(probing_set)
            if all(self._is_done(probing_set, one) for one in self._encoders.values()):
                return
            prepared = PreparedSet(
                probing_set, self._params, self._part(index, 0, name)
            )
        except (UserError, ResourceError) as error:
            self.notes.append(str(error))
            return
        for number, (key, encoder) in enumerate(self._encoders.items()):
            if self._is_done(probing_set, encoder):
                continue
            part = self._part(index, number, name)
            twin_of = partial(self._twins.get, key)
            cell = ProbeExperiment(
                self._project, prepared, encoder, twin_of, self._params
            )
            try:
                found = [
                    cell.measure(classifier, part)
                    for classifier in classifiers_of(
                        self._params, probing_set.n_classes
                    )
                ]
            except (UserError, ResourceError) as error:
                self.notes.append(f"{probing_set.name}, {encoder.name}: {error}")
                continue
            self.rows += found
            self._keep()

    def _read(self, index: int, source: Path | str) -> ProbingSet:
        if isinstance(source, Path):
            probing_set = read_probing_set(source)._replace(name=self._names[index])
        else:
            probing_set = _read_corpus(self._project, source)
        if self._params.n_train is None:
            return probing_set
        return cut_training(probing_set, self._params.n_train)

    def _is_done(self, probing_set: ProbingSet, encoder: "Encoder") -> bool:
        return any(
            row.data == probing_set.name and row.encoder == encoder.name
            for row in self.rows
        )

    def _part(self, index: int, number: int, name: str) -> SubtaskReport:
        n, n_steps = len(self._encoders), N_STEPS * len(self._params.classifiers)
        return SubtaskReport(
            self._report,
            first=(index * n + number) * n_steps,
            last=(index * n + number + 1) * n_steps,
            total=(len(self._params.data) + len(self._params.corpora)) * n * n_steps,
            name=name,
        )

    def _keep(self) -> None:
        """Save the rows so far, so that a resumed run continues after them."""
        project, run = self._project, self._report.run
        if project is None or project.is_read_only or run is None:
            return
        write_measurements(project.store, run, self.rows)
        self._report.changed("measurement", run)


def _read_corpus(project: "Project | None", name: str) -> ProbingSet:
    """Make a probing set from the labels of a corpus.

    Raises:
        UserError: the corpus does not exist, or has too few labels.
    """
    if project is None:
        raise UserError("Corpora need a project. Name a project.")
    corpus = find_corpus(project.store, name)
    rows = read_labelled_corpora(project, [corpus])
    return make_corpus_set(rows.source, corpus.language, rows.texts[0], rows.labels)


def _note_few_tests(probing_set: ProbingSet) -> Iterator[str]:
    n = probing_set.sizes[2]
    if n < FEW_TEST_ROWS:
        yield (
            f"{probing_set.name} has only {count_text(n, 'test row')}: differences "
            "between accuracies may be chance. Use a set with more rows."
        )


def _recorded_rows(project: "Project", run: int | None) -> Iterator[Probed]:
    """Read the rows that this run measured before it was interrupted."""
    if run is None:
        return
    for row in read_measurements(project.store, run):
        if isinstance(row, Probed):
            yield row


def _with_heads(encoders: "dict[str, Encoder]") -> "dict[str, Encoder]":
    """Add each head of the translation models, which share their weights.

    Raises:
        UserError: none of the encoders has heads.
    """
    from app.engine.encoders.bridge.encoder import BridgeEncoder

    found: dict[str, Encoder] = {}
    for name, encoder in encoders.items():
        found[name] = encoder
        if isinstance(encoder, BridgeEncoder):
            for number in range(1, encoder.model.config.n_heads + 1):
                found[f"{name}#{number}"] = encoder.with_rows(str(number))
    if len(found) == len(encoders):
        raise UserError(
            "None of the encoders has heads. Choose a translation model with a bridge."
        )
    return found


def _make_names_unique(encoders: "dict[str, Encoder]") -> None:
    """Name encoders that share a name as in the params."""
    counts = Counter(encoder.name for encoder in encoders.values())
    for name, encoder in encoders.items():
        if counts[encoder.name] > 1:
            encoders[name] = renamed = copy(encoder)
            renamed.name = name or encoder.name


def _distinct_names(files: Sequence[Path]) -> list[str]:
    """Name files; use complete paths for files that share a name."""
    counts = Counter(file.name for file in files)
    return [file.name if counts[file.name] == 1 else str(file) for file in files]
