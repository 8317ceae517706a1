"""What is asked about words: the controls of every page as one value."""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from app.params.equivalents import Equivalents
from app.params.words import Collocates, Frequencies, Keyness, Layer, SortCollocates
from app.word_questions import (
    CollocatesQuery,
    EquivalentsQuery,
    FrequenciesQuery,
    KeynessQuery,
)

PageName = Literal["frequencies", "collocates", "keyness", "equivalents"]
Params = Frequencies | Collocates | Keyness | Equivalents
Query = FrequenciesQuery | CollocatesQuery | KeynessQuery | EquivalentsQuery
PAGES: tuple[PageName, ...] = ("frequencies", "collocates", "keyness", "equivalents")
PAGE_ROWS = 200  # asked for at once
ALL_ROWS = 300  # of a list that comes whole
MOST_CANDIDATES = 100
N_EXAMPLES = 8
FREQUENCY_ORDERS = ("n", "item", "n_documents", "dispersion")


class WordsQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question about words.

    Attributes:
        page: which list is asked for.
        text: the word of collocates and equivalents.
        find: what frequencies are narrowed to.
        corpora, subcorpora: ids; none of either: the whole project.
        languages: codes; none: all.
        order, descending: key of the column that sorts frequencies, and which way.
        against, against_parts: ids of corpora and sub-corpora compared with.
        source_language, target_language: of equivalents.
        mining: id of a set of pairs; 0: links and alignments.
        dictionary: its id; 0: none.
    """

    page: PageName = "frequencies"
    text: str = ""
    find: str = ""
    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    languages: tuple[str, ...] = ()
    layer: Layer = "word"
    n: int = 1
    order: str = "n"
    descending: bool = True
    left: int = 5
    right: int = 5
    score: SortCollocates = "log-likelihood"
    against: tuple[int, ...] = ()
    against_parts: tuple[int, ...] = ()
    source_language: str = ""
    target_language: str = ""
    mining: int = 0
    accepted: bool = False
    dictionary: int = 0

    @property
    def is_empty(self) -> bool:
        """Tell whether something is missing that must be given before it is asked."""
        match self.page:
            case "collocates":
                return not self.text.strip()
            case "equivalents":
                return not (self.text.strip() and self.target_language)
            case "keyness":
                return not (self.has_this and (self.against or self.against_parts))
        return False

    @property
    def has_this(self) -> bool:
        """Tell whether corpora are named."""
        return bool(self.corpora or self.subcorpora)

    def to_query(
        self, offset: int = 0, *, asker: str = "words", waits: bool = True
    ) -> Query:
        """Make the query that the engine answers.

        Args:
            offset: of the page of frequencies; other lists come whole.
            asker: the part of the window that asks.
            waits: for frequencies that take long to count.
        """
        where: dict[str, Any] = {
            "corpora": self.corpora,
            "subcorpora": self.subcorpora,
            "languages": self.languages,
            "layer": self.layer,
            "asker": asker,
        }
        match self.page:
            case "collocates":
                return CollocatesQuery(
                    **where,
                    text=self.text.strip(),
                    left=self.left,
                    right=self.right,
                    order_by=self.score,
                    top=ALL_ROWS,
                )
            case "keyness":
                return KeynessQuery(
                    **where,
                    against_corpora=self.against,
                    against_subcorpora=self.against_parts,
                    n=self.n,
                    top=ALL_ROWS,
                )
            case "equivalents":
                return self._equivalents(where)
        order: Any = self.order if self.order in FREQUENCY_ORDERS else "n"
        return FrequenciesQuery(
            **where,
            n=self.n,
            find=self.find.strip(),
            order_by=order,
            descending=self.descending,
            offset=offset,
            limit=PAGE_ROWS,
            waits=waits,
        )

    def _equivalents(self, where: dict[str, Any]) -> EquivalentsQuery:
        return EquivalentsQuery(
            **{**where, "languages": ()},
            text=self.text.strip(),
            source_language=self.source_language,
            target_language=self.target_language,
            minings=(self.mining,) if self.mining else (),
            accepted=self.accepted and bool(self.mining),
            dictionary=self.dictionary or None,
            top=MOST_CANDIDATES,
            n_examples=N_EXAMPLES,
        )

    def to_params(self, names: "Names") -> Params:
        """Make the params of the task that lists the same in a terminal."""
        match self.page:
            case "collocates":
                return Collocates(
                    text=self.text.strip(),
                    corpora=tuple(names.corpora),
                    languages=self.languages,
                    left=self.left,
                    right=self.right,
                    layer=self.layer,
                    order_by=self.score,
                )
            case "keyness":
                return Keyness(
                    corpora=tuple(names.corpora),
                    against=tuple(names.against),
                    languages=self.languages,
                    layer=self.layer,
                    n=self.n,
                )
            case "equivalents":
                return Equivalents(
                    text=self.text.strip(),
                    target_language=self.target_language,
                    source_language=self.source_language,
                    pairs=(names.pairs,) if names.pairs else (),
                    accepted=self.accepted and bool(self.mining),
                    corpora=tuple(names.corpora),
                    layer=self.layer,
                    dictionary=names.dictionary,
                )
        return Frequencies(
            corpora=tuple(names.corpora),
            languages=self.languages,
            layer=self.layer,
            n=self.n,
            find=self.find.strip(),
        )

    def to_json(self) -> dict[str, Any]:
        """Give plain values for the window's state."""
        values: dict[str, Any] = msgspec.to_builtins(self)
        return values


class Names(msgspec.Struct, frozen=True, kw_only=True):
    """What a question's ids are called in a command.

    Attributes:
        corpora, against: of corpora and sub-corpora.
        pairs: of the set of pairs; empty: none.
        dictionary: empty: none.
    """

    corpora: Sequence[str] = ()
    against: Sequence[str] = ()
    pairs: str = ""
    dictionary: str = ""


def read_question(values: Any) -> WordsQuestion:
    """Read a question back; what another version wrote gives an empty one."""
    try:
        return msgspec.convert(values, WordsQuestion)
    except msgspec.ValidationError:
        return WordsQuestion()


__all__ = ["PAGES", "Names", "PageName", "Params", "WordsQuestion", "read_question"]
