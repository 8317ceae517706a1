"""Split texts into pieces of each language's vocabulary, and join pieces."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from app.engine.encoders.configs import BridgeConfig
from app.engine.encoders.tokenisers import PieceTokeniser
from app.engine.encoders.tokens import Tokens, make_tokens
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.text.word_vocabulary import PieceCounts
from app.errors import UserError

SHARED_FILE = "vocabulary.model"


def vocabulary_file(language: str, *, is_shared: bool) -> str:
    """Return the name of the file with a language's vocabulary."""
    return SHARED_FILE if is_shared else f"vocabulary.{language}.model"


class LanguageTokeniser(PieceTokeniser):
    """Splits texts of one language into tokens (see `Tokeniser`).

    Args:
        vocabulary: vocabulary of the language, or shared.
        config: specifies whether texts are lower-cased.
        target: a shared model's first token names this target language; None: no token.
    """

    def __init__(
        self, vocabulary: Vocabulary, config: BridgeConfig, target: str | None = None
    ):
        super().__init__(vocabulary, config.max_tokens)
        self._is_lowercase = config.is_lowercase
        self._first_id: int | None = None
        if config.system == "shared" and target is not None:
            self._first_id = vocabulary.n_pieces + config.languages.index(target)

    def tokenise(self, texts: Sequence[str]) -> Tokens:
        """Split texts into at most `max_tokens` pieces each, plus the first token."""
        return self.mark(super().tokenise(self._prepare(texts)))

    def mark(self, tokens: Tokens) -> Tokens:
        """Insert the target's token, if there is one, before non-empty sentences."""
        if self._first_id is None:
            return tokens
        lengths = tokens.lengths
        is_known = lengths > 0
        starts = (tokens.ends - lengths)[is_known]
        ids = np.insert(tokens.ids, starts, self._first_id)
        return make_tokens(ids, lengths + is_known)

    def names(self, text: str) -> list[str]:
        """Return the tokens that `tokenise` returns for a text, in order."""
        names = super().names(self._prepare([text])[0])
        return names if self._first_id is None else ["→", *names]

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the pieces and the unknown pieces of each text."""
        return super().count_pieces(self._prepare(texts))

    def _prepare(self, texts: Sequence[str]) -> list[str]:
        return [text.lower() for text in texts] if self._is_lowercase else list(texts)


class Codec:
    """The vocabularies of a translation model.

    Attributes:
        config: config of the model.
        vocabularies: vocabularies by language; the same object if shared.
    """

    def __init__(self, config: BridgeConfig, vocabularies: Mapping[str, Vocabulary]):
        self.config = config
        self.vocabularies = vocabularies

    def tokeniser(self, source: str, target: str | None = None) -> LanguageTokeniser:
        """Return the tokeniser of a source language.

        Args:
            target: target language; used only by a shared model.
        """
        return LanguageTokeniser(self.vocabularies[source], self.config, target)

    def join(self, piece_ids: Sequence[int], language: str) -> str:
        """Join the pieces of a sentence."""
        text: str = self.vocabularies[language].processor.decode(list(piece_ids))
        return text


def load_codec(folder: Path, config: BridgeConfig) -> Codec:
    """Load the vocabularies of a model's folder.

    Raises:
        UserError: a vocabulary is missing, damaged, or differs in size from the config.
    """
    is_shared = config.system == "shared"
    loaded: dict[str, Vocabulary] = {}
    files = [vocabulary_file(code, is_shared=is_shared) for code in config.languages]
    for name, size in zip(dict.fromkeys(files), config.n_pieces, strict=True):
        loaded[name] = _load_vocabulary(folder / name)
        if loaded[name].n_pieces != size:
            raise UserError(
                f"{folder / name}: the vocabulary has {loaded[name].n_pieces:,} "
                f"pieces, but encoder.json declares {size:,}."
            )
    by_language = zip(config.languages, files, strict=True)
    return Codec(config, {code: loaded[name] for code, name in by_language})


def _load_vocabulary(file: Path) -> Vocabulary:
    try:
        model_bytes = file.read_bytes()
        if model_bytes:
            return Vocabulary(model_bytes)
    except (RuntimeError, OSError) as error:
        raise UserError(f"{file}: the vocabulary is missing or damaged.") from error
    raise UserError(f"{file}: the vocabulary is empty.")
