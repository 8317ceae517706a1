"""Answers about corpora that are shown side by side."""

import msgspec


class ColumnAnswer(msgspec.Struct, frozen=True):
    """A corpus in the rows of an answer.

    Attributes:
        corpus: id of the corpus.
        n: number of sentences in the rows.
        is_in_order: whether all sentences are shown; otherwise only linked sentences.
        n_links: links with earlier columns.
        n_crossing: links that cross too many others, whose ends are in different rows.
        alignment: id of the alignment whose links connect it with the first column; 0:
            the links of the import, or none.
        pairs: id of the pair set whose pairs connect it with the first column; 0: none.
        n_replaced: imported links with the first column that the alignment replaces.
    """

    corpus: int
    n: int
    is_in_order: bool
    n_links: int
    n_crossing: int
    alignment: int = 0
    pairs: int = 0
    n_replaced: int = 0


class ReadingAnswer(msgspec.Struct, frozen=True):
    """Corpora in common rows.

    Attributes:
        file: a .npy file of int64: for each column n_rows + 1 offsets of its rows, then
            the ids of its n sentences.
        linked: a .npy file of bool (n_columns, n_columns, n_rows): whether a link
            connects sentences of two columns in a row; [i, j] of i < j only.
        scores: a .npy file of float64 (2, n_rows): the lowest and the highest score of
            the pairs in each row, NaN where there is none; empty: no pairs are read.
    """

    file: str
    n_rows: int
    columns: list[ColumnAnswer]
    linked: str = ""
    scores: str = ""


class LinkedCorpus(msgspec.Struct, frozen=True):
    """A corpus that is linked with another corpus, and the number of links."""

    corpus: int
    n_links: int


class LinkedCorporaAnswer(msgspec.Struct, frozen=True):
    """The corpora connected with a corpus by imported links, most links first."""

    corpora: list[LinkedCorpus]


class WordSpan(msgspec.Struct, frozen=True, array_like=True):
    """A word of a sentence: code points begin … end - 1."""

    sentence: int
    begin: int
    end: int


class WordLink(msgspec.Struct, frozen=True, array_like=True):
    """Two words that translate each other.

    Attributes:
        first, second: indices into the answer's lists of words.
        confidence: 0…1.
    """

    first: int
    second: int
    confidence: float


class TranslatedWord(msgspec.Struct, frozen=True, array_like=True):
    """A word that translates another word: code points begin … end - 1 of a sentence.

    Attributes:
        confidence: 0…1.
    """

    sentence: int
    begin: int
    end: int
    confidence: float


class WordMarksAnswer(msgspec.Struct, frozen=True):
    """The words that translate a part of each text of a query."""

    found: list[list[TranslatedWord]]


class WordLinksAnswer(msgspec.Struct, frozen=True):
    """The words of two groups of sentences, and their links.

    Attributes:
        links: links, most confident first.
        n_pairs: number of linked sentence pairs used for the association.
        encoder: encoder whose word vectors were compared; empty: none.
    """

    first: list[WordSpan]
    second: list[WordSpan]
    links: list[WordLink]
    n_pairs: int
    encoder: str = ""


class ExampleWords(msgspec.Struct, frozen=True):
    """Words of the project for examples of queries.

    Attributes:
        language: code of the language of the words; empty: the project has no words.
        target: code of the language of most of their translations; empty: none.
        words: case-folded, the most frequent first.
        phrase: two words that end with the first one; empty: none.
        lemma, tag: a lemma and a part of speech of a CoNLL-U corpus; empty: none.
        sequence: a query for the lemma and the part of speech of the next word.
        patterns: the regular expressions of the query that have a hit.
    """

    language: str = ""
    target: str = ""
    words: tuple[str, ...] = ()
    phrase: str = ""
    lemma: str = ""
    tag: str = ""
    sequence: str = ""
    patterns: tuple[str, ...] = ()
