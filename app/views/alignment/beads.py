"""The beads of an alignment, read in chunks and updated after edits."""

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from app.engine.store.pairs.beads import (
    VERDICTS,
    concatenate_beads,
    count_equal_ends,
    empty_beads,
    read_beads,
    slice_beads,
)
from app.engine.store.pairs.sets import first_pair_id, pair_set_of
from app.protocol.edits.alignments import MAX_JOINED

if TYPE_CHECKING:
    from sqlalchemy import Engine

CHUNK = 2_000  # beads that are read at once: some 10 ms
EDIT_REACH = 4 * MAX_JOINED  # ids: a change reaches no further
ACCEPTED, REJECTED = VERDICTS.index("accept"), VERDICTS.index("reject")


class BeadList(QObject):
    """Reads beads part by part, and those again that change.

    Attributes:
        mining: id of the alignment; 0: none.
        beads: those that are read so far.
    """

    reset = Signal()  # another alignment: nothing is where it was
    grown = Signal()  # more beads are there, behind the others
    replaced = Signal(int, int, int)  # first place, beads before, beads now

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.mining = 0
        self.beads = empty_beads()
        self._store: Engine | None = None
        self._stale: tuple[int, int] | None = None  # ids first … end - 1
        self._is_whole = True
        self._reader = QTimer(self, interval=0)
        self._reader.timeout.connect(self._read_more)
        self._refresher = QTimer(self, singleShot=True, interval=0)
        self._refresher.timeout.connect(self._read_stale)

    def __len__(self) -> int:
        """Count the beads that are read."""
        return self.beads.n

    @property
    def is_whole(self) -> bool:
        """Return whether all beads are read."""
        return self._is_whole

    def open(self, store: "Engine | None", mining: int) -> None:
        """Read an alignment from the beginning; 0: none."""
        self._store, self.mining = store, mining
        self.beads, self._is_whole = empty_beads(), not mining
        self._stale = None
        self._refresher.stop()
        self.reset.emit()
        if mining and store is not None:
            self._read_more()
            if not self._is_whole:
                self._reader.start()
        else:
            self._reader.stop()

    def place_of(self, bead: int) -> int:
        """Return the place of a bead; of the one before it, if it is gone."""
        place = int(np.searchsorted(self.beads.ids, bead, side="right")) - 1
        return max(place, 0)

    def take_change(self, bead: int) -> None:
        """Take note that a bead came, went, or is another now."""
        if pair_set_of(bead) == self.mining:
            self._read_again(bead, bead + 1)

    def take_changes(self) -> None:
        """Take note that any bead may be another now."""
        if self.mining:
            ends = first_pair_id(self.mining), first_pair_id(self.mining + 1)
            self._read_again(*ends)

    def is_accepted(self, place: int) -> bool:
        """Return whether a hand has made or confirmed a link."""
        return bool(self.beads.verdicts[place] == ACCEPTED)

    def find_doubtful(self, place: int, *, step: int = 1) -> int | None:
        """Find the next bead to doubt: the least confident first, then the next.

        Those that somebody has judged are left out.

        Args:
            place: the one that is looked at now.
            step: 1: the next more confident; -1: back.
        """
        beads = self.beads
        is_open = (beads.verdicts == 0) & ~np.isnan(beads.confidences)
        places = np.flatnonzero(is_open)
        if not len(places):
            return None
        order = places[np.argsort(beads.confidences[places], kind="stable")]
        now = np.flatnonzero(order == place)
        at = int(now[0]) + step if len(now) else 0
        return int(order[at % len(order)])

    def count(self) -> tuple[int, int, int, int]:
        """Count links, sentences alone on each side, and links by hand."""
        beads = self.beads
        is_link = (beads.n_sources > 0) & (beads.n_targets > 0)
        return (
            int(is_link.sum()),
            int(beads.n_sources[beads.n_targets == 0].sum()),
            int(beads.n_targets[beads.n_sources == 0].sum()),
            int((beads.verdicts == ACCEPTED).sum()),
        )

    def _read_more(self) -> None:
        assert self._store is not None
        first = first_pair_id(self.mining)
        if self.beads.n:
            first = int(self.beads.ids[-1]) + 1
        end = first_pair_id(self.mining + 1)
        found = read_beads(self._store, first, end, limit=CHUNK)
        self.beads = concatenate_beads(self.beads, found) if self.beads.n else found
        self._is_whole = found.n < CHUNK
        if self._is_whole:
            self._reader.stop()
        self.grown.emit()

    def refresh(self) -> None:
        """Read what changed now, not in a moment."""
        if self._refresher.isActive():
            self._refresher.stop()
            self._read_stale()

    def _read_again(self, first: int, end: int) -> None:
        old = self._stale or (first, end)
        # what a change makes and takes away comes in several notes: look around
        self._stale = min(old[0], first - EDIT_REACH), max(old[1], end + EDIT_REACH)
        self._refresher.start()

    def _read_stale(self) -> None:
        """Read the beads between those that changed again, a part at a time."""
        if self._store is None or self._stale is None or not self.beads.n:
            return
        (low, high), self._stale = self._stale, None
        low = max(low, first_pair_id(self.mining))
        high = min(high, first_pair_id(self.mining + 1))
        if not self._is_whole:  # what comes behind is not read yet
            high = min(high, int(self.beads.ids[-1]) + 1)
        found = read_beads(self._store, low, high, limit=CHUNK)
        end = int(found.ids[-1]) + 1 if found.n == CHUNK else high
        if end < high:
            self._read_again(end, high)
        ids = self.beads.ids
        start, stop = (int(place) for place in np.searchsorted(ids, [low, end]))
        old = slice_beads(self.beads, start, stop)
        head, tail = count_equal_ends(old, found)
        before = slice_beads(self.beads, 0, start)
        after = slice_beads(self.beads, stop, self.beads.n)
        self.beads = concatenate_beads(before, found, after)
        n_same = head + tail
        self.replaced.emit(start + head, old.n - n_same, found.n - n_same)
