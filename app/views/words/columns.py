"""Columns of word lists: headings, help texts and number formats."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from PySide6.QtCore import QCoreApplication

from app.number_format import MINUS, NO_BREAK, format_percent
from app.protocol.answers.words import (
    CollocateRow,
    CollocatesAnswer,
    EquivalentRow,
    EquivalentsAnswer,
    FrequencyRow,
    KeynessAnswer,
    KeywordRow,
    NeighbourRow,
    NeighboursAnswer,
    TranslationRow,
    TranslationsAnswer,
    WordRow,
)
from app.views.widgets.number_format import format_count
from app.views.words.session import LoadedWordList

_tr = partial(QCoreApplication.translate, "words")

R = TypeVar(
    "R",
    FrequencyRow,
    CollocateRow,
    KeywordRow,
    EquivalentRow,
    TranslationRow,
    NeighbourRow,
)


class WordColumn(NamedTuple, Generic[R]):
    """A column of a word list.

    Attributes:
        key: name of the field.
        title: heading.
        hint: tooltip.
        value: function that returns the sort value of a row.
        text: function that returns the text of a cell.
        has_bar: whether a bar behind the number shows its share of the maximum.
        is_text: whether cells contain text, not numbers.
    """

    key: str
    title: str
    hint: str
    value: Callable[[R], Any]
    text: Callable[[R], str]
    has_bar: bool = False
    is_text: bool = False


def columns_of(listed: LoadedWordList) -> list[WordColumn[Any]]:
    """Return the non-empty columns of a list."""
    match listed.answer:
        case CollocatesAnswer():
            return _collocates()
        case KeynessAnswer():
            return _keyness()
        case EquivalentsAnswer():
            columns = _equivalents()
            return columns if listed.settings.dictionary else columns[:-1]
        case TranslationsAnswer():
            return _translations()
        case NeighboursAnswer():
            return _neighbours()
    has_documents = listed.answer.n_documents > 1
    return _frequencies() + (_documents() if has_documents else [])


def table_of(
    listed: LoadedWordList, compared: tuple[str, str] | None = None
) -> list[list[str]]:
    """Return the rows as a table for export with unrounded numbers.

    The header contains the column titles on screen.

    Args:
        compared: names of the texts and of the reference texts of keywords, for
            two more columns.
    """
    if not listed.rows:
        return [[_tr("Word")]]
    shown = {column.key: column.title for column in columns_of(listed)}
    titles = {"low": _tr("95\u00a0% from"), "high": _tr("95\u00a0% to"), **shown}
    fields = listed.rows[0].__struct_fields__
    names = [name for name in fields if name != "examples"]
    found = [[titles.get(name, name) for name in names]]
    for row in listed.rows:
        values = msgspec.structs.asdict(row)
        found.append([_plain(values[name]) for name in names])
    if compared is None:
        return found
    header = [*found[0], _tr("These texts"), _tr("Reference texts")]
    return [header, *([*row, *compared] for row in found[1:])]


def sort_rows(
    rows: Sequence[WordRow], column: WordColumn[Any], *, descending: bool
) -> list[WordRow]:
    """Sort rows by a column; rows without a value come last."""
    known = [row for row in rows if column.value(row) is not None]
    rest = [row for row in rows if column.value(row) is None]
    return sorted(known, key=column.value, reverse=descending) + rest


def written_form(row: WordRow) -> str:
    """Return the most frequent written form of a row's word, if known."""
    return (row.form if isinstance(row, EquivalentRow) else "") or row.item


def _frequencies() -> list[WordColumn[FrequencyRow]]:
    return [
        _item(_tr("Word")),
        _number("rank", _tr("Rank"), _tr("Rank by frequency."), lambda row: row.rank),
        _number(
            "n",
            _tr("Count"),
            _tr("Number of occurrences."),
            lambda row: row.n,
            has_bar=True,
        ),
        WordColumn(
            "per_million",
            _tr("Per million"),
            _tr("Occurrences per million words with 95\u00a0% confidence interval."),
            lambda row: row.per_million,
            lambda row: (
                _with_interval(_rate, row.per_million, row.low or 0.0, row.high or 0.0)
                if row.per_million is not None
                else "–"
            ),
        ),
    ]


def _documents() -> list[WordColumn[FrequencyRow]]:
    return [
        _number(
            "n_documents",
            _tr("Documents"),
            _tr("Number of documents that contain it."),
            lambda row: row.n_documents,
        ),
        _number(
            "dispersion",
            _tr("Dispersion"),
            _tr("DP (Gries 2008): 0 is evenly spread over the documents, 1 clumped."),
            lambda row: row.dispersion,
            _figures(3),
        ),
    ]


def _collocates() -> list[WordColumn[CollocateRow]]:
    return [
        _item(_tr("Collocate")),
        _number("n", _tr("Near"), _tr("Occurrences near the word."), lambda r: r.n),
        _number(
            "n_left",
            _tr("Left"),
            _tr("Occurrences to the left of the word."),
            lambda row: row.n_left,
        ),
        _number(
            "n_right",
            _tr("Right"),
            _tr("Occurrences to the right of the word."),
            lambda row: row.n_right,
        ),
        _log_likelihood(lambda row: row.log_likelihood),
        _number(
            "log_dice",
            _tr("Log-Dice"),
            _tr("Rychlý 2008: how typical the combination is; at most 14."),
            lambda row: row.log_dice,
            _figures(2),
        ),
        _number(
            "t_score",
            _tr("t-score"),
            _tr("Church et al. 1991: above 2, it is unlikely to be chance."),
            lambda row: row.t_score,
            _figures(2),
        ),
        _number(
            "n_corpus", _tr("Count"), _tr("All occurrences."), lambda row: row.n_corpus
        ),
        _number(
            "expected",
            _tr("Expected"),
            _tr("Occurrences near the word expected by chance."),
            lambda row: row.expected,
            _figures(1),
        ),
    ]


def _keyness() -> list[WordColumn[KeywordRow]]:
    return [
        _item(_tr("Word")),
        _number(
            "n", _tr("Count"), _tr("Occurrences in these texts."), lambda row: row.n
        ),
        _number(
            "n_against",
            _tr("Reference count"),
            _tr("Occurrences in the reference texts."),
            lambda row: row.n_against,
        ),
        WordColumn(
            "log_ratio",
            _tr("Log ratio"),
            _tr(
                "Effect size (Hardie 2014) with 95\u00a0% confidence interval: 1 is "
                "twice as frequent as in the reference texts, 2 four times, −1 half."
            ),
            lambda row: row.log_ratio,
            lambda row: _with_interval(_figures(2), row.log_ratio, row.low, row.high),
        ),
        _log_likelihood(lambda row: row.log_likelihood),
        _number(
            "per_million",
            _tr("Per million"),
            _tr("Occurrences per million words of these texts."),
            lambda row: row.per_million,
            _rate,
        ),
        _number(
            "per_million_against",
            _tr("Reference per million"),
            _tr("Occurrences per million words of the reference texts."),
            lambda row: row.per_million_against,
            _rate,
        ),
    ]


def _equivalents() -> list[WordColumn[EquivalentRow]]:
    return [
        _item(_tr("Equivalent")),
        _number(
            "score",
            _tr("Score"),
            _tr(
                "Log-likelihood G² (Dunning 1993, Moore 2004) of its direct pairs; "
                "below 3.84, not significant (p ≥ 0.05) and grey."
            ),
            lambda row: row.score,
            _figures(1),
        ),
        WordColumn(
            "share",
            _tr("Share"),
            _tr(
                "Share of the pairs with the word, with 95\u00a0% confidence interval."
            ),
            lambda row: row.share,
            lambda row: _with_interval(format_percent, row.share, row.low, row.high),
            has_bar=True,
        ),
        _number(
            "n",
            _tr("Pairs"),
            _tr("Pairs with the word and the equivalent."),
            lambda row: row.n,
        ),
        _number(
            "n_own",
            _tr("Direct"),
            _tr("Pairs in which no other source word is a better match."),
            lambda row: row.n_own,
        ),
        _number(
            "log_likelihood",
            _tr("All pairs"),
            _tr("Log-likelihood G² of all its pairs: the order of equal scores."),
            lambda row: row.log_likelihood,
            _figures(1),
        ),
        _number(
            "dice",
            _tr("Dice"),
            _tr("Share of pairs with both words among pairs with either, 0–1."),
            lambda row: row.dice,
            _figures(3),
        ),
        WordColumn(
            "in_dictionary",
            _tr("Dictionary"),
            _tr("Whether the dictionary confirms it: ✓ yes, – no."),
            lambda row: row.in_dictionary,
            lambda row: "" if row.in_dictionary is None else "–✓"[row.in_dictionary],
            is_text=True,
        ),
    ]


def _translations() -> list[WordColumn[TranslationRow]]:
    return [
        _item(_tr("Translation")),
        _number(
            "csls",
            _tr("Similarity (CSLS)"),
            _tr("Cosine corrected for hubs (Lample et al. 2018), with its rank."),
            lambda row: row.csls,
            _figures(3),
            has_bar=True,
        ),
        _rank("csls_rank", _tr("Rank (CSLS)"), lambda row: row.csls_rank),
        _rank("isf_rank", _tr("Rank (ISF)"), lambda row: row.isf_rank),
        _rank("nn_rank", _tr("Rank (NN)"), lambda row: row.nn_rank),
        _number(
            "cosine",
            _tr("Cosine"),
            _tr("Cosine of the mapped word and this word."),
            lambda row: row.cosine,
            _figures(3),
        ),
        _number(
            "n_linked",
            _tr("Linked"),
            _tr("Pairs of linked sentences with both words."),
            lambda row: row.n_linked,
        ),
        WordColumn(
            "agrees",
            _tr("Agrees"),
            _tr(
                "✓: linked sentences have it too, and it is among the ten most "
                "similar words."
            ),
            lambda row: row.agrees,
            lambda row: "✓" if row.agrees else "",
            is_text=True,
        ),
        WordColumn(
            "n_neighbours",
            _tr("Hub"),
            _tr(
                "Number of words that have this word among their ten nearest; ⚠ "
                "marks hubs, which are near most words."
            ),
            lambda row: row.n_neighbours,
            lambda row: f"{'⚠ ' * row.is_hub}{format_count(row.n_neighbours)}",
        ),
        _number(
            "rank",
            _tr("Rank"),
            _tr("Rank by frequency in the other language."),
            lambda row: row.rank,
        ),
    ]


def _neighbours() -> list[WordColumn[NeighbourRow]]:
    return [
        _item(_tr("Word")),
        _number(
            "cosine",
            _tr("Cosine"),
            _tr("Cosine with the word, or with b − a + c in an analogy."),
            lambda row: row.cosine,
            _figures(3),
            has_bar=True,
        ),
        _number("rank", _tr("Rank"), _tr("Rank by frequency."), lambda row: row.rank),
    ]


def _rank(
    key: str, title: str, value: Callable[[TranslationRow], int | None]
) -> WordColumn[TranslationRow]:
    hint = _tr(
        "Rank among all words of the other language. Empty if it is not among the best."
    )
    return WordColumn(
        key, title, hint, value, lambda row: "" if (n := value(row)) is None else str(n)
    )


def _item(title: str) -> WordColumn[R]:
    hint = _tr("Double-click or press Enter to show its occurrences.")
    return WordColumn(
        "item", title, hint, lambda row: row.item, written_form, is_text=True
    )


def _log_likelihood(value: Callable[[R], float]) -> WordColumn[R]:
    hint = _tr("G² (Dunning 1993): evidence that this is not chance.")
    title = _tr("Log-likelihood")
    return _number("log_likelihood", title, hint, value, _figures(1), has_bar=True)


def _number(
    key: str,
    title: str,
    hint: str,
    value: Callable[[R], Any],
    write: Callable[[Any], str] = format_count,
    *,
    has_bar: bool = False,
) -> WordColumn[R]:
    return WordColumn(key, title, hint, value, lambda row: write(value(row)), has_bar)


def _with_interval(
    write: Callable[[float], str], value: float, low: float, high: float
) -> str:
    interval = f"({write(low)} – {write(high)})".replace(" ", NO_BREAK)
    return f"{write(value)}{NO_BREAK}{interval}"


def _rate(value: float) -> str:
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def _figures(decimals: int) -> Callable[[float | None], str]:
    """Return a function that formats numbers with `decimals` decimals, None as ""."""

    def _write(value: float | None) -> str:
        return "" if value is None else f"{value:,.{decimals}f}".replace("-", MINUS)

    return _write


def _plain(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
