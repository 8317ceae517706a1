"""Format counts with the right plural."""


def count_text(n: int, one: str, many: str = "") -> str:
    """Format a count of things: 1 pair, 1,204 pairs."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"
