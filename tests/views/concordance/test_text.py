"""Tests of the text about concordance results."""

from app.results.moved_hits import MovedHit, MoveHitsResult
from app.views.concordance.session import LoadedConcordance
from app.views.concordance.settings import ConcordanceSettings
from app.views.concordance.text import describe_count, describe_move


def test_one_hit_is_described_in_the_singular() -> None:
    found = LoadedConcordance(ConcordanceSettings(text="wind"), n=1, n_searched=1)
    assert describe_count(found).startswith("1 hit in 1 sentence ·")


def test_a_search_that_timed_out_is_described_as_such() -> None:
    settings = ConcordanceSettings(text="wind")
    found = LoadedConcordance(settings, n=7, n_searched=20, is_cut=True)
    assert describe_count(found).startswith(
        "At least 7 hits (timed out after 20 sentences)"
    )


def test_a_moved_hit_is_described_with_its_documents() -> None:
    def moved(document: str = "", old_document: str = "") -> MovedHit:
        return MovedHit("moved", 1, 2, "The sea.", document, old_document)

    result = MoveHitsResult(
        hits=2,
        name="Sea",
        n_stayed=0,
        n_moved=3,
        n_changed=0,
        n_lost=1,
        n_others=0,
        named=[
            moved(),
            moved("a"),
            moved("c", "b"),
            MovedHit("lost", 3, None, "A lake.", "a"),
        ],
        message="",
    )
    lines = describe_move(result).splitlines()

    assert lines[1] == "In another line or document: 3"
    assert lines[-4:] == [
        "line 1 → 2: The sea.",
        "a, line 1 → 2: The sea.",
        "b, line 1 → c, line 2: The sea.",
        "a, line 3, lost: A lake.",
    ]
