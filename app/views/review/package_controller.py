"""Actions on review packages: export, open, return and merge."""

from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.params.pairs import OpenPackage
from app.views.client.annotator import ensure_user_name
from app.views.review.package_dialogs import MergeDialog, PackageDialog, ReturnDialog
from app.views.review.session import ReviewSession
from app.views.widgets.controls import add_action
from app.views.widgets.task_dialog import TaskDialog


class PackageController(QObject):
    """Opens the dialogs for review packages.

    Attributes:
        actions: the actions by name.
    """

    def __init__(self, session: ReviewSession, parent: QWidget):
        super().__init__(parent)
        self._session, self._parent = session, parent
        add, tr = partial(add_action, parent), self.tr
        self.actions: dict[str, QAction] = {
            "export_package": add(
                tr("Export a package for another annotator…"),
                tr("Write pairs to a file that another annotator can judge."),
                self.export_package,
            ),
            "open_package": add(
                tr("Open a package to judge…"),
                tr("Import the pairs of a package to judge them here."),
                self.open_package,
            ),
            "return_package": add(
                tr("Return judgements…"),
                tr("Write your judgements of a package to a file."),
                self.return_package,
            ),
            "merge_package": add(
                tr("Merge returned judgements…"),
                tr("Import the judgements of another annotator."),
                self.merge_package,
            ),
        }

    def refresh(self) -> None:
        """Enable the actions that are possible now."""
        can_write, mining = self._session.state.can_write, self._session.mining
        actions = self.actions
        actions["export_package"].setEnabled(can_write and mining is not None)
        actions["open_package"].setEnabled(can_write)
        actions["merge_package"].setEnabled(can_write)
        is_package = mining is not None and mining.kind == "package"
        actions["return_package"].setEnabled(is_package)

    def export_package(self) -> None:
        """Ask how to export pairs of the current set."""
        mining = self._session.mining
        if mining is not None:
            ensure_user_name(self._session.state)
            PackageDialog(self._session.state, mining, self._parent.window()).open()

    def return_package(self) -> None:
        """Ask where to write the judgements of the current package."""
        mining = self._session.mining
        if mining is not None:
            name = ensure_user_name(self._session.state)
            window = self._parent.window()
            ReturnDialog(self._session.state, mining, name, window).open()

    def open_package(self) -> None:
        """Ask which package to open."""
        TaskDialog(
            self._session.state, OpenPackage, parent=self._parent.window()
        ).open()

    def merge_package(self) -> None:
        """Ask which returned judgements to merge."""
        MergeDialog(self._session.state, self._parent.window()).open()
