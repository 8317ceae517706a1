"""Settings of a concordance query: words, match mode, scope and sort order."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from app.params.words import Concordance, MatchMode, SortKey
from app.protocol.queries.words import ConcordanceQuery
from app.views.widgets.view_protocol import TextLookup

N_PREVIEW_LINES = 200  # lines shown before all lines arrive
MAX_SORT_KEYS = 3


class Scope(NamedTuple):
    """The corpora, sub-corpora and languages of a query."""

    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    languages: tuple[str, ...] = ()


class ConcordanceSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a query and the order of its lines.

    Attributes:
        corpora, subcorpora: ids; both empty: the complete project.
        languages: codes; empty: all.
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
        """Return whether the query is empty."""
        return not self.text.strip()

    @property
    def scope(self) -> Scope:
        """The searched texts."""
        return Scope(self.corpora, self.subcorpora, self.languages)

    def to_query(self, *, is_first: bool) -> ConcordanceQuery:
        """Return the query for the first lines or for all lines."""
        query = ConcordanceQuery(
            text=self.text if self.mode == "regex" else self.text.strip(),
            mode=self.mode,
            case=self.case,
            corpora=self.corpora,
            subcorpora=self.subcorpora,
            languages=self.languages,
            sort=self.sort,
            requester="concordance",
        )
        if is_first:
            query = msgspec.structs.replace(query, top=N_PREVIEW_LINES)
        return query

    def to_params(self, names: Sequence[str]) -> Concordance:
        """Return the params of the task; `names`: names of corpora and sub-corpora."""
        return Concordance(
            text=self.text if self.mode == "regex" else self.text.strip(),
            mode=self.mode,
            case=self.case,
            corpora=tuple(names),
            languages=self.languages,
            sort=self.sort,
        )

    def differs_only_in_sort(self, other: "ConcordanceSettings") -> bool:
        """Return whether other settings find the same lines in another order."""
        return msgspec.structs.replace(other, sort=self.sort) == self

    def to_json(self) -> dict[str, Any]:
        """Return JSON values for the history and the saved state of the window."""
        values: dict[str, Any] = msgspec.to_builtins(self)
        return values


def read_settings(values: Any) -> ConcordanceSettings:
    """Read saved settings; return empty settings if another version saved them."""
    try:
        return msgspec.convert(values, ConcordanceSettings)
    except msgspec.ValidationError:
        return ConcordanceSettings()


def settings_from_request(
    lookup: TextLookup, sort: Sequence[SortKey]
) -> ConcordanceSettings:
    """Return the settings for a lookup request from another view."""
    return ConcordanceSettings(
        text=lookup.text,
        corpora=lookup.corpora,
        subcorpora=lookup.subcorpora,
        languages=lookup.languages,
        sort=tuple(sort),
    )


def query_words(settings: ConcordanceSettings) -> str:
    """Return the plain words of a query for a search by meaning.

    Wildcards and parts of speech (pos:VERB) are removed; a regular expression has no
    words.
    """
    if settings.mode == "regex":
        return ""
    words = [word for word in settings.text.split() if not word.startswith("pos:")]
    plain = [word.removeprefix("lemma:").strip("*") for word in words]
    return " ".join(word for word in plain if word)


def sort_further(sort: Sequence[SortKey], side: str) -> tuple[SortKey, ...]:
    """Extend the sort order on a side by one word: R1, R1 R2, all three, then none.

    Args:
        sort: current sort keys.
        side: "L" or "R".
    """
    ladder: tuple[SortKey, ...] = (
        ("L1", "L2", "L3") if side == "L" else ("R1", "R2", "R3")
    )
    for n in range(MAX_SORT_KEYS):
        if tuple(sort) == ladder[:n] and n:
            return ladder[: n + 1]
    return () if tuple(sort) == ladder else ladder[:1]


def toggle_sort(sort: Sequence[SortKey], key: SortKey) -> tuple[SortKey, ...]:
    """Add or remove a sort key; remove the oldest key if there are more than three."""
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
