"""Task: classify every sentence of corpora, in resumable shards."""

import time
from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.arrays import FloatArray
from app.engine.classify.classifier import Classifier
from app.engine.classify.features import document_vectors
from app.engine.classify.inference import ClassificationInput, find_inputs
from app.engine.classify.labelled_rows import pairing_note
from app.engine.classify.repository import (
    load_classifier_encoder,
    load_project_classifier,
)
from app.engine.encoders.encoder import Encoder
from app.engine.project.active_sentences import is_active
from app.engine.project.project import Project
from app.engine.runtime.devices import preferred_device
from app.engine.runtime.report import Report
from app.engine.search.vector_source import TextHashes, VectorSource
from app.engine.store.classifiers import (
    NO_VECTOR,
    PredictionRow,
    Predictions,
    begin_prediction,
    delete_prediction,
    find_classifier,
    find_edited,
    is_prediction_complete,
    list_predictions,
    map_predictions,
    open_prediction_writer,
    record_prediction_progress,
    remove_prediction_files,
)
from app.engine.store.corpora import CorpusRow
from app.engine.store.embeddings import (
    find_embedding,
    is_embedding_complete,
    map_embedding,
)
from app.engine.store.sentences import read_texts
from app.params.classify import Classify
from app.plurals import count_text
from app.results.task import TaskResult

Read = Callable[[int, int], FloatArray]  # vectors at the positions start … end - 1
FIRST_SHARD, MIN_SHARD, MAX_SHARD = 512, 64, 65_536  # rows
SHARD_S = 0.5  # target time of a shard, which a kill can lose and Cancel waits for


class ClassifiedCorpus(msgspec.Struct, frozen=True):
    """Predictions of one corpus.

    Attributes:
        corpus: name of the corpus, or both names for pairs.
        classes: sentences of each class (empty for a head that returns scores).
        n_without_vector: sentences without any token that the encoder knows.
        mean_probability: mean probability of the predicted classes, or the mean score.
        resumed_at: rows that an earlier run had classified.
        was_done: all rows had been classified before.
    """

    corpus: str
    id: int
    sentences: int
    classes: dict[str, int]
    n_without_vector: int
    mean_probability: float
    resumed_at: int = 0
    was_done: bool = False


class ClassifyResult(TaskResult, frozen=True):
    """The classified corpora.

    Attributes:
        notes: sentences on assumptions that were made.
    """

    classifier: str
    encoder: str
    sentences: int
    seconds: float
    corpora: tuple[ClassifiedCorpus, ...]
    notes: tuple[str, ...] = ()


def classify(project: Project, params: Classify, report: Report) -> ClassifyResult:
    """Classify every sentence of corpora by a trained classifier.

    Each corpus is classified completely, so that predictions are ready when a hidden
    sentence is restored or another sub-corpus is used; results count only active
    sentences.

    Raises:
        UserError: unknown classifier or corpus, the encoder was changed or removed, or
            the classifier is for pairs and a corpus has no second corpus.
        Cancelled: finished shards are saved, and the next run resumes after them.
    """
    begun = time.monotonic()
    row = find_classifier(project.store, params.classifier)
    classifier = load_project_classifier(project, params.classifier)
    sides = find_inputs(project, classifier, params.corpora)
    found = (pairing_note(project.store, one.corpora) for one in sides)
    notes = [note for note in found if note]
    report.step("Loading the encoder", 0, 1)
    encoder = load_classifier_encoder(
        project, classifier, params.encoder, preferred_device()
    )
    classifying = _CorpusClassifier(project, classifier, row.id, encoder, report)
    done = tuple(classifying.classify(one) for one in sides)
    n = sum(one.sentences for one in done)
    return ClassifyResult(
        classifier=row.name,
        encoder=encoder.name,
        sentences=n,
        seconds=time.monotonic() - begun,
        message=" ".join(
            [f"Classified {count_text(n, 'sentence')} with {row.name}.", *notes]
        ),
        corpora=done,
        notes=tuple(notes),
    )


class _CorpusClassifier:
    """Classifies one corpus after another with one classifier."""

    def __init__(
        self,
        project: Project,
        classifier: Classifier,
        classifier_id: int,
        encoder: Encoder,
        report: Report,
    ):
        self._project, self._classifier = project, classifier
        self._classifier_id, self._encoder = classifier_id, encoder
        self._report = report
        self._text_hashes = TextHashes(project.store)

    def classify(self, sides: ClassificationInput) -> ClassifiedCorpus:
        """Classify the remaining rows of a corpus."""
        row = self._begin(sides)
        resumed_at = row.n_done
        was_done = row.n_done == row.n_rows
        if not was_done:
            self._fill(row, sides)
            self._report.changed("prediction", row.id)
            row = row._replace(n_done=row.n_rows)
        return self._summarise(row, sides, resumed_at, was_done=was_done)

    def _begin(self, sides: ClassificationInput) -> PredictionRow:
        """Resume or begin a prediction; delete an outdated prediction."""
        project = self._project
        other_id = sides.corpora[1].id if len(sides.corpora) == 2 else 0
        wanted = (sides.corpora[0].id, other_id)
        for row in list_predictions(project.store, classifier_id=self._classifier_id):
            if (row.corpus_id, row.other_id) != wanted:
                continue
            is_edited = bool(find_edited(project.store, [row]))
            fits = row.n_rows == sides.n_rows and not is_edited
            if fits and (
                row.n_done < row.n_rows or is_prediction_complete(project.folder, row)
            ):
                return row
            delete_prediction(project.store, row.id)
            remove_prediction_files(project.folder, row.array)
        values = {
            "classifier_id": self._classifier_id,
            "corpus_id": wanted[0],
            "other_id": other_id,
            "n_rows": sides.n_rows,
            "run_id": self._report.run,
        }
        return begin_prediction(project.store, values)

    def _fill(self, row: PredictionRow, sides: ClassificationInput) -> None:
        """Classify shard by shard, writing each shard to disk before recording it."""
        position = row.n_done
        try:
            writer = open_prediction_writer(self._project.folder, row, position)
        except FileNotFoundError:
            position = 0
            writer = open_prediction_writer(self._project.folder, row, position)
        sources = [self._source(corpus, position) for corpus in sides.corpora]
        size = FIRST_SHARD
        try:
            while position < row.n_rows:
                begun = time.monotonic()
                self._report.step(f"Classifying {sides.name}", position, row.n_rows)
                end = min(position + size, row.n_rows)
                writer.append(*self._predict([read(position, end) for read in sources]))
                writer.flush()
                if end < row.n_rows:
                    record_prediction_progress(
                        self._project.store, row.id, end, self._report.run
                    )
                size = _next_size(end - position, time.monotonic() - begun)
                position = end
            writer.finish()
        finally:
            writer.close()
        record_prediction_progress(
            self._project.store, row.id, row.n_rows, self._report.run
        )
        self._report.step(f"Classifying {sides.name}", position, row.n_rows)

    def _source(self, corpus: CorpusRow, n_done: int) -> Read:
        """Return a reader of a corpus's vectors, from the store or by encoding."""
        project, encoder = self._project, self._encoder
        if self._classifier.is_of_documents:
            return lambda start, end: document_vectors(
                None,
                encoder,
                read_texts(project.store, corpus.id, start, end),
                corpus.language,
                self._report,
            )
        row = find_embedding(project.store, corpus.id, encoder.fingerprint)
        if row is not None and is_embedding_complete(project.folder, row):
            units, _, norms = map_embedding(project.folder, row)
            return lambda start, end: self._scale(units[start:end], norms[start:end])
        source = VectorSource(
            project,
            encoder,
            corpus.id,
            n_wanted=corpus.n_sentences - n_done,
            text_hashes=self._text_hashes,
        )
        return lambda start, end: self._scale(*source.read(start, end))

    def _scale(self, unit_vectors: FloatArray, norms: FloatArray) -> FloatArray:
        """Scale vectors to the lengths that the classifier was trained on."""
        if self._classifier.config.normalised:
            return np.asarray(unit_vectors)
        return unit_vectors * norms[:, None]  # (n, d) x (n, 1)

    def _predict(self, vectors: Sequence[FloatArray]) -> Predictions:
        """Classify rows; a row without a vector gets no class."""
        sides = tuple(vectors)
        has_vector = np.logical_and.reduce([side.any(axis=1) for side in sides])
        if self._classifier.gives_scores:
            scores = self._classifier.scores(sides)
            classes = np.where(has_vector, 0, NO_VECTOR).astype(np.int32)
            return Predictions(classes, np.where(has_vector, scores, 0))
        shares = self._classifier.probabilities(sides)
        said = np.where(has_vector, shares.argmax(axis=1), NO_VECTOR).astype(np.int32)
        return Predictions(said, np.where(has_vector, shares.max(axis=1), 0))

    def _summarise(
        self,
        row: PredictionRow,
        sides: ClassificationInput,
        resumed_at: int,
        *,
        was_done: bool,
    ) -> ClassifiedCorpus:
        said = map_predictions(self._project.folder, row)
        takes_part = np.ones(row.n_rows, bool)
        for corpus in sides.corpora:
            takes_part &= is_active(self._project, corpus, np.arange(row.n_rows))
        has_class = (np.asarray(said.classes) >= 0) & takes_part
        names = self._classifier.config.classes
        counts = np.bincount(said.classes[has_class], minlength=len(names)).tolist()
        sure: NDArray[np.float32] = said.probabilities[has_class]
        return ClassifiedCorpus(
            corpus=sides.name,
            id=sides.corpora[0].id,
            sentences=int(takes_part.sum()),
            classes=dict(zip(names, counts, strict=False)),
            n_without_vector=int(np.count_nonzero(takes_part & ~has_class)),
            mean_probability=float(sure.mean()) if len(sure) else float("nan"),
            resumed_at=resumed_at,
            was_done=was_done,
        )


def _next_size(n_rows: int, seconds: float) -> int:
    """Choose the next shard's size by the last one's time; grow at most fourfold."""
    wanted = int(n_rows * SHARD_S / max(seconds, 1e-3))
    return min(max(wanted, MIN_SHARD), 4 * n_rows, MAX_SHARD)
