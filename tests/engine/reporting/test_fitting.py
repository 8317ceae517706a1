"""Text that is truncated to a width."""

from app.engine.reporting.svg import fit_text, text_width


def test_text_with_room_stays_and_its_lines_are_joined() -> None:
    assert fit_text("one\n two", 100, 10) == "one two"


def test_text_without_room_ends_in_an_ellipsis_and_fits() -> None:
    cut = fit_text("a name that is far too long", 60, 10)
    assert cut == "a name th…"  # ten signs of 6 each
    assert text_width(cut, 10) <= 60


def test_signs_of_east_asia_are_wider_and_accents_take_no_room() -> None:
    assert text_width("日本", 10) == 20
    assert text_width("e\u0301", 10) == text_width("e", 10)
