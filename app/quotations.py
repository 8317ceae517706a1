"""Quote the first words of a text, to name a sentence or pair in a message."""

MAX_QUOTED = 40  # characters


def quote_first_words(text: str) -> str:
    """Quote the first words: “The boat was …”; an empty text stays empty."""
    words = " ".join(text.split()).strip('“”„"')
    if len(words) > MAX_QUOTED:
        start = words[:MAX_QUOTED]
        words = f"{start.rpartition(' ')[0] or start}…"  # complete words if possible
    return f"“{words}”" if words else ""
