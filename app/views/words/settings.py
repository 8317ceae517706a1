"""Settings of word lists for each page, and the history of queries."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, cast, get_args

import msgspec
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from app.languages import primary_language
from app.params.word_vectors import NearestWords, TranslateWord
from app.params.words import (
    Collocates,
    Equivalents,
    Frequencies,
    Keyness,
    Layer,
    SortCollocates,
)
from app.protocol.answers.words import WordListAnswer
from app.protocol.base import BaseQuery
from app.protocol.queries.words import (
    CollocatesQuery,
    EquivalentsQuery,
    FrequenciesQuery,
    KeynessQuery,
    NeighboursQuery,
    TranslationsQuery,
)
from app.views.widgets.query_field import shorten

PageName = Literal[
    "frequencies", "collocates", "keyness", "equivalents", "translations"
]
ListParams = (
    Frequencies | Collocates | Keyness | Equivalents | TranslateWord | NearestWords
)
Query = (
    FrequenciesQuery
    | CollocatesQuery
    | KeynessQuery
    | EquivalentsQuery
    | TranslationsQuery
    | NeighboursQuery
)
PAGES: tuple[PageName, ...] = get_args(PageName)
N_TRANSLATIONS = 20  # per ranking
N_NEIGHBOURS = 50  # words in one language
PAGE_ROWS = 200  # rows per page of frequencies
MAX_ROWS = 300  # rows of other lists, which have one page
MAX_CANDIDATES = 100
N_EXAMPLES = 8
FREQUENCY_ORDERS = ("n", "item", "n_documents", "dispersion")


class WordListSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of all word lists; each page uses some of them.

    Attributes:
        page: list type.
        text: word of collocates and equivalents.
        find: filter of frequencies.
        corpora, subcorpora: ids; both empty: the complete project.
        languages: codes; empty: all.
        order, descending: sort order of frequencies.
        against, against_parts: ids of reference corpora and sub-corpora.
        source_language, target_language: languages of equivalents.
        mining: id of a pair set; 0: links and alignments.
        dictionary: id of a dictionary; 0: none.
        map: name of the bilingual vectors.
        vectors: name of word vectors, for nearest words in one language; empty:
            translations.
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
    map: str = ""
    vectors: str = ""

    @property
    def is_empty(self) -> bool:
        """Return whether a setting is missing or keyness would compare equal texts."""
        match self.page:
            case "collocates":
                return not self.text.strip()
            case "equivalents":
                return not (self.text.strip() and self.target_language)
            case "translations":
                return not (self.text.strip() and (self.map or self.vectors))
            case "keyness":
                has_texts = self.corpora or self.subcorpora
                has_reference = self.against or self.against_parts
                return not (has_texts and has_reference) or self.is_same_texts
        return False

    @property
    def is_same_texts(self) -> bool:
        """Return whether the texts equal the reference texts."""
        return (
            self.page == "keyness"
            and bool(self.corpora or self.subcorpora)
            and set(self.corpora) == set(self.against)
            and set(self.subcorpora) == set(self.against_parts)
        )

    @property
    def is_one_language(self) -> bool:
        """Return whether the word and its equivalents are in the same language."""
        source, target = self.source_language, self.target_language
        return bool(source) and primary_language(source) == primary_language(target)

    def to_query(
        self, offset: int = 0, *, requester: str = "words", waits: bool = True
    ) -> BaseQuery[WordListAnswer]:
        """Return the query of the list.

        Args:
            offset: row offset of the page of frequencies; other lists have one page.
            requester: the part of the window that sends the query.
            waits: count frequencies even if it takes long.
        """
        return cast("BaseQuery[WordListAnswer]", self._query(offset, requester, waits))

    def _query(self, offset: int, requester: str, waits: bool) -> Query:
        where: dict[str, Any] = {
            "corpora": self.corpora,
            "subcorpora": self.subcorpora,
            "languages": self.languages,
            "layer": self.layer,
            "requester": requester,
        }
        match self.page:
            case "collocates":
                return CollocatesQuery(
                    **where,
                    text=self.text.strip(),
                    left=self.left,
                    right=self.right,
                    order_by=self.score,
                    top=MAX_ROWS,
                )
            case "keyness":
                return KeynessQuery(
                    **where,
                    against_corpora=self.against,
                    against_subcorpora=self.against_parts,
                    n=self.n,
                    top=MAX_ROWS,
                )
            case "equivalents":
                return self._equivalents(where)
            case "translations" if self.vectors:
                return NeighboursQuery(
                    text=self.text.strip(),
                    vectors=self.vectors,
                    top=N_NEIGHBOURS,
                    requester=requester,
                )
            case "translations":
                return TranslationsQuery(
                    text=self.text.strip(),
                    map=self.map,
                    top=N_TRANSLATIONS,
                    requester=requester,
                )
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

    def to_params(self, names: "ResourceNames") -> ListParams:
        """Return the params of the task that produces the same list."""
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
            case "translations" if self.vectors:
                return NearestWords(
                    vectors=Path(self.vectors), text=self.text.strip(), top=N_NEIGHBOURS
                )
            case "translations":
                return TranslateWord(
                    map=Path(self.map), text=self.text.strip(), top=N_TRANSLATIONS
                )
        return Frequencies(
            corpora=tuple(names.corpora),
            languages=self.languages,
            layer=self.layer,
            n=self.n,
            find=self.find.strip(),
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain values for the saved state."""
        values: dict[str, Any] = msgspec.to_builtins(self)
        return values


class ResourceNames(msgspec.Struct, frozen=True, kw_only=True):
    """The names of the resources that settings name by id.

    Attributes:
        corpora, against: of corpora and sub-corpora.
        pairs: of the pair set; empty: none.
        dictionary: empty: none.
    """

    corpora: Sequence[str] = ()
    against: Sequence[str] = ()
    pairs: str = ""
    dictionary: str = ""


def read_settings(values: Any) -> WordListSettings:
    """Read saved settings; return default ones if another version wrote them."""
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
        self.queries: list[WordListSettings] = []

    def add(self, settings: WordListSettings) -> None:
        """Add a query that was answered."""
        if _query_text(settings):
            kept = [one for one in self.queries if _key(one) != _key(settings)]
            self.queries = [settings, *kept][:MAX_HISTORY]

    def fill(self, menu: QMenu) -> None:
        """Add the queries to a menu."""
        names = {
            "frequencies": self.tr("frequencies"),
            "collocates": self.tr("collocates"),
            "keyness": self.tr("keyness"),
            "equivalents": self.tr("equivalents"),
            "translations": self.tr("nearest words"),
        }
        for settings in self.queries:
            words = f"{_query_text(settings)} · {names[settings.page]}"
            action = menu.addAction(shorten(words))
            action.triggered.connect(lambda _=False, q=settings: self._ask(q))

    def to_json(self) -> list[dict[str, Any]]:
        """Return plain values for the saved state."""
        return [settings.to_json() for settings in self.queries]

    def restore(self, values: Any) -> None:
        """Restore the result of `to_json`."""
        read = [read_settings(one) for one in values or ()]
        self.queries = [settings for settings in read if _query_text(settings)][
            :MAX_HISTORY
        ]


def _query_text(settings: WordListSettings) -> str:
    is_found = settings.page in ("collocates", "equivalents", "translations")
    return (settings.text if is_found else settings.find).strip()


def _key(settings: WordListSettings) -> tuple[str, str, str]:
    return settings.page, _query_text(settings), settings.target_language
