"""Drafts: unsent edited texts of pairs, until they are saved or discarded."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from app.protocol.edits.pairs import MAX_TEXT

MAX_BYTES = 100_000  # all drafts in a saved session; message size is limited


class TextDraft(NamedTuple):
    """Edited texts of both sides of a pair; None: unchanged."""

    source: str | None
    target: str | None


class TextDrafts:
    """The drafts of a review, by the id of the pair."""

    def __init__(self) -> None:
        self._drafts: dict[int, TextDraft] = {}

    def get(self, pair_id: int) -> TextDraft | None:
        """Return the draft of a pair."""
        return self._drafts.get(pair_id)

    def put(self, pair_id: int, draft: TextDraft | None) -> None:
        """Store the draft of a pair as the newest; None discards it."""
        self._drafts.pop(pair_id, None)
        if draft is not None:
            self._drafts[pair_id] = draft

    def keep_edit(self, change: Mapping[str, Any]) -> None:
        """Store the texts of a refused change as a draft, if it edits a single pair."""
        source = change.get("source_text") or None
        draft = TextDraft(source, change.get("target_text") or None)
        pairs = list(change.get("pairs") or [])
        if len(pairs) == 1 and draft != (None, None):
            self.put(int(pairs[0]), draft)

    def to_json(self) -> dict[str, list[str | None]]:
        """Return the newest drafts that fit in a saved session."""
        saved: dict[str, list[str | None]] = {}
        n_bytes = 0
        for pair_id, draft in reversed(self._drafts.items()):
            n_bytes += len(msgspec.json.encode(draft))
            if n_bytes > MAX_BYTES:
                break
            saved[str(pair_id)] = list(draft)
        return dict(reversed(saved.items()))

    def restore(self, saved: Any) -> None:
        """Restore the drafts of a saved session."""
        try:
            drafts = msgspec.convert(saved or {}, dict[str, TextDraft], strict=False)
            self._drafts |= {int(pair_id): one for pair_id, one in drafts.items()}
        except ValueError:  # written by another version
            return


def find_overlong(texts: Mapping[str, str]) -> tuple[str, int] | None:
    """Return the name and length of the first text that is too long to save."""
    return next(
        ((name, len(text)) for name, text in texts.items() if len(text) > MAX_TEXT),
        None,
    )
