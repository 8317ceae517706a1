"""Columns of word lists: headings, help texts and number formats."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication

from app.views.widgets.number_format import NO_BREAK, format_count
from app.views.words.settings import PageName

Row = dict[str, Any]
MINUS = "\u2212"


class WordColumn(NamedTuple):
    """A column.

    Attributes:
        key: of the row's value.
        title: heading.
        hint: a sentence for the tooltip.
        write: gives the text of a row's cell.
        has_bar: a bar behind the number shows its share of the greatest.
        is_text: it is no number.
    """

    key: str
    title: str
    hint: str
    write: Callable[[Row], str]
    has_bar: bool = False
    is_text: bool = False


def columns_of(page: PageName, facts: Row) -> list[WordColumn]:
    """Return the columns of a page that have something to say.

    Args:
        page: which list.
        facts: of the answer, beside its rows.
    """
    match page:
        case "collocates":
            return _collocates()
        case "keyness":
            return _keyness()
        case "equivalents":
            columns = _equivalents()
            return columns if facts.get("has_dictionary") else columns[:-1]
    if (facts.get("n_documents") or 0) > 1:
        return _frequencies() + _documents()
    return _frequencies()


def table_of(rows: Sequence[Row]) -> list[list[str]]:
    """Return head and rows of a table with every figure as it is, for an export."""
    names: dict[str, None] = {"item": None}
    for row in rows:
        names |= {key: None for key, value in row.items() if not _is_nested(value)}
    found = [list(names)]
    found += [[_plain(row.get(name)) for name in names] for row in rows]
    return found


def sort_rows(rows: Sequence[Row], key: str, *, descending: bool) -> list[Row]:
    """Sort rows by a value; what has none comes last."""
    known = [row for row in rows if row.get(key) is not None]
    rest = [row for row in rows if row.get(key) is None]
    return sorted(known, key=lambda row: row[key], reverse=descending) + rest


def _frequencies() -> list[WordColumn]:
    return [
        _item(_tr("Word")),
        _number("rank", _tr("Rank"), _tr("Place in the list of all words.")),
        _number("n", _tr("Count"), _tr("How often it is found."), has_bar=True),
        WordColumn(
            "per_million",
            _tr("Per million"),
            _tr("Of a million words, with the interval (95 %) of the estimate."),
            lambda row: _with_interval(_rate, row, "per_million"),
        ),
    ]


def _documents() -> list[WordColumn]:
    return [
        _number("n_documents", _tr("Documents"), _tr("Documents that have it.")),
        _number(
            "dispersion",
            _tr("Dispersion"),
            _tr("DP (Gries 2008): 0 spread evenly over the documents, 1 clumped."),
            _figures(3),
        ),
    ]


def _collocates() -> list[WordColumn]:
    return [
        _item(_tr("Collocate")),
        _number("n", _tr("Near"), _tr("How often it is near the word.")),
        _number("n_left", _tr("Left"), _tr("Of these to its left.")),
        _number("n_right", _tr("Right"), _tr("Of these to its right.")),
        _log_likelihood(),
        _number(
            "log_dice",
            _tr("Log-Dice"),
            _tr("Rychlý 2008: how typical it is; 14 at most."),
            _figures(2),
        ),
        _number(
            "t_score",
            _tr("t-score"),
            _tr("Church et al. 1991: above 2 it is hardly chance."),
            _figures(2),
        ),
        _number("n_corpus", _tr("Count"), _tr("How often it is found at all.")),
        _number(
            "expected",
            _tr("Expected"),
            _tr("How often chance would have it near the word."),
            _figures(1),
        ),
    ]


def _keyness() -> list[WordColumn]:
    return [
        _item(_tr("Word")),
        _number("n", _tr("Here"), _tr("How often it is found in the first texts.")),
        _number("n_against", _tr("There"), _tr("How often it is found in the others.")),
        WordColumn(
            "log_ratio",
            _tr("Log ratio"),
            _tr(
                "Effect size (Hardie 2014) with its interval (95 %): 1 is twice as "
                "frequent here, 2 four times, −1 half as frequent."
            ),
            lambda row: _with_interval(_figures(2), row, "log_ratio"),
        ),
        _log_likelihood(),
        _number(
            "per_million",
            _tr("Per million"),
            _tr("Of a million words of the first texts."),
            _rate,
        ),
        _number(
            "per_million_against",
            _tr("Per million there"),
            _tr("Of a million words of the others."),
            _rate,
        ),
    ]


def _equivalents() -> list[WordColumn]:
    return [
        _item(_tr("Equivalent")),
        _number(
            "score",
            _tr("Score"),
            _tr("Log-likelihood G² (Dunning 1993, Moore 2004) of its own pairs."),
            _figures(1),
        ),
        WordColumn(
            "share",
            _tr("Share"),
            _tr("Of the pairs with the word, with its interval (Wilson, 95 %)."),
            lambda row: _with_interval(_per_cent, row, "share"),
            has_bar=True,
        ),
        _number("n", _tr("Pairs"), _tr("Pairs with the word and the equivalent.")),
        _number(
            "n_own",
            _tr("Own"),
            _tr("Of these, where no other word of the source is tied to it more."),
        ),
        _number(
            "dice",
            _tr("Dice"),
            _tr("Share of pairs with both among the pairs with either, 0 … 1."),
            _figures(3),
        ),
        WordColumn(
            "in_dictionary",
            _tr("Dictionary"),
            _tr("Whether the dictionary has it: ✓ yes, – no."),
            lambda row: {True: "✓", False: "–"}.get(row["in_dictionary"], ""),
            is_text=True,
        ),
    ]


def written_form(row: Row) -> str:
    """Return the word of a row as it is mostly written, where that is known."""
    return str(row.get("form") or row["item"])


def _item(title: str) -> WordColumn:
    hint = _tr("Double click or Enter shows where it stands.")
    return WordColumn("item", title, hint, written_form, is_text=True)


def _log_likelihood() -> WordColumn:
    return _number(
        "log_likelihood",
        _tr("Log-likelihood"),
        _tr("G² (Dunning 1993): how sure it is that this is no chance."),
        _figures(1),
        has_bar=True,
    )


def _number(
    key: str,
    title: str,
    hint: str,
    write: Callable[[Any], str] = format_count,
    *,
    has_bar: bool = False,
) -> WordColumn:
    return WordColumn(key, title, hint, lambda row: write(row[key]), has_bar)


def _with_interval(write: Callable[[float], str], row: Row, key: str) -> str:
    low, high = row.get("low"), row.get("high")
    text = write(row[key])
    if low is None or high is None:
        return text
    interval = f"({write(low)} – {write(high)})".replace(" ", NO_BREAK)
    return f"{text}{NO_BREAK}{interval}"


def _rate(value: float) -> str:
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def _per_cent(share: float) -> str:
    return f"{100 * share:.0f}{NO_BREAK}%"


def _figures(places: int) -> Callable[[float | None], str]:
    """Return what writes numbers with so many decimal places; nothing for None."""

    def _write(value: float | None) -> str:
        return "" if value is None else f"{value:,.{places}f}".replace("-", MINUS)

    return _write


def _is_nested(value: Any) -> bool:
    return isinstance(value, list | tuple | dict)


def _plain(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _tr(text: str) -> str:
    return QCoreApplication.translate("words_columns", text)
