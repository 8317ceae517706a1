"""A vocabulary of a wanted size without training one: what a plan is tried with.

The bundled encoder's pieces, most frequent first, are cut off or filled up with pieces
that no text has. So a step takes the time and the memory that it will take, and a
sentence about as many pieces.
"""

import struct
from collections.abc import Iterator
from pathlib import Path

from app.engine.encoders.checkpoint import find_encoder
from app.engine.text.vocabulary import MODEL_FILE
from app.engine.text.words import WORDS_FILE, count_words, most_frequent, write_words
from app.engine.training.files import read_pairs

PIECES_FIELD = 1  # of sentencepiece's ModelProto
BYTES_FIELD = 2  # the wire type of a field of bytes
LOWEST_SCORE = -99.0


def write_stand_in_pieces(folder: Path, n_pieces: int) -> None:
    """Write a vocabulary of `n_pieces` pieces into a folder."""
    model = (find_encoder("") / MODEL_FILE).read_bytes()
    fields = list(_fields(model))
    pieces = [text for number, text in fields if number == PIECES_FIELD][:n_pieces]
    pieces += [_piece(f"\x01{i}") for i in range(n_pieces - len(pieces))]
    others = [text for number, text in fields if number != PIECES_FIELD]
    (folder / MODEL_FILE).write_bytes(b"".join(pieces + others))


def write_stand_in_words(folder: Path, n_words: int, files: tuple[Path, ...]) -> None:
    """Write a vocabulary of `n_words` words, those of some pairs first."""
    texts = (text for file in files for pair in read_pairs(file) for text in pair)
    words = most_frequent(count_words(texts), n_words)
    words += [f"\x01{i}" for i in range(n_words - len(words))]
    (folder / WORDS_FILE).write_bytes(write_words(words))


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Cut a message of fields of bytes into them, with their numbers.

    The wire format of protocol buffers: key and length as variable-length integers.
    """
    place = 0
    while place < len(message):
        start = place
        key, place = _integer(message, place)
        assert key & 7 == BYTES_FIELD, "all fields of a model are messages"
        size, place = _integer(message, place)
        place += size
        yield key >> 3, message[start:place]


def _integer(message: bytes, place: int) -> tuple[int, int]:
    """Read a variable-length integer; give it and the place behind it."""
    value = shift = 0
    while True:
        byte = message[place]
        place += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, place


def _piece(text: str) -> bytes:
    """Write a piece that no text has: its text is field 1, its score field 2."""
    encoded = text.encode()
    body = bytes([0x0A, len(encoded)]) + encoded
    body += b"\x15" + struct.pack("<f", LOWEST_SCORE)
    return bytes([0x0A, len(body)]) + body
