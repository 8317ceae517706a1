"""Edit the links of a row: remove them, or join the row with the next one."""

from collections.abc import Sequence
from functools import partial
from itertools import product

from PySide6.QtCore import QObject

from app.engine.store.pairs.beads import BeadColumns, read_beads
from app.engine.store.pairs.sets import find_pairs, first_pair_id
from app.errors import ErrorInfo
from app.protocol.answers.edits import EditAnswer
from app.protocol.edits import Change
from app.protocol.edits.alignments import MAX_JOINED, MergeBead, UnlinkBead
from app.protocol.edits.links import BY_HAND, ChangeLinks, LinkValues
from app.protocol.edits.pairs import JudgePairs
from app.views.client.state import AppState
from app.views.read.board import ReadingBoard
from app.views.widgets.number_format import format_count


class LinkEditor(QObject):
    """Edits the links between the first column and the selected one."""

    def __init__(self, state: AppState, board: ReadingBoard, parent: QObject):
        super().__init__(parent)
        self._state, self._board = state, board

    def unlink(self) -> None:
        """Remove the links of the selected row."""
        row, column = self._place()
        sides = self._ids(row, column)
        if not all(sides) or 0 not in self._board.rows.linked_columns(row, column):
            self._notice(self.tr("This row has no link to remove."))
            return
        alignment = self._board.rows.columns[column].alignment
        if pair_set := self._board.rows.columns[column].pairs:
            self._reject(pair_set, sides)
        elif alignment and (beads := self._beads(alignment, row, column)).n:
            is_link = (beads.n_sources > 0) & (beads.n_targets > 0)
            self._edit_bead(
                [UnlinkBead(bead=id_) for id_ in beads.ids[is_link][-1:].tolist()]
            )
        else:
            named = self._name_cells(row, column)
            self._send(ChangeLinks(removed=tuple(product(*sides))), named)

    def join(self) -> None:
        """Join the selected row with the next one by linking all their sentences."""
        row, column = self._place()
        rows = self._board.rows
        if row + 1 >= rows.n_rows:
            self._notice(self.tr("There is no row below this one to join."))
            return
        alignment = rows.columns[column].alignment
        if rows.columns[column].pairs:
            self._notice(self.tr("The pairs of a pair set can't be joined."))
            return
        if alignment and (beads := self._beads(alignment, row, column)).n:
            self._edit_bead([MergeBead(bead=id_) for id_ in beads.ids[-1:].tolist()])
            return
        first, second = (
            own + its
            for own, its in zip(
                self._ids(row, column), self._ids(row + 1, column), strict=True
            )
        )
        if not first or not second:
            self._notice(self.tr("The two rows have sentences in one column only."))
        elif max(len(first), len(second)) > MAX_JOINED:
            words = self.tr("A row joins at most {n} sentences of a column.")
            self._notice(words.format(n=MAX_JOINED))
        else:
            ends = {(first[0], other) for other in second}
            ends |= {(one, second[0]) for one in first}
            added: list[LinkValues] = [(*end, BY_HAND, None) for end in sorted(ends)]
            self._send(ChangeLinks(added=tuple(added)))

    # --- private ---

    def _place(self) -> tuple[int, int]:
        """Return the selected row, and the column of the links to edit."""
        place = self._board.selection
        return place.row, self._board.rows.linked_column(place.column)

    def _ids(self, row: int, column: int) -> tuple[list[int], list[int]]:
        rows = self._board.rows
        if column >= rows.n_columns or row >= rows.n_rows:
            return [], []
        return rows.ids(row, 0), rows.ids(row, column)

    def _beads(self, alignment: int, row: int, column: int) -> BeadColumns:
        """Read the links of an alignment in a row."""
        rows, project = self._board.rows, self._state.project
        assert project is not None
        low, high = (
            first_pair_id(alignment)
            + rows.first_position(at, 0)
            + rows.first_position(at, column)
            for at in (row, row + 1)
        )
        return read_beads(project.store, low, high)

    def _reject(self, pair_set: int, sides: tuple[list[int], list[int]]) -> None:
        """Reject the pairs of a pair set between sentences of both columns."""
        project = self._state.project
        assert project is not None
        found = find_pairs(project.store, pair_set, *sides)
        found += find_pairs(project.store, pair_set, *sides[::-1])
        if found:
            self._send(JudgePairs(pairs=tuple(found), verdict="reject"))
        else:
            words = self.tr("A runner-up is in this row. Judge the pair in Review.")
            self._notice(words)

    def _edit_bead(self, changes: Sequence[UnlinkBead | MergeBead]) -> None:
        if changes:
            self._send(changes[0])
        else:
            self._notice(self.tr("The alignment has no link here."))

    def _name_cells(self, row: int, column: int) -> str:
        """Name the cells of the edited link, such as "letters 4 – Briefe 4, 5"."""
        names = []
        for at, ids in zip((0, column), self._ids(row, column), strict=True):
            found = [self._board.read_sentence(one) for one in ids]
            lines = ", ".join(
                format_count(one.line) for one in found if one is not None
            )
            names.append(f"{self._board.rows.corpora[at].name} {lines}")
        return " – ".join(names)

    def _send(self, change: Change, named: str = "") -> None:
        self._state.edit(change, partial(self._on_edited, named))

    def _on_edited(self, named: str, answer: EditAnswer | ErrorInfo) -> None:
        if isinstance(answer, EditAnswer):
            text = answer.text.removesuffix(".")
            self._notice(f"{text}: {named}." if named else answer.text)
        elif answer.kind == "user":
            self._notice(answer.message)
        else:
            self._state.post(answer)

    def _notice(self, text: str) -> None:
        self._state.notice_posted.emit(text)
