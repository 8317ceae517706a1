"""The dialogs that set up an evaluation and a report."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import msgspec
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QWidget

from app.params import Params
from app.params.base import TaskParams
from app.params.flags import command_text
from app.params.projects import MakeReport
from app.views.client.state import AppState
from app.views.evaluate.forms import FieldChoices, find_form_spec
from app.views.widgets.check_list import CheckList
from app.views.widgets.controls import describe, make_button
from app.views.widgets.corpus_choices import corpus_choices, linked_pairs
from app.views.widgets.dialogs import copy_text
from app.views.widgets.fields import (
    Field,
    FieldFacts,
    field_facts,
    make_files_field,
    make_new_file_field,
)
from app.views.widgets.form import Form
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.theme import GRID

RunAll = Callable[[Sequence[Params]], object]
ALIGNED_FIELDS = ("source", "target")


class EvaluationDialog(TaskDialog):
    """Asks what to measure, and on which encoders."""

    def __init__(
        self,
        state: AppState,
        struct: type[TaskParams],
        values: TaskParams | None,
        run: RunAll,
        parent: QWidget,
        *,
        offers: FieldChoices | None = None,
    ):
        """Make the dialog.

        Args:
            state: of the window.
            struct: params of the task.
            values: what the form begins with; None: the defaults.
            run: does the jobs: one for each encoder of a task that takes one.
            parent: the view.
            offers: what can be ticked in fields that take any name.
        """
        self._setup, self._offers = find_form_spec(struct), offers or {}
        self._ticks: CheckList | None = None
        kept = list(getattr(values, "corpora", ()))
        self._linked = (
            _list_linked_corpora(state) if "corpora" in _list_names(struct) else []
        )
        skip = [*self._setup.skip]
        if not self._linked and not kept:
            skip.append("corpora")
        self._cards = state.encoders
        note = self._setup.note
        super().__init__(state, struct, values, skip=skip, note=note, parent=parent)
        self._run = run
        self.setWindowTitle(self._setup.title)
        self.setAcceptDrops(True)
        for line in self.form.findChildren(QLineEdit):
            line.setAcceptDrops(False)  # else it takes the file's address as text
        if self._setup.rare:
            self._add_toggle()
        height = 30 * GRID + self.form.sizeHint().height()
        self.resize(96 * GRID, min(80 * GRID, height))

    def make_form(
        self,
        struct: type[TaskParams],
        values: TaskParams | None,
        skip: Collection[str],
    ) -> Form[TaskParams]:
        """Make a form with lists to tick and lines that take files."""
        facts = {one.name: field_facts(one) for one in msgspec.structs.fields(struct)}
        inputs: dict[str, Field] = {}
        for name in self._setup.files:
            inputs[name] = make_files_field(facts[name])
        offers = {
            name: [(one, one.replace("_", " ")) for one in choices]
            for name, choices in self._setup.choices
        }
        for name, offered in (offers | self._offers).items():
            ticks = CheckList(facts[name].title, facts[name].description)
            ticks.set_choices(offered)
            inputs[name] = ticks.as_field()
        for name, fact in facts.items():
            if fact.plain is bool:
                inputs[name] = _make_box(fact)
        if self._linked:
            ticks = CheckList(facts["corpora"].title, facts["corpora"].description)
            ticks.set_choices(self._linked)
            inputs["corpora"] = ticks.as_field()
        for name in ("encoder", "encoders"):
            if name in facts:
                inputs[name] = self._make_encoders(several=name == "encoders")
        return Form(struct, values, skip=skip, inputs=inputs)

    def jobs(self) -> list[Params]:
        """Give the jobs of the form: one for each encoder; none where it is refused."""
        params = self._params()
        if params is None:
            return []
        if self._ticks is None or not hasattr(params, "encoder"):
            return [params]
        names = self._ticks.ticked or [""]
        return [msgspec.structs.replace(params, encoder=name) for name in names]

    def take_files(self, files: Sequence[Path]) -> None:
        """Put files that were dropped where they belong."""
        names, raw = self.form.names, self.form.raw()
        if self._setup.files:
            name = self._setup.files[0]
            self.form.write({name: [*raw.get(name, ()), *files]})
        elif "table" in names and len(files) == 1:
            self.form.write({"table": files[0]})
        elif "source" in names and len(files) == len(ALIGNED_FIELDS):
            self.form.write(dict(zip(ALIGNED_FIELDS, files, strict=True)))

    def _make_encoders(self, *, several: bool) -> Field:
        hint = _tr(
            "Tick the encoders to measure; without a tick it is the one in use. Each "
            "is a series in the pictures."
        )
        ticks = CheckList(_tr("Encoders"), hint)
        words = _tr("{name} (in use)")
        ticks.set_choices(
            [
                (one.name, one.name)
                if one.name != self._cards.chosen
                else (one.name, words.format(name=one.name))
                for one in self._cards.cards
            ]
        )
        if several:
            return ticks.as_field()
        self._ticks = ticks
        return Field(
            ticks,
            lambda: next(iter(ticks.ticked), ""),
            lambda name: ticks.tick([name] if name else []),
            lambda follow: ticks.changed.connect(follow),
        )

    def _add_toggle(self) -> None:
        self._shows_all = False
        more = make_button(
            _tr("All settings"),
            _tr("Show or hide the settings that are rarely changed."),
            self._toggle,
            kind="quiet",
        )
        row = QHBoxLayout()
        row.addStretch()
        row.addWidget(more)
        self.foot.addLayout(row)
        self.form.hide_rows(self._setup.rare)

    def _toggle(self) -> None:
        self._shows_all = not self._shows_all
        self.form.hide_rows(() if self._shows_all else self._setup.rare)

    def _on_copy(self) -> None:
        project = self._state.project
        folder = project.folder if project is not None else None
        jobs = self.jobs()
        if jobs:
            copy_text("\n".join(command_text(one, folder) for one in jobs))

    def _on_run(self) -> None:
        jobs = self.jobs()
        if jobs:
            self._run(jobs)
            self.accept()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Put files into the form."""
        names = [url.toLocalFile() for url in event.mimeData().urls()]
        self.take_files([Path(name) for name in names if name])
        event.acceptProposedAction()


def _make_box(fact: FieldFacts) -> Field:
    """Make a box with short words: its long ones stand below, where they wrap."""
    box = QCheckBox(_tr("Yes"))
    describe(box, fact.title, fact.description)
    whole = QWidget()
    row = QHBoxLayout(whole)
    row.setContentsMargins(0, 0, 0, 0)
    row.addWidget(box)
    row.addStretch()
    whole.setFocusProxy(box)
    return Field(
        whole,
        box.isChecked,
        box.setChecked,
        lambda follow: box.toggled.connect(lambda: follow()),
    )


def _list_linked_corpora(state: AppState) -> list[tuple[str, str]]:
    """Return names and titles of the corpora whose sentences have translations."""
    project = state.project
    if project is None:
        return []
    return corpus_choices(project, linked_pairs(project))


def _list_names(struct: type[TaskParams]) -> list[str]:
    return [one.name for one in msgspec.structs.fields(struct)]


def _tr(text: str) -> str:
    return QCoreApplication.translate("evaluation_dialog", text)


class EvaluationReportDialog(TaskDialog):
    """The form of a report of the chosen runs."""

    def __init__(
        self,
        state: AppState,
        runs: Sequence[tuple[int, str]],
        run: Callable[[Params], object],
        parent: QWidget,
    ):
        """Make the dialog.

        Args:
            state: of the window.
            runs: ids and names of what is written up.
            run: writes the report.
            parent: the view.
        """
        project = state.project
        stem = project.name if project is not None else "isogloss"
        values = MakeReport(
            runs=tuple(id_ for id_, _ in runs),
            out=_find_free_name(Path.home() / f"{stem} evaluation.html"),
        )
        note = self.tr("One page that needs nothing else, of: {names}.")
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
        self.setWindowTitle(self.tr("Report"))
        self.resize(80 * GRID, 52 * GRID)

    def make_form(
        self,
        struct: type[TaskParams],
        values: TaskParams | None,
        skip: Collection[str],
    ) -> Form[TaskParams]:
        """Make a form whose file may be new."""
        hint = self.tr("Choose where the report goes: a file .html.")
        out = make_new_file_field(
            hint, Path.home(), on_chosen=self._take, filters="*.html"
        )
        inputs, titles = {"out": out}, {"out": self.tr("File")}
        return Form(struct, values, skip=skip, inputs=inputs, titles=titles)

    def _take(self, path: Path) -> None:
        """Take a file that was chosen: whether to replace it was asked there."""
        self.form.write({"out": path, "replace": path.exists()})

    def start(self, params: Params) -> None:
        """Write it."""
        self._run(params)


def _find_free_name(file: Path) -> Path:
    """Number a name that is taken: demo evaluation 2.html."""
    n, free = 1, file
    while free.exists():
        n += 1
        free = file.with_stem(f"{file.stem} {n}")
    return free
