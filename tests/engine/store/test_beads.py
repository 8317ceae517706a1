"""Beads are read as columns, and compared where they changed."""

from pathlib import Path

import numpy as np
import pytest

from app.engine.project.project import create_project
from app.engine.store.corpora import first_sentence_id
from app.engine.store.pairs.beads import (
    Bead,
    concatenate_beads,
    count_equal_ends,
    read_beads,
    slice_beads,
    write_alignment,
)
from app.engine.store.pairs.sets import NewPairSet, PairSetCounts, first_pair_id


def test_columns_say_how_confident_a_link_is(tmp_path: Path) -> None:
    ends = first_sentence_id(1), first_sentence_id(2)
    beads = [
        Bead(ends[0], 1, ends[1], 1, 0.6, 0.8, 0.1, 0.3),
        Bead(ends[0] + 1, 1, ends[1] + 1, 0),
        Bead(ends[0] + 2, 2, ends[1] + 1, 1, -0.1, 0.1, 0.2, 0.2),
    ]
    new = NewPairSet(
        "a", "aligned", 1, 2, "", "", "e", "f", "distance", 0, "", None, []
    )
    with create_project(tmp_path / "p.isogloss") as project:
        counts = PairSetCounts(2, 0, "{}")
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
    parts = slice_beads(found, 0, 1), slice_beads(found, 2, 3)
    assert count_equal_ends(found, concatenate_beads(*parts)) == (1, 1)
    assert count_equal_ends(found, found) == (3, 0)
