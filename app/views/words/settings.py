"""Settings of a word list for each page, and the history of earlier ones."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from app.params.words import (
    Collocates,
    Equivalents,
    Frequencies,
    Keyness,
    Layer,
    SortCollocates,
)
from app.protocol.queries.words import (
    CollocatesQuery,
    EquivalentsQuery,
    FrequenciesQuery,
    KeynessQuery,
)
from app.views.widgets.query_field import shorten

PageName = Literal["frequencies", "collocates", "keyness", "equivalents"]
Params = Frequencies | Collocates | Keyness | Equivalents
Query = FrequenciesQuery | CollocatesQuery | KeynessQuery | EquivalentsQuery
PAGES: tuple[PageName, ...] = ("frequencies", "collocates", "keyness", "equivalents")
PAGE_ROWS = 200  # asked for at once
ALL_ROWS = 300  # of a list that comes whole
MAX_CANDIDATES = 100
N_EXAMPLES = 8
FREQUENCY_ORDERS = ("n", "item", "n_documents", "dispersion")


class WordListSettings(msgspec.Struct, frozen=True, kw_only=True):
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
        """Return whether something is missing that must be given before it is asked."""
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
        """Return whether corpora are named."""
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
            top=MAX_CANDIDATES,
            n_examples=N_EXAMPLES,
        )

    def to_params(self, names: "ResourceNames") -> Params:
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
        """Return plain values for the window's state."""
        values: dict[str, Any] = msgspec.to_builtins(self)
        return values


class ResourceNames(msgspec.Struct, frozen=True, kw_only=True):
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


def read_settings(values: Any) -> WordListSettings:
    """Read a question back; what another version wrote gives an empty one."""
    try:
        return msgspec.convert(values, WordListSettings)
    except msgspec.ValidationError:
        return WordListSettings()


MAX_HISTORY = 20


class WordsHistory(QObject):
    """The newest questions with a word, each once.

    Attributes:
        questions: the newest first.
    """

    def __init__(self, ask: Callable[[WordListSettings], object], parent: QObject):
        super().__init__(parent)
        self._ask = ask
        self.questions: list[WordListSettings] = []

    def note(self, question: WordListSettings) -> None:
        """Remember a question that was answered."""
        if _query_text(question):
            kept = [one for one in self.questions if _key(one) != _key(question)]
            self.questions = [question, *kept][:MAX_HISTORY]

    def fill(self, menu: QMenu) -> None:
        """Offer the questions again."""
        names = {
            "frequencies": self.tr("frequencies"),
            "collocates": self.tr("collocates"),
            "keyness": self.tr("keyness"),
            "equivalents": self.tr("equivalents"),
        }
        for question in self.questions:
            words = f"{_query_text(question)} · {names[question.page]}"
            action = menu.addAction(shorten(words))
            action.triggered.connect(lambda _=False, q=question: self._ask(q))

    def to_json(self) -> list[dict[str, Any]]:
        """Return plain values for the window's state."""
        return [question.to_json() for question in self.questions]

    def restore(self, values: Any) -> None:
        """Bring back what `to_json` gave."""
        read = [read_settings(one) for one in values or ()]
        self.questions = [question for question in read if _query_text(question)][
            :MAX_HISTORY
        ]


def _query_text(question: WordListSettings) -> str:
    is_found = question.page in ("collocates", "equivalents")
    return (question.text if is_found else question.find).strip()


def _key(question: WordListSettings) -> tuple[str, str, str]:
    return question.page, _query_text(question), question.target_language
