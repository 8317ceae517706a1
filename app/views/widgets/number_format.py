"""Format counts, rates, times and sizes for all views.

The unit always follows the number, after a no-break space where it is short.
"""

import time
from functools import partial

from PySide6.QtCore import QCoreApplication

from app.number_format import NO_BREAK, format_percent, format_score

_tr = partial(QCoreApplication.translate, "words")

MIN_HOURS_IN_DAYS = 48  # hours; from this value on, days are shown


def format_count(n: int) -> str:
    """Format an integer: 62,000."""
    return f"{n:,}"


def pluralize(n: int, one: str, many: str) -> str:
    """Return "1 line", or "{n} lines" with the formatted number."""
    return one if n == 1 else many.format(n=format_count(n))


def format_estimate(n: int) -> str:
    """Format an estimate to three digits: 102,000."""
    return format_count(round(n, 3 - len(str(n))))


def format_throughput(per_s: float, unit: str = "") -> str:
    """Format a rate with about three digits: 81,400/s, 3.2 sentences/s."""
    if per_s >= 1000:
        number = f"{round(per_s, -2):,.0f}"
    else:
        number = f"{per_s:.0f}" if per_s >= 10 else f"{per_s:.1f}"
    return f"{number}{NO_BREAK}{unit}/s" if unit else f"{number}/s"


def format_duration(seconds: float) -> str:
    """Format a time span: 0.5 s, 42 s, 3 min 20 s, 2 h 05 min, 3.5 days, 12 years."""
    if seconds < 9.95:
        return f"{seconds:.1f}{NO_BREAK}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}{NO_BREAK}s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes}{NO_BREAK}min {rest}{NO_BREAK}s"
    hours, minutes = divmod(minutes, 60)
    if hours >= MIN_HOURS_IN_DAYS:
        return _format_long(hours)
    return f"{hours}{NO_BREAK}h {minutes:02d}{NO_BREAK}min"


def _format_long(hours: int) -> str:
    """Format days, or years of 365 days, to about three digits."""
    n_days = hours / 24
    is_years = n_days >= 2 * 365
    number = n_days / 365 if is_years else n_days
    text = f"{number:.1f}" if number < 10 else f"{number:,.0f}"
    words = _tr("{n} years") if is_years else _tr("{n} days")
    return words.format(n=text).replace(" ", NO_BREAK)


def describe_device(text: str) -> str:
    """Format a device name: "cpu 2 threads" as "CPU, 2 threads"."""
    name, _, facts = text.partition(" ")
    if name != "cpu":
        return f"{facts} ({name})" if facts else name
    facts = "1 thread" if facts == "1 threads" else facts
    return f"CPU, {facts}" if facts else "CPU"


def format_bytes(size: int) -> str:
    """Format a size in decimal units: 0.6 GB, 12 MB."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= 0.1 * scale * (1 if unit == "GB" else 10):
            number = size / scale
            text = f"{number:.1f}" if number < 10 else f"{number:,.0f}"
            return f"{text}{NO_BREAK}{unit}"
    return f"{size}{NO_BREAK}B"


def format_share(done: int, total: int, *, rate: float = 0.0) -> str:
    """Format done/total in per cent, precise enough to change about once a second.

    Args:
        done: number of finished items.
        total: total number of items, above 0.
        rate: items per second; a low rate needs more decimals.
    """
    step = 100 * rate / total  # per cent per second
    decimals = 0 if step >= 1 or rate <= 0 else 1 if step >= 0.1 else 2
    share = 100 * done / total
    if done < total:  # 99.99 % must not be shown as 100 %
        share = min(share, 100 - 10**-decimals)
    return f"{share:.{decimals}f}{NO_BREAK}%"


def format_error_rate(share: float) -> str:
    """Format a retrieval error: 23.4 %."""
    return format_percent(share, 1)


def format_badge(cosine: float) -> str:
    """Format a cosine for a badge or a card: 0.57."""
    return format_score(cosine, 2)


def format_age(then: float) -> str:
    """Format the age of a time: just now, 5 minutes ago, 3 days ago.

    Args:
        then: seconds since 1970.
    """
    seconds = time.time() - then
    if seconds < 90:
        return _tr("just now")
    for limit, scale, words in (
        (90 * 60, 60, _tr("{n} minutes ago")),
        (36 * 3600, 3600, _tr("{n} hours ago")),
    ):
        if seconds < limit:
            return words.format(n=round(seconds / scale))
    return _tr("{n} days ago").format(n=round(seconds / 86400))
