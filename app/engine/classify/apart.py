"""Keep what is tested apart from what is trained on: no translation of a test row."""

from typing import TYPE_CHECKING

import numpy as np

from app.engine.classify.labelled import Labelled
from app.engine.store.pair_rows import read_links
from app.engine.store.rows import first_id
from app.errors import UserError

if TYPE_CHECKING:
    from app.engine.project import Project


def set_apart(
    project: "Project | None", train: Labelled, tests: dict[str, Labelled]
) -> tuple[Labelled, dict[str, Labelled]]:
    """Take the training rows out that a link says are translations of a test's rows.

    A test on the training corpus itself gets these rows, and no others.

    Raises:
        UserError: the rows are not of corpora, or nothing is left on one of the sides.
    """
    if project is None or not train.corpora:
        raise UserError(
            "Translations are known of the corpora of a project only: train on a "
            "corpus, or do not set translations apart."
        )
    own = train.corpora[0].id
    positions = train.places[:, 0] - first_id(own)
    is_apart = np.zeros(len(positions), np.bool_)
    for rows in tests.values():
        if not rows.corpora or rows.corpora[0].id == own:
            continue
        other = rows.corpora[0].id
        ours, theirs = read_links(project.store, own, other)
        tested = rows.places[:, 0] - first_id(other)
        is_apart |= np.isin(positions, ours[np.isin(theirs, tested)])
    apart, rest = np.flatnonzero(is_apart), np.flatnonzero(~is_apart)
    if not len(rest):
        raise UserError(
            f"{train.source}: each labelled row is a translation of a test row: "
            "nothing is left to train on."
        )
    kept = {}
    for name, rows in tests.items():
        is_own = bool(rows.corpora) and rows.corpora[0].id == own
        if is_own and not len(apart):
            raise UserError(
                f"The test {name} is on the training corpus, but no row of it was set "
                "apart: test on other rows."
            )
        kept[name] = train.part(apart) if is_own else rows
    return train.part(rest), kept
