"""Apply a classifier to corpora: its input texts and all class probabilities.

Only the predicted class and its probability are stored: all probabilities of a million
sentences and a hundred classes would be 400 MB.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from app.arrays import FloatArray
from app.engine.classify.classifier import Classifier
from app.engine.classify.features import n_texts, raw_vectors_of, vectors_of
from app.engine.classify.labelled_rows import LabelledRows
from app.engine.classify.predictions import PredictedSentences
from app.engine.encoders.encoder import Encoder
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.corpora import CorpusRow, corpus_of, first_sentence_id
from app.engine.store.lookup import find_corpora, find_corpus
from app.errors import UserError
from app.params.classify import PAIR_SIGN


class ClassificationInput(NamedTuple):
    """Corpora with the texts of a row: one, or two of equal length."""

    corpora: tuple[CorpusRow, ...]

    @property
    def name(self) -> str:
        """Return the name: one corpus, or both."""
        return PAIR_SIGN.join(corpus.name for corpus in self.corpora)

    @property
    def n_rows(self) -> int:
        """Return the number of rows."""
        return self.corpora[0].n_sentences


def find_inputs(
    project: Project, classifier: Classifier, names: Sequence[str]
) -> list[ClassificationInput]:
    """Find distinct corpora, or pairs of corpora.

    Raises:
        UserError: a corpus does not exist, or the classifier has another number of
            texts.
    """
    found = [one for name in names for one in _find(project, classifier, name)]
    return list({tuple(c.id for c in one.corpora): one for one in found}.values())


def _find(
    project: Project, classifier: Classifier, name: str
) -> list[ClassificationInput]:
    """Find a corpus, the corpora of a sub-corpus, or two corpora of pairs.

    Raises:
        UserError: a corpus does not exist, or the classifier has another number of
            texts.
    """
    n = n_texts(classifier.config.features)
    if n == 1:
        return [
            ClassificationInput((corpus,))
            for corpus in find_corpora(project.store, [name])
        ]
    corpora = tuple(find_corpus(project.store, part) for part in name.split(PAIR_SIGN))
    if len(corpora) != n:
        raise UserError(
            f"The classifier {classifier.config.name} is for pairs of texts. Choose "
            f"two corpora that were imported together, A{PAIR_SIGN}B, instead of "
            f"{name}."
        )
    if len({corpus.n_sentences for corpus in corpora}) > 1:
        sizes = " and ".join(f"{corpus.n_sentences:,}" for corpus in corpora)
        raise UserError(
            f"{name} have {sizes} sentences, but pairs are two corpora that were "
            "imported together, row by row."
        )
    return [ClassificationInput(corpora)]


Texts = Mapping[int, str]


class ClassProbabilities:
    """Computes the probabilities of all classes, from stored vectors or by encoding."""

    def __init__(self, project: Project, classifier: Classifier, encoder: Encoder):
        self._project, self._classifier = project, classifier
        self._encoder = encoder

    def of(
        self, parts: Sequence[PredictedSentences], firsts: Texts, seconds: Texts
    ) -> dict[int, FloatArray]:
        """Classify some sentences again; return float32 (c,) by sentence id.

        Args:
            parts: stored predictions, with the corpora of the texts.
            firsts: texts by sentence id.
            seconds: second texts of pairs, by the same ids.
        """
        found: dict[int, FloatArray] = {}
        for part in parts:
            ids = [id_ for id_ in firsts if corpus_of(id_) == part.corpus.id]
            if not ids:
                continue
            positions = np.array(ids, np.int64) - first_sentence_id(part.corpus.id)
            sides = [self._side(part.corpus, positions, [firsts[i] for i in ids])]
            if part.other is not None:
                texts = [seconds[i] for i in ids]
                sides.append(self._side(part.other, positions, texts))
            shares = self._classifier.probabilities(tuple(sides))
            found.update(zip(ids, shares, strict=True))
        return found

    def _side(
        self,
        corpus: CorpusRow,
        positions: "np.ndarray[tuple[int], np.dtype[np.int64]]",
        texts: list[str],
    ) -> FloatArray:
        """Return the vectors of some sentences of a corpus: float32 (n, d)."""
        places = (positions + first_sentence_id(corpus.id))[:, None]  # (n,) -> (n, 1)
        rows = LabelledRows(corpus.name, (texts,), [""] * len(texts), places, (corpus,))
        if not self._classifier.config.normalised:
            (vectors,) = raw_vectors_of(
                self._project, self._encoder, rows, Report(), keeps=False
            )
            return vectors
        are_documents = self._classifier.is_of_documents
        (vectors,) = vectors_of(
            self._project,
            self._encoder,
            rows,
            Report(),  # the caller reports the pages
            document_language=corpus.language if are_documents else "",
            keeps=False,
        )
        return vectors
