"""The probabilities of all classes of classified sentences, computed again.

Of a prediction only the class that was said and its probability are kept: a million
sentences of a hundred classes would be 400 MB.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from app.engine.classify.classifier import Classifier
from app.engine.classify.labelled import Labelled
from app.engine.classify.predicted import Said
from app.engine.classify.vectors import vectors_of
from app.engine.encoders.encoder import Encoder
from app.engine.project import Project
from app.engine.report import Report
from app.engine.store.arrays import FloatArray
from app.engine.store.rows import CorpusRow, corpus_of, first_id

Texts = Mapping[int, str]


class AllShares:
    """Gives the probabilities of every class, by kept vectors or by encoding."""

    def __init__(self, project: Project, classifier: Classifier, encoder: Encoder):
        self._project, self._classifier = project, classifier
        self._encoder = encoder

    def of(
        self, parts: Sequence[Said], firsts: Texts, seconds: Texts
    ) -> dict[int, FloatArray]:
        """Classify some sentences again; float32 (c,) by the sentence's id.

        Args:
            parts: what was said; names the corpora of the texts.
            firsts: texts by the sentences' ids.
            seconds: of pairs the second texts, by the same ids.
        """
        found: dict[int, FloatArray] = {}
        for part in parts:
            ids = [id_ for id_ in firsts if corpus_of(id_) == part.corpus.id]
            if not ids:
                continue
            positions = np.array(ids, np.int64) - first_id(part.corpus.id)
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
        """Give the unit vectors of some sentences of a corpus: float32 (n, d)."""
        places = (positions + first_id(corpus.id))[:, None]  # (n,) -> (n, 1)
        rows = Labelled(corpus.name, (texts,), [""] * len(texts), places, (corpus,))
        are_documents = self._classifier.is_of_documents
        (vectors,) = vectors_of(
            self._project,
            self._encoder,
            rows,
            Report(),  # the pages are reported already
            document_language=corpus.language if are_documents else "",
            keeps=False,
        )
        return vectors
