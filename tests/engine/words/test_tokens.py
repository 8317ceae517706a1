"""What a word is, in every script."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.engine.words import tokenizer
from app.engine.words.tokenizer import fold_word, tokenize, tokenize_texts
from app.languages import elides
from app.paths import resource_dir

SAMPLES = sorted((resource_dir() / "samples").glob("*.tsv"))
RULED = [
    ("en", "“Don’t!” he said -- well-known.", "Don’t he said well-known"),
    ("en", "rock 'n' roll, dogs' x_y #tag", "rock n roll dogs x y tag"),
    ("en", "3.14 and 1,000.5, not 3. 5%", "3.14 and 1,000.5 not 3 5"),
    ("en", "l'eau", "l'eau"),
    (
        "fr",
        "L’eau d'aujourd’hui, l'arc-en-ciel",
        "L’ eau d' aujourd’hui l' arc-en-ciel",
    ),
    ("fr", "les prud'hommes", "les prud'hommes"),
    ("it", "dell'acqua", "dell' acqua"),
    ("ca", "l'home col·lecció", "l' home col·lecció"),
    ("hi", "हिन्दी में क्‍या?", "हिन्दी में क्‍या"),
    ("fa", "می‌خواهم.", "می‌خواهم"),
    ("ar", "قَالَ: نَعَمْ", "قَالَ نَعَمْ"),
    ("he", "צה״ל וצ׳ק", "צה״ל וצ׳ק"),
    ("he", 'ארה"ב, "שלום"', 'ארה"ב שלום'),
    ("en", 'a"b at 10:30, this:', "a b at 10 30 this"),
    ("fi", "EU:n", "EU:n"),
    ("en", "The U.S. (U.S.A), e.g. at 5 p.m.", "The U.S U.S.A e.g at 5 p.m"),
    ("de", "z.B. d.h. z. B. v.Chr.", "z.B d.h z B v Chr"),
    ("ru", "т.е. Дом", "т.е Дом"),
    ("en", "J.R.R. Tolkien, Ph.D.", "J.R.R Tolkien Ph D"),
    ("en", "example.org x,y 3.a end.A", "example org x y 3 a end A"),
    ("ko", "안녕하세요 세계", "안녕하세요 세계"),
    ("en", "I ❤️ it 👩‍👩‍👧 👍🏽", "I it"),
    ("", "  ", ""),
]
UNSPACED = [
    ("zh", "我们今天去北京。", "我们 今天 去 北京"),
    ("ja", "東京で食べる。", "東京 で 食べる"),
    ("th", "ฉันรักภาษาไทย", "ฉัน รัก ภาษา ไทย"),
    ("th", "😀😀ฉันรัก A😀ไทย", "ฉัน รัก A ไทย"),  # each emoji is two UTF-16 units
    ("km", "ខ្ញុំស្រលាញ់ភាសាខ្មែរ", "ខ្ញុំ ស្រលាញ់ ភាសាខ្មែរ"),
    ("lo", "ຂ້ອຍຮັກພາສາລາວ", "ຂ້ອຍ ຮັກ ພາສາ ລາວ"),
    ("my", "မြန်မာစကားပြောတတ်တယ်", "မြန်မာ စကားပြော တတ် တယ်"),
    ("en", "the word 北京 and 2025年5月", "the word 北京 and 2025 年 5 月"),
]


def words_of(text: str, language: str = "") -> list[str]:
    return [text[begin:end] for begin, end in tokenize(text, language)]


@pytest.mark.parametrize(("language", "text", "words"), RULED)
def test_words_are_runs_of_letters_and_what_stands_inside(
    language: str, text: str, words: str
) -> None:
    assert words_of(text, language) == words.split(" " if words else None)


@pytest.mark.parametrize(("language", "text", "words"), UNSPACED)
def test_scripts_without_spaces_are_cut_by_the_dictionary(
    language: str, text: str, words: str
) -> None:
    pytest.importorskip("icu4py")
    assert words_of(text, language) == words.split()


def test_without_the_segmenter_they_are_cut_into_characters_with_their_marks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tokenizer, "unspaced_segmenter", lambda: "characters")
    assert words_of("😀北京 ok ที่") == ["北", "京", "ok", "ที่"]
    assert words_of("กี ข北") == ["กี", "ข", "北"]


@pytest.mark.parametrize("file", SAMPLES, ids=[file.stem for file in SAMPLES])
def test_every_letter_of_the_samples_is_in_a_word(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    texts = [line.split("\t")[0] for line in lines]
    cuts = tokenize_texts(texts, np.array([elides(file.stem)]))
    inside = np.zeros(len(cuts.page), bool)
    for begin, end in zip(cuts.begins, cuts.ends, strict=True):
        inside[begin:end] = True
    outside = [c for c, is_in in zip(cuts.page, inside, strict=True) if not is_in]
    assert not any(map(str.isalnum, outside))
    assert len(cuts.begins) > 1_000
    assert " " not in "".join(cuts.words())


@given(st.lists(st.text(max_size=30), max_size=4), st.booleans())
@example(["a😀ไทย", "l'eau", "e\u0301a", "\u0301", "漢\ufe0f字"], True)
def test_texts_cut_together_are_cut_as_each_alone(
    texts: list[str], eliding: bool
) -> None:
    language = "fr" if eliding else "en"
    cuts = tokenize_texts(texts, np.full(len(texts), eliding))
    rows = np.searchsorted(cuts.offsets, cuts.begins, "right") - 1
    together: list[list[tuple[int, int]]] = [[] for _ in texts]
    for row, begin, end in zip(rows, cuts.begins, cuts.ends, strict=True):
        offset = cuts.offsets[row]
        together[row].append((int(begin - offset), int(end - offset)))
    assert together == [tokenize(text, language) for text in texts]
    for spans in together:
        flat = [place for span in spans for place in span]
        assert flat == sorted(flat)
        assert all(begin < end for begin, end in spans)


def test_folding_makes_one_word_of_what_differs_in_dress() -> None:
    assert fold_word("DON’T") == fold_word("don't") == "don't"
    assert fold_word("İstanbul") == fold_word("istanbul") == "istanbul"
    assert (
        fold_word("Straße") == fold_word("STRAẞE") == "straße" != fold_word("STRASSE")
    )
    assert fold_word("co\u00adop\u2011er") == "coop-er"
