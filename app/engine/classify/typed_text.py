"""Classification of a typed text or pair of texts outside the corpora."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from app.engine.classify.classifier import FOLDER, Classifier, load_classifier
from app.engine.classify.features import n_texts, raw_vectors_of, vectors_of
from app.engine.classify.labelled_rows import LabelledRows
from app.engine.classify.predictions import find_classifier_by_id
from app.engine.classify.repository import load_classifier_encoder
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.errors import UserError
from app.plurals import count_text
from app.protocol.answers.classify import ClassifyTextAnswer
from app.protocol.queries.classify import ClassifyTextQuery

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder

N_CLASSES = 100  # most probable classes listed in an answer


class _Loaded(NamedTuple):
    id: int
    classifier: Classifier
    encoder: "Encoder"


class _NewestClassifier:
    """Caches the last used classifier with its encoder."""

    def __init__(self) -> None:
        self._loaded: _Loaded | None = None

    def load(self, project: Project, id_: int) -> _Loaded:
        """Return a classifier of the project, loaded if necessary.

        Raises:
            UserError: the classifier or its encoder does not exist.
        """
        row = find_classifier_by_id(project, id_)
        if self._loaded is None or self._loaded.id != row.id:
            classifier = load_classifier(project.folder / FOLDER / row.folder)
            encoder = load_classifier_encoder(project, classifier)
            self._loaded = _Loaded(row.id, classifier, encoder)
        return self._loaded


def classify_text(
    session: SearchSession, query: ClassifyTextQuery
) -> ClassifyTextAnswer:
    """Return the probabilities of the classes of a text, or the score of a pair.

    Raises:
        UserError: the classifier or its encoder does not exist, or the classifier has
            another number of texts.
    """
    loaded = session.cache(_NewestClassifier, _NewestClassifier).load(
        session.project, query.classifier
    )
    classifier = loaded.classifier
    n = n_texts(classifier.config.features)
    if len(query.texts) != n:
        raise UserError(
            f"The classifier {classifier.config.name} needs {count_text(n, 'text')}, "
            f"not {len(query.texts)}."
        )
    texts = tuple([text] for text in query.texts)
    rows = LabelledRows("", texts, [""], np.zeros((1, 1), np.int64))
    if classifier.config.normalised:
        language = classifier.config.language if classifier.is_of_documents else ""
        vectors = vectors_of(
            None, loaded.encoder, rows, Report(), document_language=language
        )
    else:
        vectors = raw_vectors_of(None, loaded.encoder, rows, Report())
    if not all(side.any() for side in vectors):
        return ClassifyTextAnswer()
    if classifier.gives_scores:
        return ClassifyTextAnswer(score=float(classifier.scores(vectors)[0]))
    (shares,) = classifier.probabilities(vectors).tolist()
    ranked = sorted(
        zip(classifier.config.classes, shares, strict=True), key=lambda one: -one[1]
    )
    return ClassifyTextAnswer(classes=tuple(ranked[:N_CLASSES]))
