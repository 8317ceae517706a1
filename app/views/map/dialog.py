"""Settings dialog for a new map, and descriptions of stored maps."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, get_args

import msgspec
from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QWidget

from app.engine.store.projections import ProjectionRow
from app.params import Params
from app.params.projection import MapMethod, ProjectMap
from app.views.client.project_reader import ProjectReader
from app.views.client.state import AppState
from app.views.widgets.check_list import CheckList
from app.views.widgets.corpus_choices import (
    corpus_choices,
    count_chosen,
    find_chosen,
    missing_vectors,
)
from app.views.widgets.form import FormParts
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.statistics_format import format_rate_with_interval
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.theme import GRID


def method_name(method: str) -> str:
    """Return the display name of a method."""
    names = {"pca": "PCA", "umap": "UMAP", "tsne": "t-SNE"}
    return names.get(method, method)


def describe_map(row: ProjectionRow) -> str:
    """Return a short description: UMAP · 12,000 points · isogloss-2."""
    words = QCoreApplication.translate("map", "{method} · {n} points · {encoder}")
    return words.format(
        method=method_name(row.method),
        n=format_count(row.n_points),
        encoder=row.encoder,
    )


class StoredSettings(msgspec.Struct, frozen=True):
    """The settings of a map that the window shows."""

    corpora: tuple[str, ...] = ()


class StoredReport(msgspec.Struct, frozen=True):
    """The parts of a map's report that the window shows; 0 or None if older."""

    settings: StoredSettings = StoredSettings()
    kept_neighbours: float | None = None
    kept_interval: tuple[float, float] | None = None
    k: int = 0
    n_measured: int = 0


class QualityText(NamedTuple):
    """A short description of how well a map preserves neighbours, with a tooltip."""

    text: str = ""
    hint: str = ""


def describe_quality(row: ProjectionRow) -> QualityText:
    """Describe how well a map preserves neighbours; empty if not measured."""
    report = _read_report(row)
    if report.kept_neighbours is None or report.kept_interval is None:
        return QualityText()
    tr = partial(QCoreApplication.translate, "map")
    n = report.n_measured or row.n_points
    rate = format_rate_with_interval(report.kept_neighbours, *report.kept_interval, n)
    hint = tr(
        "Share of the {k} nearest sentences by meaning that are also among the {k} "
        "nearest points on the map: mean and 95\u00a0% interval, measured on {n} "
        "sentences. Where it is low, do not rely on single distances."
    ).format(k=report.k, n=format_count(n))
    return QualityText(tr("Neighbours kept: {rate}").format(rate=rate), hint)


def describe_corpora(project: ProjectReader, row: ProjectionRow) -> str:
    """List the corpora and sub-corpora of a map: Corpora: Hafenbriefe, ⊂ Harbour."""
    names = [
        name
        for key in _read_report(row).settings.corpora
        for name in _corpus_titles(project, key)
    ]
    words = QCoreApplication.translate("map", "Corpora: {names}")
    return words.format(names=", ".join(names)) if names else ""


def subcorpus_names(project: ProjectReader, row: ProjectionRow) -> dict[int, str]:
    """Return the names of the sub-corpora on a map, by corpus id."""
    names = {one.id: one.name for one in project.subcorpora}
    return {
        corpus.id: names[corpus.subcorpus]
        for key in _read_report(row).settings.corpora
        for corpus in find_chosen(project, key)
        if corpus.subcorpus in names
    }


def _corpus_titles(project: ProjectReader, key: str) -> list[str]:
    """Return the titles of the corpora that a name refers to, or else the name."""
    names = {one.id: f"⊂ {one.name}" for one in project.subcorpora}
    found = find_chosen(project, key)
    titles = dict.fromkeys(names.get(one.subcorpus, one.name) for one in found)
    return list(titles) or [key]


def _read_report(row: ProjectionRow) -> StoredReport:
    try:
        return msgspec.json.decode(row.report, type=StoredReport)
    except msgspec.MsgspecError:  # written by another version
        return StoredReport()


class MapDialog(TaskDialog):
    """Asks for the settings of a new map."""

    made = Signal(object)  # ProjectMap
    rare = ("n_neighbours", "min_dist", "n_epochs", "n_clusters", "seed")
    WIDTH = 84 * GRID

    def __init__(
        self,
        state: AppState,
        values: ProjectMap,
        propose_name: Callable[[Sequence[str]], str],
        parent: QWidget | None = None,
    ):
        """Make the dialog.

        Args:
            propose_name: returns a name for a map of corpora, used until the user
                enters another name.
        """
        self._propose_name, self._proposed = propose_name, values.name
        super().__init__(state, ProjectMap, values, parent=parent)
        self.setWindowTitle(self.tr("New map"))
        self.name_button(self.tr("Make map"))
        self.form.changed.connect(self._show_name)
        self.form.changed.connect(self._show_needs)
        names = [(method_name(one), one) for one in get_args(MapMethod)]
        self.form.set_choices("method", names)
        self._show_needs()

    def heading(self) -> str:
        """Return the heading."""
        return self.tr("New map")

    def form_parts(self) -> FormParts:
        """Return a check box for each corpus."""
        project = self._state.project
        corpora = CheckList(self.tr("Corpora"), self.tr("Select the corpora to map."))
        corpora.set_choices(corpus_choices(project))
        titles = {
            "n_neighbours": self.tr("Neighbours"),
            "min_dist": self.tr("Minimum distance"),
            "n_epochs": self.tr("Epochs"),
            "n_clusters": self.tr("Clusters"),
        }
        inputs = {"corpora": corpora.as_field()}
        wide = ("corpora", "method", "name")
        return FormParts((), titles, inputs, wide, help={"corpora": ""})

    def start(self, params: Params) -> None:
        """Make the map."""
        self.made.emit(params)

    def _show_name(self) -> None:
        """Propose a name from the selected corpora, unless the user entered one."""
        raw = self.form.raw()
        if raw.get("name") == self._proposed:
            self._proposed = self._propose_name(raw.get("corpora", ()))
            if raw["name"] != self._proposed:
                self.form.write({"name": self._proposed})

    def _show_needs(self) -> None:
        """Show the number of sentences, and whether some must be encoded first."""
        project, encoders = self._state.project, self._state.encoders
        raw: dict[str, Any] = self.form.raw()
        if project is None:
            return
        names = list(raw.get("corpora", ()))
        n = count_chosen(project, names)
        parts = [pluralize(n, self.tr("1 sentence."), self.tr("{n} sentences."))]
        card = encoders.find(str(raw.get("encoder", ""))) or encoders.in_use
        if card is not None and missing_vectors(project, names, card.fingerprint):
            parts.append(self.tr("Sentences without vectors are encoded first."))
        if raw.get("method") != "pca":
            parts.append(self.tr("A quick PCA map is shown first."))
        self.show_needs(" ".join(parts))
