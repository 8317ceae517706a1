"""What encoder.json says: one frozen struct for each architecture."""

from typing import Literal

import msgspec

CONFIG_FILE = "encoder.json"
FORMAT = 1


class BaseConfig(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="architecture",
    omit_defaults=True,
):
    """What every encoder says of itself.

    Attributes:
        format: raised when older programs could not read the folder any more.
        name, description: shown to the user.
        dim: dimensions of its vectors.
        precision: how the weights are stored.
        languages: codes of those it was trained on or made for; empty: not known.
        origin: where it came from; empty: trained with Isogloss.
        licence: of the weights; empty: not known.
        source_sha256: of the file or folder that it was made of, in hex.
        sentences_per_s: measured on this machine when it was added; 0: not measured.
    """

    format: int = FORMAT
    name: str
    description: str = ""
    dim: int
    precision: Literal["int8", "float16", "float32"] = "int8"
    languages: tuple[str, ...] = ()
    origin: str = ""
    licence: str = ""
    source_sha256: str = ""
    sentences_per_s: float = 0.0


class StaticConfig(BaseConfig, frozen=True, kw_only=True, tag="static"):
    """Learned vectors of pieces, bigrams of pieces and n-grams, summed.

    Attributes:
        n_pieces, n_bigrams, n_ngrams: rows of the table, in this order.
    """

    n_pieces: int
    n_bigrams: int
    n_ngrams: int = 0


class BilstmConfig(BaseConfig, frozen=True, kw_only=True, tag="bilstm"):
    """A stacked bidirectional LSTM over pieces (Artetxe and Schwenk 2019).

    Attributes:
        n_views: of inner attention (Lin et al. 2017); 1 with the other poolings.
        is_laser: pieces are LASER's: its dictionary's ids, an end mark, max pooling.
    """

    n_pieces: int
    embed_dim: int = 320
    hidden_dim: int = 512
    n_layers: int = 1
    pooling: Literal["max", "mean", "last", "attention"] = "max"
    n_views: int = 1
    dropout: float = 0.1
    max_tokens: int = 256
    is_laser: bool = False


class TransformerConfig(BaseConfig, frozen=True, kw_only=True, tag="transformer"):
    """The dual encoder's transformer (Chidambaram et al. 2019), mean pooling.

    Attributes:
        units: pieces, or words with hashed n-grams (n = 3, 4) of their characters.
        n_pieces: pieces, or words, of the vocabulary.
        n_hashed_words: rows for words outside the vocabulary; 0 with pieces.
        n_ngrams: rows for n-grams; 0 with pieces.
    """

    units: Literal["pieces", "words"] = "pieces"
    n_pieces: int
    n_hashed_words: int = 0
    n_ngrams: int = 0
    embed_dim: int = 320
    n_layers: int = 3
    n_heads: int = 8
    filter_dim: int = 2048
    norm: Literal["pre", "post"] = "post"
    pooling: Literal["max", "mean", "last", "attention"] = "mean"
    n_views: int = 1
    dropout: float = 0.1
    max_tokens: int = 64


class SentenceTransformersConfig(
    BaseConfig, frozen=True, kw_only=True, tag="sentence-transformers"
):
    """A sentence-transformers folder, copied into the subfolder `model`."""


class VectorsConfig(BaseConfig, frozen=True, kw_only=True, tag="vectors"):
    """Vectors made elsewhere: corpora have them, new text cannot be encoded."""


EncoderConfig = (
    StaticConfig
    | BilstmConfig
    | TransformerConfig
    | SentenceTransformersConfig
    | VectorsConfig
)
