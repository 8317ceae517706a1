"""Beads are read as columns, and compared where they changed."""

from pathlib import Path

import numpy as np
import pytest

from app.engine.project import create_project
from app.engine.store.bead_rows import (
    count_equal,
    join_beads,
    part_of_beads,
    read_beads,
)
from app.engine.store.bead_writes import Bead, write_alignment
from app.engine.store.pair_rows import first_pair_id
from app.engine.store.pair_writes import MiningCounts, NewMining
from app.engine.store.rows import first_id


def test_columns_say_how_confident_a_link_is(tmp_path: Path) -> None:
    ends = first_id(1), first_id(2)
    beads = [
        Bead(ends[0], 1, ends[1], 1, 0.6, 0.8, 0.1, 0.3),
        Bead(ends[0] + 1, 1, ends[1] + 1, 0),
        Bead(ends[0] + 2, 2, ends[1] + 1, 1, -0.1, 0.1, 0.2, 0.2),
    ]
    new = NewMining("a", "aligned", 1, 2, "", "", "e", "f", "distance", 0, "", None, [])
    with create_project(tmp_path / "p.isogloss") as project:
        counts = MiningCounts(2, 0, "{}")
        mining = write_alignment(project.store, new, beads, counts, None)
        first, end = first_pair_id(mining), first_pair_id(mining + 1)
        found = read_beads(project.store, first, end)
        some = read_beads(project.store, first + 1, end, limit=1)
    assert (found.ids - first).tolist() == [0, 2, 3]
    assert found.n_sources.tolist() == [1, 1, 2]
    # (0.8 - 0.2) / (1 - 0.2); not compared; further than chance
    assert found.confidences[[0, 2]] == pytest.approx([0.75, 0])
    assert np.isnan(found.confidences[1])
    assert some.ids.tolist() == [first + 2]
    parts = part_of_beads(found, 0, 1), part_of_beads(found, 2, 3)
    assert count_equal(found, join_beads(*parts)) == (1, 1)
    assert count_equal(found, found) == (3, 0)
