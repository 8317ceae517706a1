"""Settings of a concordance query: words, match mode, scope and sort order."""

from collections.abc import Sequence
from typing import Any

import msgspec

from app.params.words import Concordance, MatchMode, SortKey
from app.protocol.queries.words import ConcordanceQuery
from app.views.widgets.view_protocol import TextLookup

N_PREVIEW_LINES = 200  # are shown before all are sorted
MAX_SORT_KEYS = 3  # words that lines are sorted by


class ConcordanceSettings(msgspec.Struct, frozen=True, kw_only=True):
    """A question to the concordance.

    Attributes:
        corpora, subcorpora: ids; none of either: the whole project.
        languages: codes; none: all.
    """

    text: str = ""
    mode: MatchMode = "words"
    case: bool = False
    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    languages: tuple[str, ...] = ()
    sort: tuple[SortKey, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to ask."""
        return not self.text.strip()

    def to_query(self, *, is_first: bool) -> ConcordanceQuery:
        """Make the query that the engine answers: for the first lines, or for all."""
        query = ConcordanceQuery(
            text=self.text if self.mode == "regex" else self.text.strip(),
            mode=self.mode,
            case=self.case,
            corpora=self.corpora,
            subcorpora=self.subcorpora,
            languages=self.languages,
            sort=self.sort,
            asker="concordance",
        )
        if is_first:
            query = msgspec.structs.replace(query, top=N_PREVIEW_LINES)
        return query

    def to_params(self, names: Sequence[str]) -> Concordance:
        """Make the params of the task; `names`: what corpora and sub-corpora are."""
        return Concordance(
            text=self.text if self.mode == "regex" else self.text.strip(),
            mode=self.mode,
            case=self.case,
            corpora=tuple(names),
            languages=self.languages,
            sort=self.sort,
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain values for the history and the window's state."""
        values: dict[str, Any] = msgspec.to_builtins(self)
        return values


def read_settings(values: Any) -> ConcordanceSettings:
    """Read a question back; what another version wrote gives an empty one."""
    try:
        return msgspec.convert(values, ConcordanceSettings)
    except msgspec.ValidationError:
        return ConcordanceSettings()


def settings_from_request(
    wish: TextLookup, sort: Sequence[SortKey]
) -> ConcordanceSettings:
    """Make the question of what another view wants to see."""
    return ConcordanceSettings(
        text=wish.text,
        corpora=wish.corpora,
        subcorpora=wish.subcorpora,
        languages=wish.languages,
        sort=tuple(sort),
    )


def query_words(question: ConcordanceSettings) -> str:
    """Return the words of a question as a text that means something.

    Signs that leave letters open go, and so does what names no word: pos:VERB; an
    expression gives nothing.
    """
    if question.mode == "regex":
        return ""
    words = [word for word in question.text.split() if not word.startswith("pos:")]
    plain = [word.removeprefix("lemma:").strip("*") for word in words]
    return " ".join(word for word in plain if word)


def sort_further(sort: Sequence[SortKey], side: str) -> tuple[SortKey, ...]:
    """Sort by one more word of a side: R1, then R1 R2, then all three, then none.

    Args:
        sort: the order now.
        side: L or R.
    """
    ladder: tuple[SortKey, ...] = (
        ("L1", "L2", "L3") if side == "L" else ("R1", "R2", "R3")
    )
    for n in range(MAX_SORT_KEYS):
        if tuple(sort) == ladder[:n] and n:
            return ladder[: n + 1]
    return () if tuple(sort) == ladder else ladder[:1]


def toggle_sort(sort: Sequence[SortKey], key: SortKey) -> tuple[SortKey, ...]:
    """Sort by one more key, or by one less; at most three, the oldest one goes."""
    if key in sort:
        return tuple(one for one in sort if one != key)
    if key in ("position", "random"):
        return (key,)
    kept = tuple(one for one in sort if one not in ("position", "random"))
    return (
        (*kept[-(MAX_SORT_KEYS - 1) :], key)
        if len(kept) == MAX_SORT_KEYS
        else (*kept, key)
    )
