"""Dialogs that set up an evaluation or a report."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import msgspec
from PySide6.QtCore import QCoreApplication, QObject, QTimer
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from app.engine.store.labels import list_labelled
from app.errors import ErrorInfo
from app.languages import language_name
from app.params import Params
from app.params.base import TaskParams
from app.params.flags import command_text
from app.params.probing import MakeProbingSets, Probe
from app.params.projects import MakeReport
from app.paths import find_free_path
from app.protocol.answers.translation import LanguageColumns
from app.protocol.queries.translation import LanguageColumnsQuery
from app.views.client.state import AppState
from app.views.evaluate.forms import FieldChoices, find_form_spec
from app.views.evaluate.trained_corpora import TrainedCorpora
from app.views.widgets.check_list import CheckList
from app.views.widgets.choice_titles import choice_title
from app.views.widgets.corpus_choices import corpus_choices, linked_pairs
from app.views.widgets.dialogs import ask_question, copy_text, export_folder
from app.views.widgets.export_dialog import ExportFileField
from app.views.widgets.fields import (
    Field,
    field_facts,
    make_files_field,
)
from app.views.widgets.form import Form, FormParts
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.theme import GRID

_tr = partial(QCoreApplication.translate, "evaluation_dialog")

RunTasks = Callable[[Sequence[Params]], object]
ALIGNED_FIELDS = ("source", "target")
READ_AFTER_MS = 300  # since the last change


class EvaluationDialog(TaskDialog):
    """Asks for the settings and the encoders of an evaluation."""

    WIDTH = 96 * GRID

    def __init__(
        self,
        state: AppState,
        struct: type[TaskParams],
        values: TaskParams | None,
        run: RunTasks,
        parent: QWidget,
        *,
        choices: FieldChoices | None = None,
    ):
        """Initialise.

        Args:
            values: initial values of the form; None: the defaults.
            run: runs the tasks, one per encoder if a task takes a single encoder.
            choices: values to select in fields that accept any name.
        """
        self._spec, self._choices = find_form_spec(struct), choices or {}
        self.rare = self._spec.rare
        self._encoder_list: CheckList | None = None
        fields = [one.name for one in msgspec.structs.fields(struct)]
        self._corpora = _list_corpora(state, struct) if "corpora" in fields else []
        skip = [*self._spec.skip]
        if not self._corpora and not getattr(values, "corpora", ()):
            skip.append("corpora")
        self._encoders = state.encoders
        note = self._spec.note
        super().__init__(state, struct, values, skip=skip, note=note, parent=parent)
        self._run = run
        if self._corpora and state.project is not None and struct is not Probe:
            self._trained = TrainedCorpora(state.project)
            self.form.changed.connect(self._show_warning)
            self._show_warning()
        self._columns: ColumnOffer | None = None
        if {"table", "columns"} <= {*self.form.names}:
            self._columns = ColumnOffer(state, self.form, self)
        self.setAcceptDrops(True)
        for line in self.form.findChildren(QLineEdit):
            line.setAcceptDrops(False)  # or else it accepts the URL as text

    def heading(self) -> str:
        """Return the title."""
        return self._spec.title

    def form_parts(self) -> FormParts:
        """Return check lists and file fields."""
        fields = msgspec.structs.fields(self._struct)
        facts = {one.name: field_facts(one) for one in fields}
        inputs: dict[str, Field] = {}
        for name in self._spec.files:
            inputs[name] = make_files_field(facts[name])
        choices = {
            name: [(one, choice_title(one, name)) for one in values]
            for name, values in self._spec.choices
        } | self._choices
        if "columns" in facts:
            choices["columns"] = []  # until the table is read
        if self._corpora:
            choices["corpora"] = self._corpora
        for name, values_and_titles in choices.items():
            check_list = CheckList(facts[name].title, facts[name].description)
            check_list.set_choices(values_and_titles)
            inputs[name] = check_list.as_field()
        for name in ("encoder", "encoders"):
            if name in facts:
                inputs[name] = self._make_encoder_field(is_multiple=name == "encoders")
        return FormParts(inputs=inputs)

    def tasks(self) -> list[Params]:
        """Return the tasks of the form, one per encoder; empty if it is invalid."""
        params = self._params()
        if params is None:
            return []
        if self._encoder_list is None or not hasattr(params, "encoder"):
            return [params]
        names = self._encoder_list.ticked or [""]
        return [msgspec.structs.replace(params, encoder=name) for name in names]

    def take_files(self, files: Sequence[Path]) -> None:
        """Fill dropped files into the file fields."""
        names, raw = self.form.names, self.form.raw()
        if self._spec.files:
            name = self._spec.files[0]
            self.form.write({name: [*raw.get(name, ()), *files]})
        elif "table" in names and len(files) == 1:
            self.form.write({"table": files[0]})
        elif "source" in names and len(files) == len(ALIGNED_FIELDS):
            self.form.write(dict(zip(ALIGNED_FIELDS, files, strict=True)))

    def _make_encoder_field(self, *, is_multiple: bool) -> Field:
        hint = _tr(
            "Select encoders. Without a selection, the encoder in use is evaluated. "
            "Each encoder is a series in the charts."
        )
        check_list = CheckList(_tr("Encoders"), hint)
        words = _tr("{name} (in use)")
        check_list.set_choices(
            [
                (one.name, one.name)
                if one.name != self._encoders.chosen
                else (one.name, words.format(name=one.name))
                for one in self._encoders.cards
            ]
        )
        if is_multiple:
            return check_list.as_field()
        self._encoder_list = check_list
        return Field(
            check_list,
            lambda: next(iter(check_list.ticked), ""),
            lambda name: check_list.tick([name] if name else []),
            lambda slot: check_list.changed.connect(slot),
        )

    def _show_warning(self) -> None:
        """Warn about encoders that were trained on the selected corpora."""
        lists = self._encoder_list
        encoders = (lists.ticked if lists else []) or [self._encoders.chosen]
        corpora = self.form.raw().get("corpora", ())
        self.show_needs(self._trained.warn(encoders, corpora))

    def _on_copy(self) -> None:
        project = self._state.project
        folder = project.folder if project is not None else None
        tasks = self.tasks()
        if tasks:
            copy_text("\n".join(command_text(one, folder) for one in tasks))

    def _on_run(self) -> None:
        match self.tasks():
            case []:
                return
            case [MakeProbingSets(out=Path() as out) as params] if _has_files(out):
                replacing = msgspec.structs.replace(params, replace=True)
                words = self.tr("{folder} contains files.").format(folder=out)
                choice = self.tr("Replace sets")
                ask_question(
                    self, words, {choice: lambda: self._submit_all([replacing])}
                )
            case tasks:
                self._submit_all(tasks)

    def _submit_all(self, tasks: list[Params]) -> None:
        self.submission.submit(lambda: self._run(tasks))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Fill the files into the form."""
        names = [url.toLocalFile() for url in event.mimeData().urls()]
        self.take_files([Path(name) for name in names if name])
        event.acceptProposedAction()


class ColumnOffer(QObject):
    """Offers the columns of a form's table as soon as the table is read."""

    def __init__(self, state: AppState, form: Form[TaskParams], parent: QObject):
        """Read the form's current table, and every table chosen later."""
        super().__init__(parent)
        self._state, self._form = state, form
        self._table: Path | None = None
        self._timer = QTimer(self, singleShot=True, interval=READ_AFTER_MS)
        self._timer.timeout.connect(self._read)
        form.changed.connect(self._timer.start)
        self._show(())
        self._read()

    def _read(self) -> None:
        text = self._form.raw().get("table")
        table = Path(text) if text else None
        if table == self._table:
            return
        self._table = table
        if table is None:
            self._list.tick(())
            self._show(())
        else:
            query = LanguageColumnsQuery(file=table)
            self._state.ask(query, partial(self._on_answer, table))

    def _on_answer(self, table: Path, answer: LanguageColumns | ErrorInfo) -> None:
        if table != self._table:
            return  # another table was chosen
        if isinstance(answer, LanguageColumns):
            self._list.tick(set(self._list.ticked) & {*answer.languages})
            self._show(answer.languages)
        elif answer.kind != "superseded":
            self._form.show_error("table", answer.message, focuses=False)

    @property
    def _list(self) -> CheckList:
        widget = self._form.field("columns").widget
        assert isinstance(widget, CheckList)
        return widget

    def _show(self, columns: Sequence[str]) -> None:
        self._list.set_choices([(code, language_name(code)) for code in columns])
        self._form.hide_rows(() if columns else ("columns",))


def _has_files(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def _list_corpora(state: AppState, struct: type[TaskParams]) -> list[tuple[str, str]]:
    """Return names and titles of the corpora that a task can measure.

    Probing needs labels; other tasks need linked translations.
    """
    project = state.project
    if project is None:
        return []
    if struct is not Probe:
        return corpus_choices(project, linked_pairs(project))
    labelled = list_labelled(project.store)
    return corpus_choices(
        project, [row for row in project.corpora if row.id in labelled]
    )


class EvaluationReportDialog(TaskDialog):
    """Asks for the settings of a report of runs."""

    def __init__(
        self,
        state: AppState,
        runs: Sequence[tuple[int, str]],
        run: Callable[[Params], object],
        parent: QWidget,
    ):
        """Initialise for runs (id, name); `run` writes the report."""
        project = state.project
        stem = project.name if project is not None else "isogloss"
        values = MakeReport(
            runs=tuple(id_ for id_, _ in runs),
            out=find_free_path(export_folder(state) / f"{stem} evaluation.html"),
        )
        hint = self.tr("Choose the HTML file of the report.")
        formats = {".html": self.tr("Web page (HTML)")}
        self.file = ExportFileField(formats, values.out, hint)
        note = self.tr("Writes one self-contained page about: {names}.")
        names = "; ".join(name for _, name in runs)
        super().__init__(
            state,
            MakeReport,
            values,
            skip=("runs",),
            note=note.format(names=names),
            parent=parent,
        )
        self._run = run

    def form_parts(self) -> FormParts:
        """Return a field for a new file."""
        inputs, titles = {"out": self.file.as_field()}, {"out": self.tr("File")}
        return FormParts(inputs=inputs, titles=titles)

    def is_confirmed(self, file: Path) -> bool:
        """Return whether the file chooser confirmed replacing a file."""
        return file == self.file.confirmed

    def start(self, params: Params) -> None:
        """Write the report."""
        self._run(params)
