"""Model of the links (beads) of an alignment, read in chunks."""

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal
from sqlalchemy import Engine

from app.engine.store.pairs.beads import (
    VERDICTS,
    concatenate_beads,
    count_equal_ends,
    empty_beads,
    read_beads,
    slice_beads,
)
from app.engine.store.pairs.sets import PairSetRow, first_pair_id, pair_set_of
from app.protocol.edits.alignments import MAX_JOINED

CHUNK = 2_000  # beads read at once, in about 10 ms
EDIT_REACH = 4 * MAX_JOINED  # maximum distance of bead ids in one edit
ACCEPTED, REJECTED = VERDICTS.index("accept"), VERDICTS.index("reject")


class AlignmentModel(QObject):
    """Reads the beads of an alignment in chunks, and changed beads again.

    Attributes:
        store: store of the alignment's project.
        alignment: open alignment, or None.
        beads: beads read so far.
    """

    reset = Signal()  # another alignment was opened
    grown = Signal()  # more beads were appended
    replaced = Signal(int, int, int)  # first index, old number, new number

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.alignment: PairSetRow | None = None
        self.beads = empty_beads()
        self.store: Engine | None = None
        self._stale: tuple[int, int] | None = None  # range of ids first … end - 1
        self._is_whole = True
        self._reader = QTimer(self, interval=0)
        self._reader.timeout.connect(self._read_more)
        self._refresher = QTimer(self, singleShot=True, interval=0)
        self._refresher.timeout.connect(self._read_stale)

    def __len__(self) -> int:
        """Return the number of beads read so far."""
        return self.beads.n

    @property
    def alignment_id(self) -> int:
        """Return the id of the open alignment, or 0."""
        return self.alignment.id if self.alignment is not None else 0

    @property
    def is_whole(self) -> bool:
        """Return whether all beads are read."""
        return self._is_whole

    def open(self, store: Engine | None, alignment: PairSetRow | None) -> None:
        """Open an alignment and read its beads; None: close the open alignment."""
        self.store, self.alignment = store, alignment
        self.beads, self._is_whole = empty_beads(), alignment is None
        self._stale = None
        self._refresher.stop()
        self.reset.emit()
        if alignment is not None and store is not None:
            self._read_more()
            if not self._is_whole:
                self._reader.start()
        else:
            self._reader.stop()

    def place_of(self, bead: int) -> int:
        """Return the index of a bead, or of the preceding bead if it was removed."""
        index = int(np.searchsorted(self.beads.ids, bead, side="right")) - 1
        return max(index, 0)

    def mark_changed(self, bead: int) -> None:
        """Schedule reading a bead that was added, removed or changed."""
        if pair_set_of(bead) == self.alignment_id:
            self._read_again(bead, bead + 1)

    def mark_all_changed(self) -> None:
        """Schedule reading all beads again."""
        if self.alignment_id:
            self._read_again(*self._id_range)

    def is_accepted(self, index: int) -> bool:
        """Return whether a person made or confirmed a link."""
        return bool(self.beads.verdicts[index] == ACCEPTED)

    def find_doubtful(self, index: int = -1, *, step: int = 1) -> int | None:
        """Find the least confident bead, or the next one after a bead.

        Skip judged beads.

        Args:
            index: index of the current bead; -1: find the least confident bead.
            step: 1 for the next more confident bead, -1 for the previous.
        """
        beads = self.beads
        is_open = (beads.verdicts == 0) & ~np.isnan(beads.confidences)
        indices = np.flatnonzero(is_open)
        if not len(indices):
            return None
        order = indices[np.argsort(beads.confidences[indices], kind="stable")]
        now = np.flatnonzero(order == index)
        at = int(now[0]) + step if len(now) else 0
        return int(order[at % len(order)])

    def count(self) -> tuple[int, int, int, int]:
        """Count links, unlinked sentences per side, and confirmed links."""
        beads = self.beads
        is_link = (beads.n_sources > 0) & (beads.n_targets > 0)
        return (
            int(is_link.sum()),
            int(beads.n_sources[beads.n_targets == 0].sum()),
            int(beads.n_targets[beads.n_sources == 0].sum()),
            int((beads.verdicts == ACCEPTED).sum()),
        )

    def _read_more(self) -> None:
        assert self.store is not None
        first, end = self._id_range
        if self.beads.n:
            first = int(self.beads.ids[-1]) + 1
        found = read_beads(self.store, first, end, limit=CHUNK)
        self.beads = concatenate_beads(self.beads, found) if self.beads.n else found
        self._is_whole = found.n < CHUNK
        if self._is_whole:
            self._reader.stop()
        self.grown.emit()

    def refresh(self) -> None:
        """Read the changed beads now instead of when the event loop is idle."""
        if self._refresher.isActive():
            self._refresher.stop()
            self._read_stale()

    @property
    def _id_range(self) -> tuple[int, int]:
        """Return the first id of the alignment's beads, and the last id plus 1."""
        return first_pair_id(self.alignment_id), first_pair_id(self.alignment_id + 1)

    def _read_again(self, first: int, end: int) -> None:
        old = self._stale or (first, end)
        # an edit is reported bead by bead: read all beads that it can have changed
        self._stale = min(old[0], first - EDIT_REACH), max(old[1], end + EDIT_REACH)
        self._refresher.start()

    def _read_stale(self) -> None:
        """Read the range of changed beads again, one chunk at a time."""
        if self.store is None or self._stale is None or not self.beads.n:
            return
        (low, high), self._stale = self._stale, None
        first, last = self._id_range
        low, high = max(low, first), min(high, last)
        if not self._is_whole:  # later beads are not read yet
            high = min(high, int(self.beads.ids[-1]) + 1)
        found = read_beads(self.store, low, high, limit=CHUNK)
        end = int(found.ids[-1]) + 1 if found.n == CHUNK else high
        if end < high:
            self._read_again(end, high)
        ids = self.beads.ids
        start, stop = (int(index) for index in np.searchsorted(ids, [low, end]))
        old = slice_beads(self.beads, start, stop)
        head, tail = count_equal_ends(old, found)
        before = slice_beads(self.beads, 0, start)
        after = slice_beads(self.beads, stop, self.beads.n)
        self.beads = concatenate_beads(before, found, after)
        n_same = head + tail
        self.replaced.emit(start + head, old.n - n_same, found.n - n_same)
