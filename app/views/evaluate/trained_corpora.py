"""Warning before an evaluation on corpora that an encoder was trained on."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication

from app.engine.store.trainings import read_trained_corpora
from app.views.client.project_reader import ProjectReader
from app.views.widgets.corpus_choices import find_chosen

_tr = partial(QCoreApplication.translate, "trained_corpora")


class TrainedCorpora:
    """The corpora on which the encoders of a project were trained."""

    def __init__(self, project: ProjectReader):
        self._project = project
        self._ids: Mapping[str, Collection[int]] = read_trained_corpora(project.store)

    def warn(self, encoders: Sequence[str], corpora: Sequence[str]) -> str:
        """Return a warning if encoders were trained on at least two of the corpora."""
        words = _tr("{encoder} was trained on {corpora}, so its results are too good.")
        chosen = [row for name in corpora for row in find_chosen(self._project, name)]
        warnings = []
        for encoder in encoders:
            ids = self._ids.get(encoder, ())
            names = list(dict.fromkeys(row.name for row in chosen if row.id in ids))
            if len(names) > 1:
                text = words.format(encoder=encoder, corpora=", ".join(names))
                warnings.append(text)
        return " ".join(warnings)
