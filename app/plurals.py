"""Count things in words, with the right plural."""


def count_text(n: int, one: str, many: str = "") -> str:
    """Count things in words: 1 pair, 1,204 pairs."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"
