"""Sentence encoder of a translation model: mean, all or one row of the bridge."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save
from torch import Tensor

from app.arrays import FloatArray
from app.engine.encoders.bridge.codec import Codec, load_codec, vocabulary_file
from app.engine.encoders.bridge.module import TranslationModule
from app.engine.encoders.configs import BridgeConfig
from app.engine.encoders.folder import WEIGHTS_FILE, fingerprint_of, save_folder
from app.engine.encoders.neural import NeuralEncoder, SentenceModule
from app.engine.encoders.tokens import TokenBatch
from app.engine.encoders.weights import load_checked, pack_weights
from app.engine.text.language_detection import choose_languages
from app.engine.text.word_vocabulary import PieceCounts
from app.errors import UserError
from app.languages import language_name, parse_language

MEAN, ALL_ROWS = "mean", "rows"


class LanguageEncoder(SentenceModule):
    """One language's encoder in the model: its layers, the bridge, the selected rows.

    Attributes:
        model: shared by the languages.
        language: language of the texts.
        row: row of the bridge matrix (from 0); None: the mean of all rows; -1: all
            rows, concatenated.
    """

    def __init__(self, model: TranslationModule, language: str, row: int | None):
        super().__init__()
        self.model = model
        self.language = language
        self.row = row
        self.dim = model.dim * (model.config.n_heads if row == -1 else 1)

    def forward(self, batch: TokenBatch) -> Tensor:
        """Return float (b, d)."""
        memory = self.model.read(self.language, batch)
        if self.row is None:
            return memory.mean()
        if self.row == -1:
            return memory.rows.flatten(1)  # (b, k, h) -> (b, k * h)
        return memory.rows[:, self.row]


class BridgeEncoder:
    """The encoder protocol over a translation model.

    `encode` detects the language of each text among those of the model;
    `in_language` returns the encoder of a known one.

    Attributes:
        name, dim, fingerprint: see `Encoder`.
        model: model in evaluation mode, on its device.
        codec: vocabularies of the model.
        languages: encoder of each language.
        device: device of the model.
    """

    def __init__(
        self,
        model: TranslationModule,
        codec: Codec,
        *,
        rows: str = MEAN,
        fingerprint: str = "",
        device: str = "cpu",
    ):
        config = model.config
        suffix = "" if rows == MEAN else f"#{rows}"
        self._model_fingerprint = fingerprint
        self.name = config.name + suffix
        self.fingerprint = fingerprint + suffix
        self.model = model.eval().to(device)
        self.codec = codec
        self.device = device
        row = parse_row(rows, config)
        # the vector of a shared model depends on the target: the first language
        target = config.languages[0]
        self.languages = {
            code: NeuralEncoder(
                LanguageEncoder(model, code, row),
                codec.tokeniser(code, target),
                name=self.name,
                fingerprint=self.fingerprint,
                device=device,
            )
            for code in config.languages
        }
        self.dim = self.languages[target].dim
        self._by_code = {parse_language(c).code: c for c in config.languages}

    def with_rows(self, rows: str) -> "BridgeEncoder":
        """Return an encoder with the same model but other rows (see `parse_row`)."""
        return BridgeEncoder(
            self.model,
            self.codec,
            rows=rows,
            fingerprint=self._model_fingerprint,
            device=self.device,
        )

    def in_language(self, language: str) -> NeuralEncoder:
        """Return the encoder of a language.

        Raises:
            UserError: the model does not have the language.
        """
        code = self._by_code.get(parse_language(language).code)
        if code is None:
            known = ", ".join(map(language_name, self.languages))
            raise UserError(
                f"{self.name} can't encode {language_name(language)}, only {known}. "
                "Choose another encoder or other corpora."
            )
        return self.languages[code]

    def for_text(self, text: str) -> NeuralEncoder:
        """Return the encoder of a text's most likely language."""
        (code,) = choose_languages([text], list(self._by_code))
        return self.languages[self._by_code[code]]

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Return a vector per text: float32 (n, d), zero without a known token."""
        vectors = np.zeros((len(texts), self.dim), np.float32)
        chosen = np.array(choose_languages(texts, list(self._by_code)), object)
        for code in dict.fromkeys(chosen):
            (indices,) = np.nonzero(chosen == code)
            encoder = self.languages[self._by_code[code]]
            vectors[indices] = encoder.encode([texts[i] for i in indices.tolist()])
        return vectors

    def matrices(self, texts: Sequence[str], language: str) -> FloatArray:
        """Return all rows of the bridge matrix of each text: float32 (n, k * h).

        Args:
            texts: texts in one language.
            language: the model's code of the language.
        """
        all_rows = NeuralEncoder(
            LanguageEncoder(self.model, language, -1),
            self.codec.tokeniser(language),
            device=self.device,
        )
        return all_rows.encode(texts)

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the pieces and the unknown pieces of each text."""
        chosen = choose_languages(texts, list(self._by_code))
        found = [
            self.languages[self._by_code[code]].count_pieces([text])
            for text, code in zip(texts, chosen, strict=True)
        ]
        return PieceCounts(
            *(np.array([one[i][0] for one in found], np.int32) for i in range(2))
        )


def parse_row(rows: str, config: BridgeConfig) -> int | None:
    """Convert "mean", "rows" or a head's number from 1 to a `LanguageEncoder` row.

    Raises:
        UserError: the model has no such head.
    """
    if rows == MEAN:
        return None
    if config.system == "bridge":
        if rows == ALL_ROWS:
            return -1
        if rows.isascii() and rows.isdigit() and 1 <= int(rows) <= config.n_heads:
            return int(rows) - 1
        raise UserError(
            f"{config.name} has no head {rows!r}. Write {config.name}#1 to "
            f"{config.name}#{config.n_heads} for a head, or {config.name}#{ALL_ROWS} "
            "for all of them in one vector."
        )
    raise UserError(f"{config.name} has no bridge, so it has no heads to choose.")


def load(
    folder: Path, config: BridgeConfig, *, rows: str = MEAN, device: str = "cpu"
) -> BridgeEncoder:
    """Load a translation model.

    Raises:
        UserError: weights or vocabularies are missing or damaged, or do not fit.
    """
    _check_config(folder, config)
    codec = load_codec(folder, config)
    module = load_checked(folder, lambda: TranslationModule(config))
    assert isinstance(module, TranslationModule)
    fingerprint = fingerprint_of(folder)
    return BridgeEncoder(
        module, codec, rows=rows, fingerprint=fingerprint, device=device
    )


def save_model(
    folder: Path,
    config: BridgeConfig,
    weights: dict[str, Tensor],
    codec: Codec,
    card: str,
) -> None:
    """Write a model's folder.

    Raises:
        UserError: the folder exists.
    """
    is_shared = config.system == "shared"
    files = {
        vocabulary_file(code, is_shared=is_shared): vocabulary.model_bytes
        for code, vocabulary in codec.vocabularies.items()
    }
    arrays = pack_weights(weights, config.precision)
    save_folder(folder, config, {WEIGHTS_FILE: save(arrays), **files}, card)


def _check_config(folder: Path, config: BridgeConfig) -> None:
    """Reject inconsistent sizes."""
    n_vocabularies = 1 if config.system == "shared" else len(config.languages)
    fits = (
        config.languages
        and len(config.n_pieces) == n_vocabularies
        and len({parse_language(c).code for c in config.languages})
        == len(config.languages)
        and config.dim == 2 * config.hidden_dim
        and (config.n_heads > 0) == (config.system == "bridge")
    )
    if not fits:
        raise UserError(f"{folder}: encoder.json declares impossible sizes.")


def make_module(config: BridgeConfig, seed: int) -> TranslationModule:
    """Build a model with fresh weights, drawn from a seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return TranslationModule(config)
