"""Run sentence-transformers encoders with transformers, without network access.

This is the only module that imports transformers and tokenizers, which belong to the
optional extra `transformers`; the error for a missing extra explains how to install it.
"""

import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from app.engine.encoders.configs import SentenceTransformersConfig
from app.engine.encoders.folder import fingerprint_of
from app.engine.encoders.imported.folder_check import (
    Module,
    check_folder,
    count_stored,
    read_settings,
)
from app.engine.encoders.imported.sentence_layers import (
    read_layers,
    read_pooling,
    read_tensors,
)
from app.engine.encoders.neural import NeuralEncoder, SentenceModule
from app.engine.encoders.tokens import TokenBatch, Tokens, make_tokens
from app.engine.text.subword_vocabulary import MAX_CHARACTERS
from app.engine.text.word_vocabulary import PieceCounts
from app.errors import UserError


class HubTokeniser:
    """Splits texts with a tokenizer of transformers (see `Tokeniser`).

    A text that consists of special and unknown pieces only has no token.
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
        """Wrap a tokenizer.

        Args:
            tokenizer: fast tokenizer of transformers.
            max_tokens: maximum per text, including special pieces.
            prompt: prefix of each text.
            is_lower: texts are lower-cased first.
            has_marks: the tokenizer's special pieces are added around each text.
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

    def tokenise(self, texts: Sequence[str]) -> Tokens:
        """Split texts into at most `max_tokens` pieces each, with special pieces."""
        ids, lengths = self._ids(texts)
        n_known = self._count_known(ids, lengths)
        is_kept = np.repeat(n_known > 0, lengths)
        return make_tokens(ids[is_kept], np.where(n_known > 0, lengths, 0))

    def names(self, text: str) -> list[str]:
        """Return the tokens that `tokenise` returns for a text, in order."""
        ids, _ = self._ids([text])
        names: list[str] = self._tokenizer.convert_ids_to_tokens(ids.tolist())
        return names

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the pieces and the unknown pieces of each text."""
        ids, lengths = self._ids(texts)
        is_unknown = ids == self._unknown_id
        is_piece = is_unknown | ~np.isin(ids, self._special_ids)
        return PieceCounts(
            _count_by_text(is_piece, lengths), _count_by_text(is_unknown, lengths)
        )

    def _count_known(self, ids: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """Count the known pieces of each text, without the prompt."""
        n_known = _count_by_text(~np.isin(ids, self._special_ids), lengths)
        return n_known - self._n_of_prompt

    def _ids(self, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return int32 (t,) pieces of all texts, and int32 (n,) lengths."""
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
    """Replace unpaired surrogates, which tokenizers rejects."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _count_by_text(is_counted: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Count true values in each text's part of a flat array: int32 (n,)."""
    text_ids = np.repeat(np.arange(len(lengths)), lengths)
    counts = np.bincount(text_ids[is_counted], minlength=len(lengths))
    return counts.astype(np.int32)


MODEL_FOLDER = "model"
EXTRA = ("transformers", "tokenizers")
OFFSET_TYPES = ("mpnet", "roberta", "xlm-roberta", "camembert")  # 2 positions unused
DEFAULT_MAX_TOKENS = 512
DAMAGE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)
SPARE = 1.05  # limit of a config's size relative to stored weights (a pooler, a head)


class PooledTransformer(SentenceModule):
    """A transformer, its pooling, and the layers after it."""

    def __init__(
        self, body: nn.Module, pooling: nn.Module, layers: nn.Module, dim: int
    ):
        super().__init__()
        self.dim = dim
        self.body, self.pooling, self.layers = body, pooling, layers
        self._padding_id = int(getattr(body.config, "pad_token_id", 0) or 0)

    def forward(self, batch: TokenBatch) -> Tensor:
        """Return float (b, d)."""
        # some bodies count positions by tokens that are not padding
        ids = torch.where(batch.is_token, batch.ids, self._padding_id)
        states = self.body(
            input_ids=ids, attention_mask=batch.is_token.long()
        ).last_hidden_state  # (b, t, h)
        vectors: Tensor = self.layers(self.pooling(states, batch.is_token))
        return vectors

    def states_and_attention(self, batch: TokenBatch) -> tuple[Tensor, list[Tensor]]:
        """Return the last states, (b, t, h), and each layer's heads, (b, heads, t, t).

        A body without explicit attention returns no heads.
        """
        ids = torch.where(batch.is_token, batch.ids, self._padding_id)
        config: Any = self.body.config
        before = config._attn_implementation
        # only the eager form of attention returns its weights
        config._attn_implementation = "eager"
        try:
            found = self.body(
                input_ids=ids,
                attention_mask=batch.is_token.long(),
                output_attentions=True,
            )
        finally:
            config._attn_implementation = before
        maps = getattr(found, "attentions", None) or ()
        return found.last_hidden_state, [one for one in maps if one is not None]


class MeanOfRows(SentenceModule):
    """A static embedding: the mean of the pieces' rows, and the layers after it."""

    def __init__(self, table: Tensor, layers: nn.Module, dim: int):
        super().__init__()
        self.dim = dim
        self.table = nn.Parameter(table, requires_grad=False)
        self.layers = layers

    def forward(self, batch: TokenBatch) -> Tensor:
        """Return float (b, d)."""
        ids = batch.ids[batch.is_token]  # (b, t) -> (tokens,)
        starts = batch.lengths.cumsum(0) - batch.lengths
        means = functional.embedding_bag(
            ids, self.table, starts.to(ids.device), mode="mean"
        )  # (tokens,) -> (b, d)
        vectors: Tensor = self.layers(means)
        return vectors


def load(
    folder: Path, config: SentenceTransformersConfig, *, device: str
) -> NeuralEncoder:
    """Load a sentence-transformers encoder from the project's copy.

    Raises:
        UserError: the folder is damaged, or the extra `transformers` is not installed.
    """
    module, tokeniser = load_model(folder / MODEL_FOLDER)
    if module.dim != config.dim:
        raise UserError(
            f"{folder} returns {module.dim:,} dimensions, not {config.dim:,}."
        )
    return NeuralEncoder(
        module,
        tokeniser,
        name=config.name,
        fingerprint=fingerprint_of(folder),
        device=device,
    )


def load_model(folder: Path) -> tuple[SentenceModule, HubTokeniser]:
    """Load a sentence-transformers folder: module and tokeniser.

    Raises:
        UserError: the folder is damaged or requires running code, or the extra is
            missing.
    """
    require_extra()
    modules = check_folder(folder)
    place = folder / modules[0].path
    if modules[0].kind == "StaticEmbedding":
        table = _read_table(place)
        layers, dim = read_layers(folder, modules, table.shape[1])
        return MeanOfRows(table, layers, dim), _static_tokeniser(place, len(table))
    body = _load_body(place)
    pooling = read_pooling(folder, modules)
    n_pooled = int(body.config.hidden_size) * len(pooling.modes)
    layers, dim = read_layers(folder, modules, n_pooled)
    tokeniser = _load_tokeniser(folder, modules[0], body)
    return PooledTransformer(body, pooling, layers, dim), tokeniser


def describe_model(module: SentenceModule) -> str:
    """Return a sentence that describes the loaded encoder."""
    n_weights = sum(value.numel() for value in module.parameters())
    kind = "a table of pieces"
    if isinstance(module, PooledTransformer):
        config: Any = module.body.config
        kind = f"{config.model_type}, {config.num_hidden_layers} layers"
    return (
        f"sentence-transformers: {kind}, {n_weights / 1000000.0:,.1f} million "
        "parameters."
    )


def require_extra() -> None:
    """Check that the extra is installed, and disable its network access.

    Raises:
        UserError: the extra is not installed or incomplete; the message explains how to
            install it.
    """
    if any(importlib.util.find_spec(name) is None for name in EXTRA):
        raise UserError(
            "Encoders of sentence-transformers need the package transformers, which is "
            "not installed (see Optional packages in the documentation)."
        )
    os.environ.update(
        HF_HUB_OFFLINE="1",
        HF_HUB_DISABLE_TELEMETRY="1",
        TRANSFORMERS_NO_ADVISORY_WARNINGS="1",
        TOKENIZERS_PARALLELISM="true",
    )
    try:
        from transformers import AutoModel, AutoTokenizer  # noqa: F401 - naming them loads what is behind
    except ImportError as error:
        last = str(error).strip().splitlines()[-1:]
        raise UserError(
            f"The package transformers can't be loaded ({' '.join(last)}): install it "
            "again (see Optional packages in the documentation)."
        ) from error


def _load_body(folder: Path) -> Any:
    """Load the transformer after comparing its sizes with the stored weights."""
    import transformers

    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    options = {"local_files_only": True, "trust_remote_code": False}
    try:
        config = transformers.AutoConfig.from_pretrained(folder, **options)
        with torch.device("meta"):  # sizes only, without allocating memory
            claimed = transformers.AutoModel.from_config(config)
        n_claimed = sum(value.numel() for value in claimed.parameters())
        if n_claimed > SPARE * count_stored(folder):
            raise UserError(
                f"{folder} declares {n_claimed:,} weights, but contains "
                "fewer. Download it again."
            )
        body, info = transformers.AutoModel.from_pretrained(
            folder,
            config=config,
            use_safetensors=True,
            dtype=torch.float32,
            output_loading_info=True,
            **options,
        )
    except DAMAGE as error:
        raise UserError(_damaged(folder, error)) from error
    missing = [name for name in info["missing_keys"] if not name.startswith("pooler.")]
    if missing or info["mismatched_keys"]:
        raise UserError(
            f"{folder} doesn't contain all weights that its config.json "
            f"describes ({len(missing):,} are missing). Download it again."
        )
    if not all(bool(torch.isfinite(value.sum())) for value in body.parameters()):
        raise UserError(f"{folder} contains weights that are not finite.")
    return body


def _load_tokeniser(folder: Path, module: Module, body: Any) -> HubTokeniser:
    """Load a transformer's tokenizer with the settings of sentence-transformers."""
    import transformers

    place = folder / module.path
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            place, local_files_only=True, trust_remote_code=False
        )
    except Exception as error:  # tokenizers raises no narrower class
        raise UserError(_damaged(place, error)) from error
    n_rows = body.get_input_embeddings().num_embeddings
    if len(tokenizer) > n_rows:
        raise UserError(
            f"{place}: the tokenizer has {len(tokenizer):,} pieces, but the encoder "
            f"only {n_rows:,} rows."
        )
    settings = read_settings(place / "sentence_bert_config.json")
    prompts = read_settings(folder / "config_sentence_transformers.json")
    return HubTokeniser(
        tokenizer,
        _max_tokens(settings, tokenizer, body.config),
        prompt=_default_prompt(prompts),
        is_lower=bool(settings.get("do_lower_case")),
    )


def _max_tokens(settings: dict[str, Any], tokenizer: Any, config: Any) -> int:
    """Return the maximum length in pieces: as set, up to the number of positions."""
    n_positions = int(getattr(config, "max_position_embeddings", DEFAULT_MAX_TOKENS))
    if config.model_type in OFFSET_TYPES:
        n_positions -= 2
    wanted = settings.get("max_seq_length")
    bounds = [n_positions, int(tokenizer.model_max_length)]
    return max(3, min(bounds + ([wanted] if isinstance(wanted, int) else [])))


def _default_prompt(settings: dict[str, Any]) -> str:
    """Return the default prompt, the prefix of each text, if the encoder has one."""
    prompts, name = settings.get("prompts"), settings.get("default_prompt_name")
    return str(prompts.get(name, "")) if isinstance(prompts, dict) and name else ""


def _read_table(folder: Path) -> Tensor:
    """Read the rows of a static embedding, float32 (n, d)."""
    tensors = read_tensors(folder / "model.safetensors")
    table = tensors.get("embedding.weight", tensors.get("embeddings"))
    if table is None or table.ndim != 2:
        raise UserError(f"{folder} contains no embedding table.")
    return table


def _static_tokeniser(folder: Path, n_rows: int) -> HubTokeniser:
    """Load the tokenizer of a static embedding."""
    import transformers

    file = folder / "tokenizer.json"
    try:
        fast = transformers.PreTrainedTokenizerFast(tokenizer_file=str(file))
    except Exception as error:  # tokenizers raises no narrower class
        raise UserError(_damaged(folder, error)) from error
    if len(fast) > n_rows:
        raise UserError(
            f"{file} has {len(fast):,} pieces, but the table only {n_rows:,} rows."
        )
    return HubTokeniser(fast, MAX_CHARACTERS, has_marks=False)


def _damaged(folder: Path, error: Exception) -> str:
    reason = str(error).strip().split("\n")[0][:200]
    return f"Can't read {folder} ({reason}). Download it again."
