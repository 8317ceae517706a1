"""Count things in words, with the right plural."""


def count_text(n: int, what: str) -> str:
    """Count things in words: 1 pair, 1,204 pairs."""
    return f"{n:,} {what}" + ("" if n == 1 else "s")
