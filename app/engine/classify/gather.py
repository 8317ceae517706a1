"""Labelled rows from several places, with their vectors."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from app.engine.classify.labelled import Labelled
from app.engine.classify.shared_rows import group_rows
from app.engine.classify.training import Data
from app.engine.classify.vectors import vectors_of
from app.engine.encoders.encoder import Encoder
from app.engine.report import Report
from app.errors import UserError

if TYPE_CHECKING:
    from app.engine.project import Project


def join_labelled(parts: Sequence[Labelled]) -> Labelled:
    """Put rows of several files or corpora into one, without vectors.

    Its places are ids of sentences only where every part is from corpora.

    Raises:
        UserError: some are single texts and others pairs.
    """
    first = parts[0]
    for part in parts[1:]:
        if len(part.texts) != len(first.texts):
            raise UserError(
                f"{first.source} and {part.source} do not go together: one has single "
                "texts and the other pairs."
            )
    are_sentences = all(part.corpora for part in parts)
    columns = range(len(first.texts))
    places = [part.places if are_sentences else part.places[:, :1] for part in parts]
    return Labelled(
        source=", ".join(part.source for part in parts),
        texts=tuple([t for part in parts for t in part.texts[c]] for c in columns),
        labels=[label for part in parts for label in part.labels],
        places=np.concatenate(places),
        corpora=first.corpora if are_sentences else (),
        n_unlabelled=sum(part.n_unlabelled for part in parts),
        n_empty=sum(part.n_empty for part in parts),
        note=" ".join(part.note for part in parts if part.note),
    )


def gather_data(
    project: "Project | None",
    encoder: Encoder,
    parts: Sequence[Labelled],
    report: Report,
    *,
    document_language: str = "",
) -> Data:
    """Join rows and their vectors; those of corpora are taken where they are kept.

    Rows that say the same are told, so that none is held out without the others.
    """
    sides = [
        vectors_of(project, encoder, part, report, document_language=document_language)
        for part in parts
    ]
    vectors = tuple(np.concatenate(column) for column in zip(*sides, strict=True))
    groups = group_rows(parts, project.store if project else None)
    return Data(join_labelled(parts), vectors, groups)
