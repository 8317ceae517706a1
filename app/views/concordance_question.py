"""What is asked of the concordance: words or an expression, where, in which order."""

from collections.abc import Sequence
from typing import Any

import msgspec

from app.params.concordance import Concordance, MatchMode, SortKey
from app.views.view import ConcordanceWish
from app.word_questions import ConcordanceQuery

FIRST_LINES = 200  # are shown before all are sorted
MOST_SORTED = 3  # words that lines are sorted by


class ConcordanceQuestion(msgspec.Struct, frozen=True, kw_only=True):
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
        """Tell whether there is nothing to ask."""
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
            query = msgspec.structs.replace(query, top=FIRST_LINES)
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
        """Give plain values for the history and the window's state."""
        values: dict[str, Any] = msgspec.to_builtins(self)
        return values


def read_concordance(values: Any) -> ConcordanceQuestion:
    """Read a question back; what another version wrote gives an empty one."""
    try:
        return msgspec.convert(values, ConcordanceQuestion)
    except msgspec.ValidationError:
        return ConcordanceQuestion()


def question_of(wish: ConcordanceWish, sort: Sequence[SortKey]) -> ConcordanceQuestion:
    """Make the question of what another view wants to see."""
    return ConcordanceQuestion(
        text=wish.text,
        corpora=wish.corpora,
        subcorpora=wish.subcorpora,
        languages=wish.languages,
        sort=tuple(sort),
    )


def meant_by(question: ConcordanceQuestion) -> str:
    """Give the words of a question as a text that means something.

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
    for n in range(MOST_SORTED):
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
        (*kept[-(MOST_SORTED - 1) :], key) if len(kept) == MOST_SORTED else (*kept, key)
    )
