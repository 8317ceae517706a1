"""Text for the progress of indexing and for corpora without an index."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication

from app.views.widgets.number_format import NO_BREAK

if TYPE_CHECKING:
    from app.engine.store.corpora import CorpusRow
    from app.views.client.runs import RunState

N_NAMES = 3  # corpora named in a sentence


def describe_indexing(run: "RunState", corpora: "Sequence[CorpusRow]") -> str:
    """Return whose words are being indexed, and how far that is."""
    wanted = set(getattr(run.params, "corpora", ()))
    names = join_corpus_names([row.name for row in corpora if str(row.id) in wanted])
    words = _tr("The words of {names} are being indexed, once")
    return describe_run_progress(words.format(names=names), run)


def describe_run_progress(text: str, run: "RunState") -> str:
    """Return what a job does, and how far that is."""
    if not run.has_begun:
        return _tr("{text}: waiting for the job before it …").format(text=text)
    if run.total:
        share = f"{100 * run.done // run.total}{NO_BREAK}%"
        return _tr("{text}: {share}").format(text=text, share=share)
    return f"{text} …"


def describe_not_indexed(names: Sequence[str]) -> str:
    """Return which corpora were left out since their words are not indexed."""
    words = _tr("{names}: left out, since the words are not indexed yet.")
    return words.format(names=join_corpus_names(names))


def _places(moved: dict[str, Any]) -> dict[str, str]:
    """Say where a hit was and is; the document twice only where it is another one."""
    document, old = moved.get("document", ""), moved.get("old_document", "")

    def place(name: str, line: int) -> str:
        words = _tr("{name}, line {line}") if name else _tr("line {line}")
        return words.format(name=name, line=line)

    new_line = moved["new_line"]
    new = place(document, new_line) if old else str(new_line)
    return {"old": place(old or document, moved["line"]), "new": new}


def join_corpus_names(names: Sequence[str]) -> str:
    """Name a few corpora."""
    more = " …" if len(names) > N_NAMES else ""
    return ", ".join(names[:N_NAMES]) + more


def _tr(text: str) -> str:
    return QCoreApplication.translate("concordance_words", text)
