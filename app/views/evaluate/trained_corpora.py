"""Corpora that encoders of the project were trained on."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial

import msgspec
from PySide6.QtCore import QCoreApplication

from app.params.training.encoder import TrainEncoder
from app.results.jobs import TrainedEncoder
from app.views.client.project_reader import ProjectReader
from app.views.client.runs import finished_runs
from app.views.widgets.corpus_choices import names_by_id

_tr = partial(QCoreApplication.translate, "trained_corpora")

MAX_RUNS_READ = 200

TrainedCorpora = Mapping[str, Collection[str]]  # names of corpora by encoder


def read_trained_corpora(project: ProjectReader) -> TrainedCorpora:
    """Return the corpora that the encoders were trained on, as the runs record them."""
    decode = partial(msgspec.json.decode, type=TrainedEncoder)
    names = names_by_id(project)
    return {
        result.name: {names.get(one, one) for one in params.corpora}
        for _, params, result in finished_runs(
            project.store, TrainEncoder, decode, MAX_RUNS_READ
        )
    }


def warn_of_trained_corpora(
    trained: TrainedCorpora, encoders: Sequence[str], corpora: Sequence[str]
) -> str:
    """Warn if an encoder was trained on texts that it is evaluated on; else empty."""
    words = _tr("{encoder} was trained on {corpora}, so its scores are too high.")
    known = {one: trained.get(one, ()) for one in encoders}
    return " ".join(
        words.format(encoder=encoder, corpora=", ".join(found))
        for encoder, names in known.items()
        if (found := [one for one in corpora if one in names])
    )
