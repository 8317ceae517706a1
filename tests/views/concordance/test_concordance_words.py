"""Sentences about concordances."""

from app.views.concordance.presenter import describe_move


def test_a_hit_that_moved_is_told_with_its_documents() -> None:
    moved = {"fate": "moved", "line": 1, "new_line": 2, "text": "The sea."}
    gone = {"fate": "lost", "line": 3, "new_line": None, "text": "A lake."}
    named = [
        moved,
        {**moved, "document": "a", "old_document": ""},
        {**moved, "document": "c", "old_document": "b"},
        {**gone, "document": "a", "old_document": ""},
    ]
    counts = {"n_stayed": 0, "n_moved": 3, "n_changed": 0, "n_lost": 1, "n_others": 0}

    told = describe_move({**counts, "named": named}).splitlines()

    assert told[1] == "in another line or document: 3"
    assert told[-4:] == [
        "line 1 → 2: The sea.",
        "a, line 1 → 2: The sea.",
        "b, line 1 → c, line 2: The sea.",
        "a, line 3, gone: A lake.",
    ]
