"""Text for the progress of indexing and for corpora without an index."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.number_format import NO_BREAK
from app.params.words import IndexWords

if TYPE_CHECKING:
    from app.engine.store.corpora import CorpusRow
    from app.views.client.runs import RunState

_tr = partial(QCoreApplication.translate, "indexing")

N_NAMES = 3  # corpora named in a sentence


def describe_indexing(run: "RunState", corpora: "Sequence[CorpusRow]") -> str:
    """Return the progress of indexing, with the names of the corpora."""
    params = run.params
    wanted = set(params.corpora) if isinstance(params, IndexWords) else set()
    names = join_corpus_names([row.name for row in corpora if str(row.id) in wanted])
    words = _tr("Indexing the words of {names} (only once)")
    return describe_run_progress(words.format(names=names), run)


def describe_run_progress(text: str, run: "RunState") -> str:
    """Return the progress of a run."""
    if not run.has_begun:
        return _tr("{text}: waiting for another run…").format(text=text)
    if run.total:
        share = f"{100 * run.done // run.total}{NO_BREAK}%"
        return _tr("{text}: {share}").format(text=text, share=share)
    return f"{text}…"


def describe_not_indexed(names: Sequence[str]) -> str:
    """Return which corpora were skipped because they have no word index."""
    words = _tr("{names}: skipped, words not indexed yet.")
    return words.format(names=join_corpus_names(names))


def join_corpus_names(names: Sequence[str]) -> str:
    """Join the names of corpora; of many, show the first."""
    more = " …" if len(names) > N_NAMES else ""
    return ", ".join(names[:N_NAMES]) + more
