"""Label classes of the project: counts, shortcut keys, manual labelling."""

from collections import Counter
from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from app.errors import ErrorInfo
from app.protocol.answers.classify import LabelCountsAnswer
from app.protocol.answers.edits import EditAnswer
from app.protocol.edits.labels import MAX_LABELLED, LabelSentences, RenameClass
from app.protocol.queries.classify import LabelCountsQuery
from app.views.client.requests import CurrentProject, EditQueue, RequestTracker

N_KEYS = 9
MAX_LABELLED_AT_ONCE = 20 * MAX_LABELLED  # sentences labelled by one key press
COUNT_AFTER_MS = 150  # after the last change
LABEL_KINDS = ("label", "labels")


class CorpusLabels(NamedTuple):
    """The labels of a corpus: counts by class, the most frequent first."""

    n_labelled: int
    n_classes: int
    classes: dict[str, int]

    @property
    def are_scores(self) -> bool:
        """Return whether the labels are scores of pairs, not names of classes."""
        is_broken = any("." in name for name in self.classes)
        is_many = self.n_classes > N_KEYS or is_broken
        return is_many and all(_is_number(name) for name in self.classes)


class LabelStore(QObject):
    """The label classes, their keys and counts; labels sentences.

    Attributes:
        counts: label counts by corpus; without corpora that have no labels.
        classes: classes in the order of their keys; the first nine have a key.
        is_counted: whether the counts are known.
    """

    changed = Signal()
    labelled = Signal()  # labels changed: views reload them
    keys_changed = Signal(object)  # the classes in the order of their keys
    notice_posted = Signal(str)  # why nothing was labelled
    edit_reported = Signal(str)  # what was labelled
    failed = Signal(object)  # ErrorInfo

    def __init__(
        self,
        requests: RequestTracker,
        edits: EditQueue,
        current_project: CurrentProject,
        parent: QObject,
    ):
        super().__init__(parent)
        self._requests, self._edits = requests, edits
        self._current_project = current_project
        self._saved_classes: tuple[str, ...] = ()
        self.counts: dict[int, CorpusLabels] = {}
        self.classes: list[str] = []
        self.is_counted = False
        self._waiting: list[tuple[int, list[int], bool]] = []
        self._renamed: tuple[dict[str, int], str] = {}, ""  # positions; new name
        self._timer = QTimer(self, singleShot=True, interval=COUNT_AFTER_MS)
        self._timer.timeout.connect(self.refresh)

    def restart(self, saved_classes: tuple[str, ...] = ()) -> None:
        """Reset the labels for another project, with this order of classes."""
        self._saved_classes = saved_classes
        self._timer.stop()
        self.counts, self.classes, self.is_counted = {}, [], False
        self._waiting, self._renamed = [], ({}, "")

    # --- classes and keys ---

    def refresh(self) -> None:
        """Let the engine count the labels."""
        if self._current_project() is not None:
            self._requests.ask(LabelCountsQuery(), self._on_counted)

    def need(self) -> None:
        """Count the labels unless they are counted."""
        if not self.is_counted:
            self.refresh()

    def class_of(self, key: int) -> str:
        """Return the class of a key (1 is the first), or an empty string."""
        return self.classes[key - 1] if 0 < key <= len(self.classes) else ""

    def key_of(self, name: str) -> int:
        """Return the key of a class; 0 if the class has no key."""
        index = self.classes.index(name) + 1 if name in self.classes else 0
        return index if index <= N_KEYS else 0

    def add_class(self, name: str) -> None:
        """Add a class, which gets the next free key."""
        clean = " ".join(name.split())
        if clean and clean not in self.classes:
            self._set_classes([*self.classes, clean])

    def move_class(self, name: str, step: int) -> None:
        """Move a class to another key: −1 for the previous key."""
        if name not in self.classes:
            return
        index = self.classes.index(name)
        other = min(max(index + step, 0), len(self.classes) - 1)
        classes = list(self.classes)
        classes.insert(other, classes.pop(index))
        self._set_classes(classes)

    def drop_class(self, name: str) -> None:
        """Remove a class without sentences from the list."""
        if not self.total(name):
            self._set_classes([one for one in self.classes if one != name])

    def rename(self, names: Sequence[str], into: str) -> None:
        """Rename classes in all corpora; a name in use merges the classes."""
        new = " ".join(into.split())
        old = [name for name in names if name != new]
        corpora = [id_ for id_, one in self.counts.items() if {*old} & {*one.classes}]
        if not new or not old:
            return
        self._renamed = (self._places(old), new if new not in self.classes else "")
        kept = [new if name in old else name for name in self.classes]
        self._set_classes(list(dict.fromkeys(kept)))
        if corpora:
            change = RenameClass(corpora=tuple(corpora), old_names=tuple(old), name=new)
            self._edits.edit(change, self._on_renamed)

    def total(self, name: str) -> int:
        """Count the sentences of a class in all corpora."""
        return sum(one.classes.get(name, 0) for one in self.counts.values())

    # --- labels by hand ---

    def label_by_key(
        self, key: int, sentences: Sequence[int], *, announce: bool = False
    ) -> bool:
        """Label sentences with the class of a key; 0 removes labels.

        Args:
            key: 0 … 9.
            sentences: their ids.
            announce: show a notice, for views that don't show the label.

        Returns:
            Whether the key has a class, if that is known before labels are counted.
        """
        if not self.is_counted:
            self._waiting.append((key, list(sentences), announce))
            self.refresh()
            return True
        name = self.class_of(key)
        if key and not name:
            words = self.tr("The key {key} has no class yet. Add one in Classify.")
            self.notice_posted.emit(words.format(key=key))
            return False
        return self.label(name, sentences, announce=announce)

    def label(
        self, name: str, sentences: Sequence[int], *, announce: bool = False
    ) -> bool:
        """Label sentences, or remove labels if `name` is empty; return if sent."""
        project = self._current_project()
        if project is None or not sentences:
            return False
        if project.is_read_only:
            self.notice_posted.emit(self.tr("This project is read-only."))
            return False
        if len(sentences) > MAX_LABELLED_AT_ONCE:
            words = self.tr(
                "At most {n} sentences can be labelled at once. Select fewer."
            )
            self.notice_posted.emit(words.format(n=f"{MAX_LABELLED_AT_ONCE:,}"))
            return False
        for start in range(0, len(sentences), MAX_LABELLED):
            part = tuple(sentences[start : start + MAX_LABELLED])
            self._edits.edit(LabelSentences(sentences=part, class_name=name))
        if announce or len(sentences) > 1:
            words = self.tr("{n} sentences: {name} (Ctrl+Z to undo).")
            if len(sentences) == 1:
                words = self.tr("The sentence: {name} (Ctrl+Z to undo).")
            text = name or self.tr("no label")
            n = f"{len(sentences):,}"
            self.edit_reported.emit(words.format(n=n, name=text))
        return True

    # --- events ---

    def _on_renamed(self, answer: EditAnswer | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            self.failed.emit(answer)
            return
        words = self.tr("{what} Press Ctrl+Z to undo.")
        self.edit_reported.emit(words.format(what=answer.text).strip())

    def _on_counted(self, answer: LabelCountsAnswer | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            return
        self.counts = read_label_counts(answer)
        self.is_counted = True
        self._add_found()
        waiting, self._waiting = self._waiting, []
        for key, sentences, announce in waiting:
            self.label_by_key(key, sentences, announce=announce)
        self.changed.emit()

    def _add_found(self) -> None:
        """Add new classes after the known ones, whose order stays."""
        known = self.classes or list(self._saved_classes)
        totals: Counter[str] = Counter()
        for one in self.counts.values():
            if not one.are_scores:
                totals.update(one.classes)
        new = [name for name, _ in totals.most_common() if name not in known]
        if not known:
            new = [*sorted(new[:N_KEYS]), *new[N_KEYS:]]
        back = [name for name in new if name in self._renamed[0]]
        self.classes = [*known, *(name for name in new if name not in back)]
        if back:
            self._put_back(back)

    def _put_back(self, names: list[str]) -> None:
        """Restore the keys of classes after a renaming is undone or redone."""
        places, made = self._renamed
        classes = list(self.classes)
        now = self._places([made])
        if made in now and not self.total(made):
            classes.remove(made)
        for name in sorted(names, key=places.__getitem__):
            classes.insert(places[name], name)
        self._renamed = (now, names[0]) if len(names) == 1 else ({}, "")
        self._set_classes(classes)

    def _places(self, names: Sequence[str]) -> dict[str, int]:
        return {one: self.classes.index(one) for one in names if one in self.classes}

    def _set_classes(self, classes: list[str]) -> None:
        """Set the order of the keys, and save it for this project."""
        self.classes, self._saved_classes = classes, tuple(classes)
        if self._current_project() is not None:
            self.keys_changed.emit(self._saved_classes)
        self.changed.emit()

    def on_row_changed(self, kind: str) -> None:
        """Count again after a delay if labels changed."""
        if kind in LABEL_KINDS:
            self.labelled.emit()
            if self.is_counted:
                self._timer.start()

    def on_corpora_changed(self) -> None:
        """Count again after a delay."""
        if self.is_counted:
            self._timer.start()


def read_label_counts(answer: LabelCountsAnswer) -> dict[int, CorpusLabels]:
    """Return the labels by corpus."""
    return {
        one.id: CorpusLabels(one.n_labelled, one.n_classes, dict(one.classes))
        for one in answer.corpora
    }


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False
