"""The content of encoder.json: one frozen struct for each architecture."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

CONFIG_FILE = "encoder.json"
FORMAT = 1

Size = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Rows = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Count = Annotated[int, Meta(ge=1, le=64)]  # of layers, heads or views
Dropout = Annotated[float, Meta(ge=0, lt=1)]


class BaseConfig(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="architecture",
    omit_defaults=True,
):
    """Fields that every encoder has.

    Attributes:
        format: version of the folder format, increased when older programs can't read
            it.
        name, description: shown to the user.
        dim: dimension of the vectors.
        precision: storage of tables: rounded with a scale per row, or floats; other
            weights are float16 if tables are rounded.
        languages: codes of the training languages or supported languages; empty: not
            known.
        origin: source of the encoder; empty: trained with Isogloss.
        licence: licence of the weights; empty: not known.
        source_sha256: hash of the imported file or folder, in hex.
        sentences_per_s: speed measured on this machine when it was added; 0: not
            measured.
    """

    format: int = FORMAT
    name: str
    description: str = ""
    dim: Size
    precision: Literal["int4", "int8", "float16", "float32"] = "int8"
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

    n_pieces: Size
    n_bigrams: Rows
    n_ngrams: Rows = 0


class BilstmConfig(BaseConfig, frozen=True, kw_only=True, tag="bilstm"):
    """A stacked bidirectional LSTM over pieces (Artetxe and Schwenk 2019).

    Attributes:
        n_views, attention_dim, has_attention_bias: inner attention (Lin et al. 2017);
            encoders trained before these fields existed have 350 and no bias.
        has_end_mark: every sentence ends with a mark, whose row follows the pieces'
            rows.
        is_laser: pieces are LASER's: its dictionary's ids, an end mark, max pooling.
    """

    n_pieces: Size
    embed_dim: Size = 320
    hidden_dim: Size = 512
    n_layers: Count = 1
    pooling: Literal["max", "mean", "last", "attention"] = "max"
    n_views: Count = 1
    attention_dim: Size = 350
    has_attention_bias: bool = False
    has_end_mark: bool = False
    dropout: Dropout = 0.1
    max_tokens: Size = 256
    is_laser: bool = False


class TransformerConfig(BaseConfig, frozen=True, kw_only=True, tag="transformer"):
    """The dual encoder's transformer (Chidambaram et al. 2019), mean pooling.

    Attributes:
        units: pieces, or words with hashed n-grams (n = 3, 4) of their characters.
        n_pieces: pieces or words of the vocabulary.
        n_hashed_words: rows for words outside the vocabulary; 0 with pieces.
        n_ngrams: rows for n-grams; 0 with pieces.
        n_views, attention_dim, has_attention_bias: see `BilstmConfig`.
    """

    units: Literal["pieces", "words"] = "pieces"
    n_pieces: Size
    n_hashed_words: Rows = 0
    n_ngrams: Rows = 0
    embed_dim: Size = 320
    n_layers: Count = 3
    n_heads: Count = 8
    filter_dim: Size = 2048
    norm: Literal["pre", "post"] = "post"
    pooling: Literal["max", "mean", "last", "attention"] = "mean"
    n_views: Count = 1
    attention_dim: Size = 350
    has_attention_bias: bool = False
    dropout: Dropout = 0.1
    max_tokens: Size = 64


class ContextualConfig(BaseConfig, frozen=True, kw_only=True, tag="contextual"):
    """Transformer layers over the word vectors of a static encoder.

    Attributes:
        base: static encoder, bundled or in the subfolder `base`.
        base_fingerprint: fingerprint of its folder.
        base_dim: dimension of the static encoder: the first dimensions of a vector;
            further dimensions, if any, depend on the context only.
        context_length: vector length of the context dimensions; the static dimensions
            have length 1.
        n_views, attention_dim: inner attention over the words.
        max_tokens: maximum number of words per text; further words are ignored.
    """

    base: str
    base_fingerprint: str
    base_dim: Size = 256
    context_length: Annotated[float, Meta(gt=0, le=1)] = 0.5
    n_layers: Count = 2
    n_heads: Count = 4
    filter_dim: Size = 1024
    norm: Literal["pre"] = "pre"
    n_views: Count = 2
    attention_dim: Size = 128
    dropout: Dropout = 0.1
    max_tokens: Size = 256


class BridgeConfig(BaseConfig, frozen=True, kw_only=True, tag="bridge"):
    """A multilingual translation model, whose bridge matrix is a sentence vector.

    Vázquez et al. 2020, "A Systematic Study of Inner-Attention-Based Sentence
    Representations in Multilingual Neural Machine Translation", section 3.

    Attributes:
        system: an attention bridge; no bridge (the decoder attends to the tokens); or
            one encoder and one decoder that all languages share, without a bridge,
            where a token before the sentence names the target language.
        n_pieces: pieces of each language's vocabulary, in the order of `languages`; one
            number if the vocabulary is shared.
        hidden_dim: units per direction of the encoders; the decoders have twice as
            many.
        n_heads: k rows of the bridge matrix; 0 without a bridge.
        bridge_dim: d_w, inner size of the bridge.
        directions: source and target of each trained direction; equal for copies.
        is_lowercase: texts are lower-cased before tokenisation.
    """

    system: Literal["bridge", "attention", "shared"] = "bridge"
    n_pieces: tuple[Size, ...]
    embed_dim: Size = 128
    hidden_dim: Size = 128
    n_layers: Count = 1
    n_heads: Annotated[int, Meta(ge=0, le=64)] = 10
    bridge_dim: Size = 256
    dropout: Dropout = 0.1
    max_tokens: Size = 128
    directions: tuple[tuple[str, str], ...] = ()
    is_lowercase: bool = True


class SentenceTransformersConfig(
    BaseConfig, frozen=True, kw_only=True, tag="sentence-transformers"
):
    """A sentence-transformers folder, copied into the subfolder `model`."""


class WordBagConfig(BaseConfig, frozen=True, kw_only=True, tag="word-bag"):
    """A weighted mean of word vectors.

    Attributes:
        weighting: word weights: equal, inverse document frequency, or smooth inverse
            frequency (Arora et al. 2017).
        removes_component: the first component of the texts that the weights are based
            on is removed from each vector.
    """

    precision: Literal["int4", "int8", "float16", "float32"] = "float16"
    weighting: Literal["mean", "idf", "sif"] = "mean"
    removes_component: bool = False


class CombinedConfig(BaseConfig, frozen=True, kw_only=True, tag="combined"):
    """A base encoder, and an encoder in the same space for each added language.

    Attributes:
        added: codes of the added languages, in order of addition.
    """

    added: tuple[str, ...]


class VectorsConfig(BaseConfig, frozen=True, kw_only=True, tag="vectors"):
    """Imported vectors: corpora have them, but new text can't be encoded."""


EncoderConfig = (
    StaticConfig
    | BilstmConfig
    | TransformerConfig
    | ContextualConfig
    | BridgeConfig
    | SentenceTransformersConfig
    | WordBagConfig
    | CombinedConfig
    | VectorsConfig
)


def architecture_of(config: EncoderConfig) -> str:
    """Return the name of the architecture in encoder.json."""
    return str(type(config).__struct_config__.tag)
