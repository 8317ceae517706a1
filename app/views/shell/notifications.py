"""Notifications about results, errors and interrupted runs."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.errors import ErrorInfo
from app.params import params_to_json
from app.params.base import output_of
from app.params.pairs import OpenPackage
from app.params.projection import ProjectMap
from app.params.training.encoder import PlanTraining
from app.params.translation import PlanTranslation, TrainTranslation
from app.params.vectors import Encode
from app.protocol.edits.general import DropRun, SetRunState
from app.protocol.edits.pairs import SetMiningState
from app.results.jobs import (
    ImportedCorpora,
    ImportedCorpus,
    JobMessage,
    MadePairSet,
)
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.shell.job_results import (
    describe_imports,
    describe_preview,
    describe_result,
    find_previewed,
    name_job,
)
from app.views.widgets.controls import make_button
from app.views.widgets.dialogs import (
    ErrorDialog,
    copy_text,
    make_file_buttons,
    name_files,
    report_text,
)
from app.views.widgets.encoder_use import (
    describe_unknown_languages,
    encode_with,
    use_encoder,
)
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.package_files import read_package_id
from app.views.widgets.view_protocol import ViewEntry

if TYPE_CHECKING:
    from app.engine.store.runs import RunRow

ACTIONS = "action"  # topic of messages about actions, edits and undo
FILES = "files"  # topic of messages about written files
RESULTS = "results"  # topic of messages about job results
N_RESULTS = 3  # number of newest results whose next steps are offered
# Params that contain a run's input data; the other params are settings.
SUBJECTS = ("files", "file", "corpora", "corpus", "source", "target", "hits", "mining")
NAMED_TRAININGS = ("train-encoder", "fine-tune-encoder", "train-translation")
RunSubject = tuple[object, ...]
EVALUATIONS = (  # tasks whose results Evaluate shows
    *("probe", "evaluate-retrieval", "evaluate-tatoeba", "evaluate-sts"),
    *("evaluate-similarity-of-spaces", "evaluate-downstream"),
    *("evaluate-translation", "correlate-measurements"),
)
# Tasks whose results Quality shows.
CHECKS = ("check-corpus", "find-duplicates", "find-leakage", "compare-encoders")
# The views where a result can be used, by its task.
NEXT_VIEWS = {
    "import-corpus": ("concordance",),
    "encode": ("search", "mining", "map"),
    "mine-pairs": ("review", "read"),
    "score-pairs": ("review",),
    "open-package": ("review",),
    "merge-package": ("review",),
    "align-documents": ("alignment", "read"),
    "train-encoder": ("evaluate",),
    "fine-tune-encoder": ("training", "evaluate"),
    "align-encoder": ("evaluate",),
    "add-encoder": ("evaluate",),
    "train-translation": ("training", "evaluate"),
    "train-classifier": ("classify",),
    "classify": ("classify", "map"),
    "evaluate-transfer": ("classify",),
    "evaluate-mining": ("mining",),
    "project-map": ("map",),
    "train-word-vectors": ("words",),
    "map-languages": ("words",),
    "learn-dictionary": ("review",),
    **dict.fromkeys(EVALUATIONS, ("evaluate",)),
    **dict.fromkeys(CHECKS, ("quality",)),
}


# Tasks that write the file or folder in their param `out`.
FILE_TASKS = {
    *("export-pairs", "export-package", "return-package", "export-vectors"),
    *("export-encoder", "export-classifier", "export-predictions"),
    *("export-transfer", "export-word-alignments", "save-copy", "concordance"),
    *("equivalents", "make-report"),
}
# Tasks whose result Undo deletes.
UNDOABLE_TASKS = {
    *("align-documents", "mine-pairs", "score-pairs", "project-map"),
    *("train-classifier", "import-classifier", "import-dictionary"),
}
# Tasks whose result contains the name of a new encoder.
ENCODER_MAKERS = {
    "train-encoder",
    "fine-tune-encoder",
    "align-encoder",
    "add-encoder",
}


class _JobResult(NamedTuple):
    """The part of one job in the message about job results.

    Attributes:
        views: names of the views where the result can be used.
        encoder: name of the new encoder, or empty.
        translator: name of the new translation model, or empty.
        alignment: id of the new alignment, or None.
        imports: the corpora of each described import.
        is_undoable: whether Undo deletes the result.
    """

    words: str
    run: int
    views: tuple[str, ...]
    encoder: str = ""
    translator: str = ""
    alignment: int | None = None
    imports: tuple[Sequence[ImportedCorpus], ...] = ()
    is_undoable: bool = False


class NotificationController(QObject):
    """Shows notices, results and errors in the window's message bar."""

    runs_requested = Signal()  # show the table of runs
    clean_copy_requested = Signal()  # copy the project that could not be opened
    new_project_requested = Signal(Path)  # package that belongs to the open project
    view_requested = Signal(str, int)  # name of the view; id of the run

    def __init__(
        self,
        state: AppState,
        message_bar: MessageBar,
        entries: Sequence[ViewEntry],
        window: QWidget,
        shown_view: Callable[[], str] = str,
    ):
        """Show messages in a bar; `shown_view` returns the current view's name."""
        super().__init__(window)
        self._shown_view = shown_view
        self._state, self._message_bar, self._window = state, message_bar, window
        self._entries = {entry.name: entry for entry in entries}
        self._offered: set[int] = set()
        self._offers: dict[str, set[int]] = {}  # ids of offered runs by message
        self._failed: dict[str, RunState] = {}  # failed runs by message
        self._crashed: RunState | None = None  # the run that the last crash ended
        self._crash: ErrorInfo | None = None  # cleared when resuming is offered
        # Errors that a later success withdraws: crashes without a job, refused edits
        self._passing: dict[str, set[str]] = {"crash": set(), "edit": set()}
        self._results: list[_JobResult] = []  # results in the current message
        self._results_text = ""  # text of that message
        self._paused: set[int] = set()  # ids of runs paused in this window
        self._device_note = ""
        self._unknown_languages = ""  # text of the current warning
        self._previewed: set[str] = set()  # names of maps with a preview
        self._reverted = ""  # text about the last undo, until the next change
        self._state.notice_posted.connect(self.show_notice)
        self._state.condition_found.connect(self.show_condition)
        self._state.edit_reported.connect(self.show_change)
        self._state.file_written.connect(self._show_file)
        self._state.encoders.switched.connect(self._on_encoder_switched)
        self._state.newer_encoder_found.connect(self._offer_newer_encoder)
        self._state.changes.refused.connect(self._on_edit_refused)
        self._state.changes.reverted.connect(self._on_reverted)
        self._state.changes.added.connect(self._withdraw_reverted)
        self._state.error_posted.connect(self.show_error)
        self._state.devices_changed.connect(self._on_devices_changed)
        self._state.project_opened.connect(self._on_project_opened)
        self._state.engine_reopened.connect(self._on_engine_reopened)
        self._state.run_finished.connect(self._on_run_finished)
        self._state.run_failed.connect(self._on_run_failed)
        self._state.run_started.connect(self._on_run_started)
        self._state.runs_changed.connect(self.offer_resuming)
        self._state.run_paused.connect(self._on_run_paused)

    def show_notice(self, text: str) -> None:
        """Show the effect of the last action in place of the previous message."""
        self._message_bar.post(text, topic=ACTIONS)

    def show_condition(self, text: str) -> None:
        """Show the state of the machine after the other messages."""
        self._message_bar.post(text)

    def show_change(self, text: str) -> None:
        """Show the effect of an edit."""
        self._withdraw_passing("edit")
        self.show_notice(text)

    def show_error(self, error: ErrorInfo) -> None:
        """Show an error with buttons that show or copy its details."""
        if error.kind == "crash":
            error = self._name_crashed(error)
        self._message_bar.post(
            error.message,
            "error",
            self._make_remedies(error),
            info_buttons=self._make_report_buttons(error),
        )

    def _make_remedies(self, error: ErrorInfo) -> list[QPushButton]:
        """Create the buttons that help to correct an error."""
        buttons = []
        failed = self._failed.get(error.message)
        if failed is not None and failed.correct is not None:
            buttons.append(
                make_button(
                    self.tr("Change settings…"),
                    self.tr("Show the dialog with the settings of this job."),
                    failed.correct,
                )
            )
        match failed.params if failed is not None else None:
            case OpenPackage(package=file) if self._is_known(file):
                buttons = [
                    make_button(
                        self.tr("Open in a new project"),
                        self.tr("Create a project for the pairs of the package."),
                        partial(self.new_project_requested.emit, file),
                    )
                ]
        if error.kind == "unsafe":
            buttons.append(
                make_button(
                    self.tr("Copy the data…"),
                    self.tr("Copy the data of the project into a new project."),
                    self.clean_copy_requested.emit,
                )
            )
        return buttons

    def _is_known(self, file: Path) -> bool:
        """Return whether a package was exported from or opened in the project."""
        # Loads SQLAlchemy, which the start of the window does without.
        from app.engine.store.pairs.packages import find_package

        project, package = self._state.project, read_package_id(file)
        if project is None or not package:
            return False
        with project.store.connect() as connection:
            return find_package(connection, package) is not None

    def _make_report_buttons(self, error: ErrorInfo) -> list[QPushButton]:
        """Create the buttons that show or copy an error report."""
        buttons = []
        if error.traceback or error.kind == "crash":
            buttons.append(
                make_button(
                    self.tr("Details"),
                    self.tr("Show the full report."),
                    lambda: ErrorDialog(error, self._window).open(),
                )
            )
        is_report = error.kind in ("bug", "crash")
        copy = self.tr("Copy report") if is_report else self.tr("Copy")
        buttons.append(
            make_button(
                copy,
                self.tr("Copy the error message."),
                lambda: copy_text(report_text(error) if is_report else error.message),
            )
        )
        return buttons

    def offer_resuming(self) -> None:
        """Offer to resume interrupted runs, once for each run."""
        project = self._state.project
        if project is None or project.is_read_only:
            return
        # A run that was resumed and interrupted again is offered again.
        self._offered &= {run.id for run in project.interrupted}
        self._withdraw_offers()
        new = [run for run in project.interrupted if run.id not in self._offered]
        self._offered.update(run.id for run in new)
        if len(new) == 1:
            self._offer_one(new[0])
        elif new:
            words = self.tr("{n} runs were interrupted and can be resumed.")
            show = make_button(
                self.tr("Show runs"),
                self.tr("Show the runs of the project, to resume or delete them."),
                self.runs_requested.emit,
            )
            self._offer(words.format(n=len(new)), new, [show])

    def _withdraw_offers(self) -> None:
        """Withdraw offers for runs that were resumed or deleted elsewhere."""
        for text, runs in list(self._offers.items()):
            if not runs <= self._offered:
                self._message_bar.withdraw(text)
                self._offered -= self._offers.pop(text)  # the rest is offered again

    def _offer(
        self, text: str, runs: Sequence["RunRow"], buttons: Sequence[QPushButton]
    ) -> None:
        crash, self._crash = self._crash, None
        if crash is None:
            self._message_bar.post(text, buttons=buttons)
        else:  # the offer replaces the message about the crash
            self._message_bar.withdraw(crash.message)
            reports = self._make_report_buttons(crash)
            self._message_bar.post(text, "error", buttons, info_buttons=reports)
        self._offers[text] = {run.id for run in runs}

    def _offer_one(self, run: "RunRow") -> None:
        words = self.tr("{job} was interrupted. You can resume it from what it saved.")
        if run.id in self._paused:
            words = self.tr("{job} is paused. Its progress is saved.")
        resume = make_button(
            self.tr("Resume"),
            self.tr("Continue where it was interrupted."),
            lambda: self._state.resume(run),
        )
        delete = make_button(
            self.tr("Delete"),
            self.tr("Delete this run with its incomplete data."),
            lambda: self._ask_deletion(run),
        )
        text = words.format(job=self._name_run(run))
        if self._crash is not None:
            text = self._crash.message
        self._offer(text, [run], [resume, delete])

    def _ask_deletion(self, run: "RunRow") -> None:
        """Ask before deleting a run; on Cancel, show the offer again."""
        # The store imports sqlalchemy, which the first window does without.
        from app.views.widgets.run_deletion import ask_deletion

        def _delete() -> None:
            self._state.edit(DropRun(run.id))
            self._state.edit(SetRunState(runs=(run.id,), state="deleted"))

        def _offer_again() -> None:
            self._offered.discard(run.id)
            self.offer_resuming()

        name = self._name_run(run)
        name = name[:1].lower() + name[1:]
        box = ask_deletion(self._message_bar.window(), name, _delete)
        box.rejected.connect(_offer_again)

    def _name_run(self, run: "RunRow") -> str:
        """Return the name of a run, from its encoder, files or task."""
        return self._name_job(run.task, run.params)

    def _name_job(self, task: str, record: str) -> str:
        """Return the name of a job whose params are recorded as JSON."""
        params = json.loads(record or "{}")
        if task in NAMED_TRAININGS and params.get("name"):
            return self.tr("The training of {name}").format(name=params["name"])
        if task == "import-corpus" and params.get("files"):
            return self.tr("The import of {files}").format(
                files=name_files([Path(file) for file in params["files"]])
            )
        return name_job(task)

    def _on_run_paused(self, run: RunState) -> None:
        """Offer to resume a run that the user paused."""
        self._paused.add(run.id)
        self._offered.discard(run.id)
        self.offer_resuming()

    def _on_project_opened(self) -> None:
        self._message_bar.clear()
        self._offered.clear()
        self._offers.clear()
        self._failed.clear()
        self._paused.clear()
        self._crash = None
        for texts in self._passing.values():
            texts.clear()
        self.offer_resuming()

    def _on_engine_reopened(self) -> None:
        """Offer to resume the interrupted job, or report that the engine runs again."""
        project, was_job_lost = self._state.project, self._crash is not None
        self.offer_resuming()
        self._crash = None
        if project is None or was_job_lost:
            return
        self._withdraw_passing("crash")
        words = self.tr("The engine restarted and opened {name} again.")
        self.show_condition(words.format(name=project.name))

    def _on_devices_changed(self) -> None:
        old, note = self._device_note, self._state.device_note
        self._device_note = note
        if note and note != old:
            self.show_condition(note)

    def _on_run_failed(self, run: RunState, error: ErrorInfo) -> None:
        """Show the failure in place of earlier ones of its task on the same data."""
        self._withdraw_errors(run)
        if error.kind != "crash":
            self._failed[error.message] = run
        elif run.id and self._crashed is None:
            self._crashed = run

    def _on_run_started(self, run: RunState) -> None:
        """Withdraw the failures of earlier jobs on the same data."""
        self._withdraw_errors(run)

    def _name_crashed(self, error: ErrorInfo) -> ErrorInfo:
        """Add the name of the interrupted job to the error of a crash."""
        run, self._crashed = self._crashed, None
        if run is None or run.params is None:
            self._passing["crash"].add(error.message)
            return error
        job = self._name_job(run.task, params_to_json(run.params))
        words = self.tr("{job} was interrupted: {reason}")
        text = words.format(job=job, reason=error.message)
        self._failed[text] = run
        self._crash = msgspec.structs.replace(error, message=text)
        return self._crash

    def _encoder_steps(self) -> list[QPushButton]:
        """Return buttons for the use of a new encoder."""
        name = next((one.encoder for one in self._shown_results if one.encoder), "")
        if not name:
            return []
        return [
            make_button(
                self.tr("Use encoder"),
                self.tr("Use {name} for search and encoding.").format(name=name),
                partial(use_encoder, self._state, name),
            ),
            make_button(
                self.tr("Encode corpora"),
                self.tr("Use {name} and encode every corpus with it.").format(
                    name=name
                ),
                partial(encode_with, self._state, name),
            ),
        ]

    def _on_encoder_switched(self) -> None:
        """Warn of unknown languages; withdraw failures of the previous encoder."""
        encoder = self._state.encoders.in_use
        self._message_bar.withdraw(self._unknown_languages)
        if encoder is None:
            return
        self._withdraw_failures(
            lambda run: (
                isinstance(run.params, Encode) and run.params.encoder != encoder.name
            )
        )
        languages = [corpus.language for corpus in self._state.corpora]
        self._unknown_languages = describe_unknown_languages(encoder, languages)
        if self._unknown_languages:
            show = make_button(
                self.tr("Show encoders"),
                self.tr("Choose another encoder."),
                self._state.encoders.view_requested.emit,
            )
            self._message_bar.post(self._unknown_languages, buttons=[show])

    def _offer_newer_encoder(self, name: str) -> None:
        words = self.tr(
            "This project was encoded with an older encoder, which stays in use. "
            "{name} finds more translations."
        )
        again = make_button(
            self.tr("Encode again"),
            self.tr("Use {name} and encode every corpus with it.").format(name=name),
            partial(encode_with, self._state, name),
        )
        self._message_bar.post(words.format(name=name), buttons=[again])

    def _show_file(self, path: Path, text: str) -> None:
        """Report a written file, with buttons that open it."""
        buttons = make_file_buttons(self._state, path)
        self._message_bar.post(text, info_buttons=buttons, topic=FILES, is_brief=True)

    def _on_edit_refused(self, error: ErrorInfo) -> None:
        self._passing["edit"].add(error.message)

    def _withdraw_passing(self, kind: str) -> None:
        """Withdraw errors after a success of the same kind."""
        for text in self._passing[kind]:
            self._message_bar.withdraw(text)
        self._passing[kind].clear()

    def _withdraw_errors(self, run: RunState) -> None:
        """Withdraw the failures of earlier runs of the same task on the same data."""
        subject = run_subject(run)
        self._withdraw_failures(lambda failed: run_subject(failed) == subject)

    def _withdraw_failures(self, is_settled: Callable[[RunState], bool]) -> None:
        for text, failed in list(self._failed.items()):
            if is_settled(failed):
                del self._failed[text]
                self._message_bar.withdraw(text)

    def _on_run_finished(self, run: RunState, result: object) -> None:
        self._withdraw_errors(run)
        self._withdraw_passing("crash")
        if not isinstance(
            run.params, PlanTraining | PlanTranslation
        ):  # the form shows the result
            words = describe_result(run.task, result)
            if isinstance(run.params, ProjectMap):
                words = self._describe_map(run.params, words)
            out = output_of(run.params)
            if run.task in FILE_TASKS and out is not None:
                self._show_file(out, words)
                return
            self._post_result(run, words, result)

    def _describe_map(self, params: ProjectMap, words: str) -> str:
        """Describe a new map: a preview, the replacement of a preview, or a map."""
        final = find_previewed(params, self._state.runs)
        if final is not None:
            self._previewed.add(final.name)
            return describe_preview(final.name)
        if params.name in self._previewed:
            self._previewed.remove(params.name)
            preview = describe_preview(params.name)
            self._results = [one for one in self._results if one.words != preview]
            words = f"{words} {self.tr('The map replaces its preview.')}"
        return words

    def _post_result(self, run: RunState, words: str, result: object) -> None:
        """Show the result of a job in one message with earlier results.

        Args:
            words: description of the result.
            result: contains the new encoder's name or the new alignment's id, if any.
        """
        if not self._message_bar.has_topic(RESULTS):
            self._results.clear()
        is_undoable = run.task in UNDOABLE_TASKS
        views = NEXT_VIEWS.get(run.task, ())
        made = _JobResult(words, run.id, views, is_undoable=is_undoable)
        if run.task in ENCODER_MAKERS:
            made = made._replace(encoder=msgspec.convert(result, JobMessage).name)
        if type(run.params) is TrainTranslation:  # not a subclass for a grid
            made = made._replace(translator=run.params.name)
        if run.task == "align-documents":
            mining = msgspec.convert(result, MadePairSet).mining
            made = made._replace(alignment=mining)
        if run.task == "import-corpus":
            made = self._join_imports(made, msgspec.convert(result, ImportedCorpora))
        kept = [one for one in self._results if one.words != made.words]
        self._results = [*kept, made]
        self._post_results()

    def _join_imports(self, made: _JobResult, result: ImportedCorpora) -> _JobResult:
        """Describe all imports of the message in one sentence."""
        earlier = [one for one in self._results if one.imports]
        self._results = [one for one in self._results if not one.imports]
        imports = (*(part for one in earlier for part in one.imports), result.corpora)
        words = describe_imports(imports) or made.words
        return made._replace(words=words, imports=imports)

    def _on_reverted(self, undone: str) -> None:
        self._reverted = undone
        self._withdraw_undoable(undone)

    def _withdraw_reverted(self) -> None:
        """Withdraw the message about an undo after a new change."""
        reverted, self._reverted = self._reverted, ""
        if reverted:
            self._message_bar.withdraw(reverted)

    def _withdraw_undoable(self, undone: str) -> None:
        """Withdraw results that Undo may have just deleted.

        Args:
            undone: description of the undo, shown again as the newest message.
        """
        kept = [one for one in self._results if not one.is_undoable]
        if kept == self._results or not self._message_bar.has_topic(RESULTS):
            return
        self._message_bar.withdraw(self._results_text)
        self._results = kept
        if kept:
            self._post_results()
            self.show_notice(undone)

    def _post_results(self) -> None:
        """Show the last results, newest first, since a long message is cut."""
        text = " ".join(one.words for one in reversed(self._results))
        self._results_text = text
        self._message_bar.post(
            text, buttons=self._next_steps(), topic=RESULTS, is_brief=True
        )

    def _next_steps(self) -> list[QPushButton]:
        """Return a button for each view where a shown result can be used."""
        runs = {  # the newest result for each view
            name: one.run for one in self._results[-N_RESULTS:] for name in one.views
        }
        views = [
            make_button(
                self._entries[name].title,
                self._entries[name].hint,
                partial(self._show_next, name, run),
            )
            for name, run in runs.items()
            if name in self._entries and name != self._shown_view()
        ]
        steps = [*self._encoder_steps(), *self._translation_steps(), *views]
        return [*steps, *self._scoring_steps(), *self._deletion_steps()]

    def _translation_steps(self) -> list[QPushButton]:
        """Return a button that opens a new translation model."""
        names = [one.translator for one in self._shown_results if one.translator]
        hint = self.tr("Translate sentences with {name}.")
        return [
            make_button(
                self.tr("Translate into…"),
                hint.format(name=name),
                partial(self._state.view_requests.translation_requested.emit, name),
            )
            for name in names[:1]
        ]

    def _scoring_steps(self) -> list[QPushButton]:
        """Return a button that finds wrong pairs in a new parallel text."""
        imports = [part for one in self._shown_results for part in one.imports]
        if not any(len(corpora) > 1 for corpora in imports):
            return []
        hint = self.tr("Score the linked pairs in Mine, with the lowest scores first.")
        return [
            make_button(
                self.tr("Find wrong pairs…"),
                hint,
                self._state.view_requests.scoring_requested.emit,
            )
        ]

    def _deletion_steps(self) -> list[QPushButton]:
        """Return a button that deletes a new alignment, even after other changes."""
        made = [one.alignment for one in self._shown_results]
        alignment = next((one for one in made if one is not None), None)
        if alignment is None:
            return []
        change = SetMiningState(minings=(alignment,), state="deleted")
        button = make_button(
            self.tr("Delete the alignment"),
            self.tr("Delete this alignment. You can undo this."),
            partial(self._state.edit, change),
        )
        return [button]

    @property
    def _shown_results(self) -> list["_JobResult"]:
        """The results whose next steps are offered, newest first."""
        return self._results[: -N_RESULTS - 1 : -1]

    def _show_next(self, name: str, run: int) -> None:
        """Show a view: Search with an example, Evaluate for a new encoder."""
        encoder = next((one.encoder for one in self._results if one.run == run), "")
        if name == "search":
            self._state.view_requests.example_requested.emit()
        elif name == "evaluate" and encoder:
            self._state.view_requests.evaluation_requested.emit(encoder)
        else:
            self.view_requested.emit(name, run)


def run_subject(run: RunState) -> RunSubject:
    """Return a key that is equal for runs of one task on the same data."""
    return (run.task, *(getattr(run.params, name, None) for name in SUBJECTS))
