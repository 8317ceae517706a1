"""Hand-made sentences with every kind of finding, and correct sentences."""

import numpy as np
import pytest

from app.engine.quality.text_checks import (
    count_repeated,
    describe_boilerplate,
    describe_damage,
    describe_repeated,
    describe_wrong_language,
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("SchÃ¶ne GrÃ¼ÃŸe", "Likely meant: Schöne Grüße"),
        ("Ð¿Ñ€Ð¸Ð²ÐµÑ‚ Ð¼Ð¸Ñ€", "Likely meant: привет мир"),
        ("Gr\ufffd\ufffde", "2 characters replaced by \ufffd"),
        ("a na?ve idea", "a lost letter"),
        ("R&amp;D at work", "Likely meant: R&D at work"),
        ("with p\u0430ypal", "cyrillic small letter a"),
        ("Это \u0061нна", "latin small letter a"),
        ("\ue012 Section", "U+E012"),
    ],
)
def test_damage_is_told(text: str, told: str) -> None:
    assert told in describe_damage(text)


@pytest.mark.parametrize(
    "text",
    [
        "Größe und Maß, l’été, ¿qué?",
        "USB-кабель для IT-отдела",
        "Siehe https://example.org/?page=2 dort",
        "Où est-ce?Nous verrons",
        "AT&T & Söhne",
        "Die Länge λ in µm",
        "天気はどうですか？",
        "",
    ],
)
def test_sound_text_is_not_told_of(text: str) -> None:
    assert describe_damage(text) == ""


ENGLISH = "The harbour road was under water and the police had closed the bridge."
GERMAN = "Die Hafenstraße stand unter Wasser, und die Polizei sperrte die Brücke."
CHINESE = "据统计，今年全国高校毕业生人数将再创新高，就业压力不容忽视。"


@pytest.mark.parametrize(
    ("text", "language", "told"),
    [
        (GERMAN, "en", "looks like German"),
        ("Привет, дорогой мир", "de", "No letters in the script of German"),
        (ENGLISH, "en", ""),
        ("Guten Tag!", "en", ""),  # too short for a guess
        (CHINESE, "zh", ""),
        ("BBC News", "ru", ""),
        ("NBA中哪个球员薪酬最低", "zh", ""),  # guessed as Polish, in Han letters
        ("how much is that dog in the window是谁写的", "zh", "looks like English"),
    ],
)
def test_another_language_is_told(text: str, language: str, told: str) -> None:
    found = describe_wrong_language(text, language, 0.8)
    assert told in found if told else found == ""


def test_a_language_that_is_taken_for_another_is_tolerated() -> None:
    danish = "Havnevejen stod under vand, og politiet havde lukket svingbroen."
    assert describe_wrong_language(danish, "nb", 0.5) == ""
    assert "looks like" in describe_wrong_language(danish, "en", 0.5)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("*** 12 ***", "No letters"),
        ("https://example.org/a", "address"),
        ("Home | News | Sport | Weather | Contact", "menu"),
        ("We use cookies to improve your experience.", "Cookie notice"),
        ("© 2019 Example Ltd.", "Copyright notice"),
        ("Read more »", "Web page navigation"),
        ("1 | 2 : 3 ; 4 = 5 + 6 - 7 a", "letters"),
        ("She baked cookies for the whole village.", ""),
        ("Der Preis stieg 2019 um 3,5 %.", ""),
    ],
)
def test_boilerplate_is_told(text: str, told: str) -> None:
    found = describe_boilerplate(text)
    assert told in found if told else found == ""


def test_repeated_texts_are_counted_by_document() -> None:
    repeated = count_repeated(np.array([7, 8, 7, 7]), np.array([0, 0, 0, 2]))
    assert repeated.counts.tolist() == [3, 1, 3, 3]
    assert repeated.n_documents.tolist() == [2, 1, 2, 2]
    told = describe_repeated(3, 2)
    assert told == "This text occurs 3 times, in 2 documents."
