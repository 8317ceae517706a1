"""Answers to queries about encoders."""

import msgspec

from app.languages import parse_language

TRAINABLE = ("static", "bilstm", "transformer", "contextual")  # architectures


class EncoderInfo(msgspec.Struct, frozen=True, kw_only=True):
    """An encoder that the project can use.

    Attributes:
        name: name to pass to `load_encoder`.
        folder: its location.
        dim: dimensions of its vectors.
        size_bytes: size of all its files.
        description: one sentence.
        architecture: static, bilstm, transformer, contextual, sentence-transformers,
            word-bag, combined or vectors.
        bundled: whether it comes with the program.
        languages: codes of supported languages; empty if unknown.
        licence: licence of the weights; empty if unknown.
        origin: its source; empty if it was trained with Isogloss.
        source_sha256: SHA-256 of the source, in hex; empty if trained with Isogloss.
        sentences_per_s: speed measured on this machine; 0 if not measured.
        n_parameters: number of weights.
        fingerprint: SHA-256 of weights and vocabulary; empty if not computed.
        base_fingerprint: fingerprint of the static encoder whose word vectors it uses,
            if contextual.
    """

    name: str
    folder: str = ""
    dim: int = 0
    size_bytes: int = 0
    description: str = ""
    architecture: str = ""
    bundled: bool = False
    languages: tuple[str, ...] = ()
    licence: str = ""
    origin: str = ""
    source_sha256: str = ""
    sentences_per_s: float = 0.0
    n_parameters: int = 0
    fingerprint: str = ""
    base_fingerprint: str = ""

    @property
    def is_trainable(self) -> bool:
        """Return whether a training can start from it."""
        return self.architecture in TRAINABLE

    def has_language(self, language: str) -> bool:
        """Return whether it supports a language; translation models are limited."""
        own = {parse_language(code).code for code in self.languages}
        return self.architecture != "bridge" or parse_language(language).code in own


class DamagedEncoder(msgspec.Struct, frozen=True):
    """An encoder folder of the project that can't be read, and the reason."""

    name: str
    why: str


class EncoderListing(msgspec.Struct, frozen=True, kw_only=True):
    """The encoders that a project can use.

    Attributes:
        encoders: encoders, bundled ones first.
        chosen: name of the encoder in use; empty if not known yet.
        damaged: folders of the project that can't be read.
        n_removed: encoders in the trash.
    """

    encoders: tuple[EncoderInfo, ...] = ()
    chosen: str = ""
    damaged: tuple[DamagedEncoder, ...] = ()
    n_removed: int = 0
