"""Fonts by script, and detection of scripts that no font covers."""

import platform
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache, partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QFont, QFontDatabase, QTextLayout

_tr = partial(QCoreApplication.translate, "fonts")

PREFERRED = "Noto Sans"
CJK_FAMILIES: dict[str, tuple[str, ...]] = {
    "ja": ("Noto Sans CJK JP", "Noto Sans JP"),
    "ko": ("Noto Sans CJK KR", "Noto Sans KR"),
    "zh-Hans": ("Noto Sans CJK SC", "Noto Sans SC"),
    "zh-Hant": ("Noto Sans CJK TC", "Noto Sans TC"),
}
# First word of a character's Unicode name → the script's name in a sentence; a name
# not listed here that begins with no known script is a symbol, and is left out.
SCRIPTS = {
    "CJK": "Chinese",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
    "ETHIOPIC": "Ethiopic",
}
CJK_SCRIPTS = {"Chinese", "Japanese", "Korean"}
N_SAMPLES = 24  # characters tried of each script


@lru_cache(maxsize=1)
def interface_families() -> tuple[str, ...]:
    """Return the interface's families: Noto Sans where installed, then the system's.

    Qt finds fonts for other scripts by itself, and better than a list would.
    """
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
    preferred = [PREFERRED] if QFontDatabase.hasFamily(PREFERRED) else []
    return tuple(dict.fromkeys([*preferred, system]))


def sentence_font(base: QFont, language: str) -> QFont:
    """Return a font whose Han characters have the forms of the language.

    Args:
        base: the font that provides size and weight.
        language: code as in the store: ja, zh-Hans, ar.
    """
    installed = _installed_families(language)
    if not installed:
        return base
    font = QFont(base)
    families = interface_families()
    font.setFamilies([families[0], *installed, *families[1:]])
    return font


@lru_cache(maxsize=100)  # asking Qt takes a millisecond or more
def _installed_families(language: str) -> tuple[str, ...]:
    wanted = CJK_FAMILIES.get(language) or CJK_FAMILIES.get(language.split("-")[0], ())
    return tuple(name for name in wanted if QFontDatabase.hasFamily(name))


def missing_scripts(
    texts: Iterable[str], *, can_draw: Callable[[str], bool] | None = None
) -> list[str]:
    """Name the scripts in texts that no installed font can draw.

    Args:
        texts: the texts to show; a sample is enough.
        can_draw: returns whether a character can be drawn; default: asks Qt.

    Returns:
        One sentence for each script, with the package that contains its font.
    """
    can_draw = can_draw or can_draw_character
    sentences = []
    for script, characters in sorted(_scripts_of(texts).items()):
        missing = [c for c in characters if not can_draw(c)]
        if missing:
            sentences.append(_explain(script, missing[0]))
    return sentences


def can_draw_character(character: str) -> bool:
    """Return whether the interface's font, or a fallback, has a character."""
    font = QFont()
    font.setFamilies(interface_families())
    layout = QTextLayout(character, font)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    runs = layout.glyphRuns()
    return bool(runs) and all(all(run.glyphIndexes()) for run in runs)


def script_of(character: str) -> str:
    """Return the script of a letter, such as Devanagari; empty for signs and digits."""
    if not unicodedata.category(character).startswith(("L", "M")):
        return ""
    words = unicodedata.name(character, "").split()
    if not words or words[0] in ("COMBINING", "MODIFIER", "VARIATION"):
        return ""
    return SCRIPTS.get(words[0], words[0].capitalize())


def font_package(script: str, *, system: str | None = None) -> str:
    """Return the package that contains a font for a script on this system.

    Args:
        script: name, as returned by `script_of`.
        system: ids of the distribution (`ID` and `ID_LIKE`); default: this machine's.
    """
    system = _distribution() if system is None else system
    is_cjk = script in CJK_SCRIPTS
    if "debian" in system or "ubuntu" in system:
        name = "fonts-noto-cjk" if is_cjk else "fonts-noto-core"
        return _tr("the package {name}").format(name=name)
    if "fedora" in system or "rhel" in system:
        part = "cjk" if is_cjk else script.lower()
        name = f"google-noto-sans-{part}-fonts"
        return _tr("the package {name}").format(name=name)
    return _tr("the font {name}").format(
        name=f"Noto Sans {'CJK' if is_cjk else script}"
    )


def _scripts_of(texts: Iterable[str]) -> dict[str, list[str]]:
    seen: dict[str, list[str]] = {}
    for character in sorted(set().union(*texts)):
        script = script_of(character)
        if script and len(seen.setdefault(script, [])) < N_SAMPLES:
            seen[script].append(character)
    return seen


def _explain(script: str, character: str) -> str:
    words = _tr(
        "No installed font can draw {script} (for example U+{code}): install {package}."
    )
    return words.format(
        script=script, code=f"{ord(character):04X}", package=font_package(script)
    )


def _distribution() -> str:
    try:
        facts = platform.freedesktop_os_release()
    except (OSError, AttributeError):
        return ""
    return f"{facts.get('ID', '')} {facts.get('ID_LIKE', '')}"
