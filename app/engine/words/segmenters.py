"""Cut scripts that write no spaces: by ICU's dictionaries, else into characters."""

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

ICU, CHARACTERS = "icu", "characters"
MODULE = "icu4py"  # the optional extra `words`
LOCALE = "en"  # the dictionaries are chosen by script, whatever the locale
NOTE = (
    "Text without spaces (Chinese, Japanese, Thai, Khmer, Lao, Burmese) is cut into "
    "single characters. To have its words:  pip install 'isogloss[words]'  and index "
    "them again."
)


@cache
def unspaced_cutter() -> str:
    """Name what cuts text without spaces here: "icu", or "characters"."""
    try:
        _breakers()
    except ImportError:
        return CHARACTERS
    return ICU


def cut_runs(text: str) -> NDArray[np.int64]:
    """Cut a text into the words of ICU (Unicode Standard Annex 29, dictionaries).

    Args:
        text: anything; what is not a word is a piece too.

    Returns:
        int64 (w,), where each piece ends, in code points.
    """
    breaker = _breakers().WordBreaker(text, LOCALE)
    # pieces, not its offsets: those count UTF-16 units
    return np.cumsum(np.fromiter(map(len, breaker), np.int64))


@cache
def _breakers() -> Any:
    return import_module(f"{MODULE}.breakers")


__all__ = ["CHARACTERS", "ICU", "NOTE", "cut_runs", "unspaced_cutter"]
