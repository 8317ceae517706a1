"""What differs between two texts, and what is said of a finding."""

import pytest

from app.engine.store.findings import FindingRun
from app.params.quality import FindDuplicates, FindLeakage
from app.views.quality.text import (
    QualityCheck,
    Span,
    describe_state,
    extract_reason,
    extract_suggestion,
    find_differing_spans,
)


@pytest.mark.parametrize(
    ("one", "other", "marked"),
    [
        ("the red house", "the red house", ([], [])),
        ("the red house", "THE RED HOUSE", ([], [])),
        ("house 12", "house 13", (["2"], ["3"])),
        ("a b", "a", (["b"], [])),
        ("ferry", "fery", (["r"], [])),
        ("cafÃ© x", "café x", (["Ã©"], ["é"])),
        ("", "", ([], [])),
    ],
)
def test_what_differs_is_marked(
    one: str, other: str, marked: tuple[list[str], list[str]]
) -> None:
    def words(text: str, spans: list[Span]) -> list[str]:
        return [text[start:end].strip() for start, end in spans]

    sides = find_differing_spans(one, other)
    assert (words(one, sides[0]), words(other, sides[1])) == marked


def test_letters_whose_lower_case_is_longer_keep_their_place() -> None:
    one, other = find_differing_spans("İx", "İy")
    assert (one, other) == ([(1, 2)], [(1, 2)])


def test_what_was_meant_is_told_apart_from_the_reason() -> None:
    detail = "It was read in a wrong encoding. Likely meant: Größe"
    assert extract_suggestion(detail) == "Größe"
    assert extract_reason(detail) == "It was read in a wrong encoding."
    assert extract_suggestion("It holds no letter.") == ""


def test_the_state_names_both_sides() -> None:
    sides = [("", ""), ("hidden", ""), ("", "removed"), ("hidden", "removed")]
    found = [describe_state(*states) for states in sides]
    assert found == ["", "hidden", "other removed", "both excluded"]


def test_a_search_across_languages_is_named_so() -> None:
    run = FindingRun(1, "find-duplicates", "", "", 0.0, {})
    plain, across = (
        QualityCheck(run, FindDuplicates(across=i)).name for i in (False, True)
    )
    assert plain == "Duplicates · all corpora"
    assert across == "Duplicates · all corpora · with unlinked translations"


def test_many_corpora_are_counted_in_the_name_of_a_check() -> None:
    run = FindingRun(1, "find-duplicates", "", "", 0.0, {})
    names = tuple(f"letters {n}" for n in range(12))
    assert QualityCheck(run, FindDuplicates(corpora=names[:2])).name == (
        "Duplicates · letters 0, letters 1"
    )
    check = QualityCheck(run, FindDuplicates(corpora=names))
    assert check.name == "Duplicates · 12 corpora"
    leakage = FindLeakage(corpus="test", within=names)
    assert QualityCheck(run, leakage).data == "test in 12 corpora"
