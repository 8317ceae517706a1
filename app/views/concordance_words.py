"""What the concordance says: counts, progress, notes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication

from app.views.words import NO_BREAK, count_words, format_count

if TYPE_CHECKING:
    from app.engine.store.rows import CorpusRow
    from app.views.concordance_desk import Concord
    from app.views.runs import RunState

N_NAMES = 3  # corpora named in a sentence


def describe_count(found: "Concord") -> str:
    """Say how many hits there are, how often that is, and how long it took."""
    words = _tr("{n} hits in {m} of {total}")
    if found.n <= 1:
        words = _tr("1 hit in {total}") if found.n else _tr("No hit in {total}")
    if found.is_cut:
        words = _tr("{n} hits at least: the time was over after {total}")
    total = count_words(found.n_searched, _tr("1 sentence"), _tr("{n} sentences"))
    n, m = format_count(found.n), format_count(found.n_sentences)
    parts = [words.format(n=n, m=m, total=total)]
    if found.n and found.n_tokens:
        rate = 1e6 * found.n / found.n_tokens
        number = f"{rate:,.1f}" if rate < 100 else f"{rate:,.0f}"
        words = _tr("{rate} per million of {n} words")
        parts.append(words.format(rate=number, n=format_count(found.n_tokens)))
    ms = max(round(1000 * found.elapsed_s), 1)
    parts.append(f"{format_count(ms)}{NO_BREAK}ms")
    return " · ".join(parts)


def describe_indexing(run: "RunState", corpora: "Sequence[CorpusRow]") -> str:
    """Say whose words are being indexed, and how far that is."""
    wanted = set(getattr(run.params, "corpora", ()))
    names = name_corpora([row.name for row in corpora if str(row.id) in wanted])
    words = _tr("The words of {names} are being indexed, once")
    return describe_progress(words.format(names=names), run)


def describe_progress(text: str, run: "RunState") -> str:
    """Say what a job does, and how far that is."""
    if not run.has_begun:
        return _tr("{text}: waiting for the job before it …").format(text=text)
    if run.total:
        share = f"{100 * run.done // run.total}{NO_BREAK}%"
        return _tr("{text}: {share}").format(text=text, share=share)
    return f"{text} …"


def describe_left_out(names: Sequence[str]) -> str:
    """Say which corpora were left out since their words are not indexed."""
    words = _tr("{names}: left out, since the words are not indexed yet.")
    return words.format(names=name_corpora(names))


def describe_move(result: dict[str, Any]) -> str:
    """Say what became of the hits of a list in another corpus, those named a line each.

    Args:
        result: of the task `move-hits`.
    """
    counts = (
        (_tr("in the same line: {n}"), "n_stayed"),
        (_tr("in another line or document: {n}"), "n_moved"),
        (_tr("in a sentence that was corrected: {n}"), "n_changed"),
        (_tr("gone: {n}"), "n_lost"),
        (_tr("of other corpora, as they were: {n}"), "n_others"),
    )
    lines = [words.format(n=format_count(result[name])) for words, name in counts]
    fates = {
        "moved": _tr("{old} → {new}: {text}"),
        "changed": _tr("{old} → {new}, corrected: {text}"),
        "lost": _tr("{old}, gone: {text}"),
    }
    named = [one for one in result["named"] if one["fate"] in fates]
    lines += [""] if named else []
    return "\n".join(
        [*lines, *(fates[one["fate"]].format(**one, **_places(one)) for one in named)]
    )


def _places(moved: dict[str, Any]) -> dict[str, str]:
    """Say where a hit was and is; the document twice only where it is another one."""
    document, old = moved.get("document", ""), moved.get("old_document", "")

    def place(name: str, line: int) -> str:
        words = _tr("{name}, line {line}") if name else _tr("line {line}")
        return words.format(name=name, line=line)

    new_line = moved["new_line"]
    new = place(document, new_line) if old else str(new_line)
    return {"old": place(old or document, moved["line"]), "new": new}


def name_corpora(names: Sequence[str]) -> str:
    """Name a few corpora."""
    more = " …" if len(names) > N_NAMES else ""
    return ", ".join(names[:N_NAMES]) + more


def _tr(text: str) -> str:
    return QCoreApplication.translate("concordance_words", text)
