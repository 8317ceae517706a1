"""Read-only access to the store of the open project."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from app.engine.store.corpora import CorpusRow
    from app.engine.store.embeddings import EmbeddingRow
    from app.engine.store.hidden_sentences import HiddenCount
    from app.engine.store.journal import NextChanges
    from app.engine.store.pairs.sets import PairSetRow
    from app.engine.store.runs import RunRow
    from app.engine.store.subcorpora import SubcorpusRow


class ProjectReader:
    """An open project as the window reads it.

    Attributes:
        folder: the project's folder.
        store: read-only SQLAlchemy engine; views read pages of rows with it.
        is_read_only: nothing can be written, by the engine either.
        corpora: corpora that are ready, in the order they were made.
        subcorpora: those with a sentence of these corpora, in the order of making.
        hidden: how many sentences take no part, by corpus.
        embeddings: vectors of these corpora, by any encoder.
        minings: sets of pairs that are ready, the newest first.
        fingerprint: of the encoder in use; empty while it is not known.
        interrupted: runs that were cut off, can be resumed, and were not run again.
        can_undo: a change can be undone.
        can_redo: an undone change can be made again.
        next_changes: the next change to undo and the next to redo.
    """

    def __init__(self, folder: Path, *, is_read_only: bool):
        # The store's library takes 0.3 s to import: not before a project is open.
        from app.engine.store.connections import connect_reading

        self.folder = folder
        self.is_read_only = is_read_only
        self.store: Engine = connect_reading(folder, immutable=is_read_only)
        self.corpora: list[CorpusRow] = []
        self.subcorpora: list[SubcorpusRow] = []
        self.hidden: dict[int, HiddenCount] = {}
        self.edited: dict[int, int] = {}  # number of edited sentences by corpus
        self.embeddings: list[EmbeddingRow] = []
        self.minings: list[PairSetRow] = []
        self.fingerprint = ""
        self.interrupted: list[RunRow] = []
        self.can_undo = self.can_redo = False
        self.reload({"corpus", "hidden", "embedding", "mining", "run"})

    @property
    def name(self) -> str:
        """The project's name: its folder without the ending."""
        return self.folder.name.removesuffix(".isogloss")

    @property
    def texts(self) -> "list[CorpusRow]":
        """The corpora without the word lists of learned dictionaries."""
        return [corpus for corpus in self.corpora if not corpus.is_word_list]

    @property
    def n_sentences(self) -> int:
        """Number of sentences in the corpora that are ready."""
        return sum(corpus.n_sentences for corpus in self.texts)

    @property
    def searchable(self) -> "list[EmbeddingRow]":
        """The vectors that a search finds: those of the encoder in use."""
        return [
            row for row in self.embeddings if self.fingerprint in ("", row.fingerprint)
        ]

    def has(self, sentence_id: int) -> bool:
        """Return whether a sentence belongs to a corpus of the project."""
        from app.engine.store.corpora import corpus_of

        return corpus_of(sentence_id) in {corpus.id for corpus in self.corpora}

    def read_next_changes(self) -> None:
        """Read again which changes are undone and redone next."""
        from app.engine.store import journal

        self.next_changes: NextChanges = journal.read_next_changes(self.store)

    def reload(self, kinds: set[str]) -> None:
        """Read the lists again that rows of these kinds belong to."""
        from app.engine.store import corpora, hidden_sentences, subcorpora
        from app.engine.store.embeddings import list_embeddings
        from app.engine.store.journal import count_edited_sentences, read_undo_state
        from app.engine.store.pairs import sets
        from app.engine.store.runs import list_runs

        self.can_undo, self.can_redo = read_undo_state(self.store)
        self.read_next_changes()
        if "corpus" in kinds:
            self.corpora = corpora.list_corpora(self.store)
        if kinds & {"corpus", "subcorpus"}:
            known = {corpus.id for corpus in self.corpora}
            listed = subcorpora.list_subcorpora(self.store)
            self.subcorpora = [row for row in listed if known & row.counts.keys()]
        if kinds & {"corpus", "sentence"}:
            self.edited = count_edited_sentences(self.store)
        if "hidden" in kinds:
            self.hidden = hidden_sentences.count_hidden(self.store)
        if kinds & {"corpus", "embedding"}:
            self.embeddings = list_embeddings(self.store)
        if "mining" in kinds:
            self.minings = sets.list_pair_sets(self.store)
        if "run" in kinds:
            self.interrupted = _find_interrupted(list_runs(self.store))

    def close(self) -> None:
        """Close the connections."""
        self.store.dispose()


def _find_interrupted(runs: Sequence["RunRow"]) -> list["RunRow"]:
    """Return the interrupted runs, except those that a later run made unnecessary.

    Args:
        runs: the newest first.
    """
    finished: set[tuple[str, str]] = set()  # task and params
    interrupted = []
    for run in runs:
        if run.state == "finished":
            finished.add((run.task, run.params))
        elif run.state == "interrupted" and (run.task, run.params) not in finished:
            interrupted.append(run)
    return interrupted


def warm_imports() -> None:
    """Import what a project needs (called in a thread while the window is drawn)."""
    import numpy  # noqa: F401 - imported for its side effect: it is loaded early

    import app.engine.store.connections
    import app.engine.store.corpora
    import app.engine.store.pairs.sets  # noqa: F401 - as above
