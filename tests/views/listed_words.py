"""What a made-up engine answers to questions about words."""

from typing import Any

from app.protocol.queries.words import (
    CollocatesQuery,
    EquivalentsQuery,
    FrequenciesQuery,
    KeynessQuery,
)
from tests.views.stage import sentence_id

N_ITEMS = 450


def frequencies(query: FrequenciesQuery) -> dict[str, Any]:
    """Answer with words w0, w1 …, the first one Arabic."""
    rows = [
        {
            "item": f"w{place}" if place else "ريح",
            "rank": place + 1,
            "n": N_ITEMS - place,
            "per_million": 1000.0 - place,
            "low": 900.0 - place,
            "high": 1100.0 - place,
            "n_documents": 1,
            "dispersion": None,
        }
        for place in range(N_ITEMS)
        if not query.find or place < 2
    ]
    page = rows[query.offset : query.offset + query.limit]
    facts = {"n_items": len(rows), "n_tokens": 9_000, "n_documents": 1}
    return {"rows": page, **facts, "not_indexed": [], "notes": []}


def collocates(query: CollocatesQuery) -> dict[str, Any]:
    rows = [
        {
            "item": item,
            "n": n,
            "n_left": n - 1,
            "n_right": 1,
            "n_corpus": 9,
            "expected": 0.5,
            "log_likelihood": g2,
            "log_dice": d,
            "t_score": 1.0,
        }
        for item, n, g2, d in (("storm", 5, 20.0, 9.0), ("the", 7, -1.5, 11.0))
    ]
    return {"rows": rows, "n_hits": 12, "n_tokens": 99, "not_indexed": []}


def keyness(query: KeynessQuery) -> dict[str, Any]:
    row = {
        "item": "wind",
        "n": 4,
        "per_million": 40.0,
        "n_against": 1,
        "per_million_against": 10.0,
        "log_likelihood": 3.0,
        "log_ratio": 2.0,
        "low": -0.5,
        "high": 4.5,
    }
    answer = {"rows": [row], "n_items": 900, "n_tokens": 50, "n_tokens_against": 60}
    return {**answer, "not_indexed": [], "notes": ["Mind the gap."]}


def equivalents(query: EquivalentsQuery) -> dict[str, Any]:
    rows = [
        {
            "item": item,
            "n": n,
            "n_own": n * own,
            "n_target": n,
            "share": 0.5,
            "low": 0.2,
            "high": 0.8,
            "score": 9.0 * own,
            "log_likelihood": 9.0,
            "dice": 0.5,
            "in_dictionary": bool(own) if query.dictionary else None,
            "examples": [[sentence_id(1, place), sentence_id(2, place)]],
        }
        for place, (item, n, own) in enumerate((("wind", 4, 1), ("mittag", 2, 0)))
    ]
    missing = ["brise"] if query.dictionary else []
    return {
        "rows": rows,
        "n_word": 4,
        "n_pairs": 12,
        "missing": missing,
        "not_indexed": [],
        "notes": [],
    }
