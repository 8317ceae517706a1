"""Format rates and correlations with their confidence intervals."""

from functools import partial
from math import atanh, sqrt, tanh

from PySide6.QtCore import QCoreApplication

from app.languages import language_name, parse_language
from app.number_format import NO_BREAK, format_percent, format_range, format_score
from app.views.widgets.number_format import pluralize

_tr = partial(QCoreApplication.translate, "classify")

SEPARATOR = " · "
Z = 1.959964  # quantile for a 95 % interval
MAX_ERROR = 0.1  # a rate whose interval reaches further is not reliable
N_FISHER = 3  # the variance of Fisher's z is 1 ÷ (n − 3)


def format_rate(share: float) -> str:
    """Format a rate, 0…1: 65.1 %."""
    return format_percent(share, 1)


def format_interval(low: float, high: float) -> str:
    """Format a 95 % interval of a rate: 57.1 – 73.0 %."""
    return format_range(f"{100 * low:.1f}", f"{100 * high:.1f}{NO_BREAK}%")


def format_rate_with_interval(share: float, low: float, high: float, n: int) -> str:
    """Format a rate with interval and n: 65.1 % (57.1 – 73.0 %, n = 126).

    Where all resamples of a bootstrap were equal, there is no interval.
    """
    words = _tr("{rate} ({interval}, n = {n})")
    if low == high:
        words = _tr("{rate} (n = {n})")
    return words.format(
        rate=format_rate(share), interval=format_interval(low, high), n=f"{n:,}"
    )


def format_coefficient(r: float) -> str:
    """Format a correlation, −1…1: 0.65."""
    return format_score(r, 2)


def format_correlation(r: float, low: float, high: float, n: int) -> str:
    """Format Pearson's r with interval and n: 0.65 (0.57 – 0.73, n = 126)."""
    words = _tr("{r} ({interval}, n = {n})")
    interval = format_range(format_coefficient(low), format_coefficient(high))
    return words.format(r=format_coefficient(r), interval=interval, n=f"{n:,}")


def format_coefficient_change(difference: float) -> str:
    """Format a difference of two correlations: +0.03, −0.11, 0.00."""
    return _format_change(difference, 2)


def format_percentage_points(difference: float) -> str:
    """Format a difference of two rates in points: +3.2, −10.6, 0.0."""
    return _format_change(100 * difference, 1)


def _format_change(difference: float, decimals: int) -> str:
    """Format a difference with its sign, unless it rounds to zero."""
    text = f"{abs(difference):.{decimals}f}"
    sign = "+" if difference > 0 else "−"
    return text if float(text) == 0 else f"{sign}{text}"


def wilson_interval(share: float, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a share of n rows (Wilson 1927)."""
    if not n:
        return 0.0, 1.0
    middle = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z * sqrt(share * (1 - share) / n + Z**2 / (4 * n**2)) / (1 + Z**2 / n)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def is_unreliable(share: float, n: int) -> bool:
    """Return whether the 95 % interval reaches more than 10 points from a rate."""
    low, high = wilson_interval(share, n)
    return max(share - low, high - share) > MAX_ERROR


def describe_unreliable(n_train: int, n: int, *, is_of_pairs: bool) -> tuple[str, str]:
    """Warn of an accuracy that was measured on few sentences or pairs, with advice."""
    words = _tr("Accuracy on {measured} can be wrong by more than 10 points.")
    advice = _tr("Trained on {train}. Label more, at least 50 per class.")
    train, measured = (count_labelled(one, is_of_pairs) for one in (n_train, n))
    return words.format(measured=measured), advice.format(train=train)


def count_labelled(n: int, is_of_pairs: bool) -> str:
    """Count labelled sentences, or pairs: 18 sentences."""
    if is_of_pairs:
        return pluralize(n, _tr("1 pair"), _tr("{n} pairs"))
    return pluralize(n, _tr("1 sentence"), _tr("{n} sentences"))


def correlation_interval(r: float, n: int) -> tuple[float, float]:
    """Return the 95 % interval of Pearson's r of n pairs (Fisher 1921, z)."""
    if n <= N_FISHER or abs(r) >= 1:
        return (-1.0, 1.0) if n <= N_FISHER else (r, r)
    half = Z / sqrt(n - N_FISHER)
    return tanh(atanh(r) - half), tanh(atanh(r) + half)


def head_name(head: str) -> str:
    """Return the name of a head: logistic regression."""
    names = {
        "logistic": _tr("logistic regression"),
        "mlp": _tr("MLP"),
        "nli": _tr("MLP on pairs"),
        "relatedness": _tr("relatedness of pairs"),
        "centroid": _tr("nearest centroid"),
        "knn": _tr("nearest neighbours"),
    }
    return names.get(head, head)


def language_code(name: str) -> str:
    """Return the stored code of a language as a test names it: de, deu."""
    return parse_language(name).code


def name_noted_language(note: str) -> str:
    """Name the language whose code begins a note: "de: 2 rows…", "German: 2 rows…"."""
    code, colon, rest = note.partition(": ")
    return f"{language_name(code)}{colon}{rest}" if colon else note
