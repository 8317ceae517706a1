"""Pieces of a tokenizer of transformers, in the form that our modules take."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.engine.encoders.tokens import Tokens, make_tokens
from app.engine.text.piece_counts import PieceCounts
from app.engine.text.vocabulary import MAX_CHARACTERS


class HubUnits:
    """Cuts texts by a tokenizer of transformers (see `Units`).

    A text of nothing but special and unknown pieces has no token.
    """

    def __init__(
        self,
        tokenizer: Any,
        max_tokens: int,
        *,
        prompt: str = "",
        is_lower: bool = False,
        has_marks: bool = True,
    ):
        """Take a tokenizer.

        Args:
            tokenizer: of transformers, a fast one.
            max_tokens: of a text, special pieces included.
            prompt: put in front of each text.
            is_lower: texts are lower-cased first.
            has_marks: the tokenizer's special pieces are put around each text.
        """
        self.n_rows = len(tokenizer)
        self.n_sub_rows = 0
        self._tokenizer, self._max_tokens = tokenizer, max_tokens
        self._prompt, self._is_lower = prompt, is_lower
        self._has_marks = has_marks
        self._special_ids = np.array(sorted(tokenizer.all_special_ids), np.int32)
        unknown = tokenizer.unk_token_id
        self._unknown_id = -1 if unknown is None else int(unknown)
        self._n_of_prompt = 0
        self._n_of_prompt = int(self._count_known(*self._ids([""]))[0])

    def cut(self, texts: Sequence[str]) -> Tokens:
        """Cut texts into at most `max_tokens` pieces each, special ones included."""
        ids, lengths = self._ids(texts)
        n_known = self._count_known(ids, lengths)
        is_kept = np.repeat(n_known > 0, lengths)
        return make_tokens(ids[is_kept], np.where(n_known > 0, lengths, 0))

    def names(self, text: str) -> list[str]:
        """Name the tokens that `cut` makes of a text, in order."""
        ids, _ = self._ids([text])
        names: list[str] = self._tokenizer.convert_ids_to_tokens(ids.tolist())
        return names

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Give the share of the texts' pieces that are unknown (0…1)."""
        counts = self.count_pieces(texts)
        return float(counts.n_unknown.sum() / max(int(counts.n_pieces.sum()), 1))

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the pieces of each text, and those that are unknown."""
        ids, lengths = self._ids(texts)
        is_unknown = ids == self._unknown_id
        is_piece = is_unknown | ~np.isin(ids, self._special_ids)
        return PieceCounts(
            _count_by_text(is_piece, lengths), _count_by_text(is_unknown, lengths)
        )

    def _count_known(self, ids: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """Count the known pieces of each text, those of the prompt aside."""
        n_known = _count_by_text(~np.isin(ids, self._special_ids), lengths)
        return n_known - self._n_of_prompt

    def _ids(self, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Give int32 (t,) pieces of all texts, and int32 (n,) lengths."""
        prepared = [
            self._prompt + _valid(text[:MAX_CHARACTERS]).strip() for text in texts
        ]
        if self._is_lower:
            prepared = [text.lower() for text in prepared]
        lists: list[list[int]] = []
        if prepared:
            lists = self._tokenizer(
                prepared,
                add_special_tokens=self._has_marks,
                truncation=True,
                max_length=self._max_tokens,
                return_attention_mask=False,
                return_token_type_ids=False,
            )["input_ids"]
        lengths = np.fromiter(map(len, lists), np.int32, len(lists))
        flat = (id_ for ids in lists for id_ in ids)
        return np.fromiter(flat, np.int32, int(lengths.sum())), lengths


def _valid(text: str) -> str:
    """Replace unpaired surrogates, which tokenizers refuses."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _count_by_text(is_counted: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Count true values in each text's part of a flat array: int32 (n,)."""
    text_ids = np.repeat(np.arange(len(lengths)), lengths)
    counts = np.bincount(text_ids[is_counted], minlength=len(lengths))
    return counts.astype(np.int32)
