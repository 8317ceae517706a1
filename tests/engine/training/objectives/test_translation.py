"""Translation: the decoder against a slow reference, turns, gradients, learning."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from app.engine.runtime.report import Report
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.training.objective import encode_columns
from app.engine.training.objectives.translation import (
    Decoder,
    TranslationObjective,
    make_translation,
    pad_targets,
)
from app.errors import UserError
from tests.engine.training.objectives.making import (
    DEFAULTS,
    check_draws_are_reproducible,
    gradient_norms,
    make_context,
    make_module,
    train,
)
from tests.engine.training.synthetic import make_pairs, write_pairs


def make(folder: Path, vocabulary: Vocabulary, **settings: Any) -> TranslationObjective:
    files = [folder / "eng-deu.tsv", folder / "eng-spa.tsv"]
    if not files[0].exists():
        write_pairs(files[0], 120)
        reversed_pairs = [(a, " ".join(b.split()[::-1])) for a, b in make_pairs(80)]
        text = "".join(f"{a}\t{b}\n" for a, b in reversed_pairs)
        files[1].write_text(text, encoding="utf-8")
    context = make_context(
        folder, vocabulary, files=files, objectives=["translation"], **settings
    )
    return make_translation(context, Report())


def slow_loss(
    decoder: Decoder, vector: Tensor, language_id: int, pieces: list[int]
) -> list[float]:
    """Return the loss of each piece, by the LSTM's equations step by step."""
    lstm = dict(decoder.lstm.named_parameters())
    h = decoder.first_hidden.weight @ vector + decoder.first_hidden.bias
    c = decoder.first_cell.weight @ vector + decoder.first_cell.bias
    losses = []
    for previous, piece in zip([decoder.mark_id, *pieces], pieces, strict=False):
        z = torch.cat(
            [
                decoder.pieces.weight[previous],
                vector,
                decoder.languages.weight[language_id],
            ]
        )
        gates = lstm["weight_ih_l0"] @ z + lstm["bias_ih_l0"]
        gates = gates + lstm["weight_hh_l0"] @ h + lstm["bias_hh_l0"]
        i, f, g, o = gates.chunk(4)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        logits = decoder.output.weight @ h + decoder.output.bias
        losses.append((logits.logsumexp(0) - logits[piece]).item())
    return losses


def test_loss_equals_a_slow_reference(tmp_path: Path, vocabulary: Vocabulary) -> None:
    objective, module = make(tmp_path, vocabulary), make_module(vocabulary)
    decoder = objective.heads
    assert isinstance(decoder, Decoder)
    for step in range(2):  # into English, into Spanish
        examples = objective.draw(step)
        found = objective.loss(module, examples)
        (vectors,) = encode_columns(module, examples.columns, "cpu")
        losses = []
        for vector, row in zip(vectors.detach(), examples.targets, strict=True):
            pieces = row[row >= 0].tolist()
            losses += slow_loss(decoder, vector, step, pieces)
        assert found.loss.item() == pytest.approx(np.mean(losses), rel=1e-5)
        perplexity = math.exp(float(np.mean(losses)))
        assert found.values == {"perplexity": pytest.approx(perplexity, rel=1e-4)}


def test_decoder_has_the_published_sizes() -> None:
    from app.params import build_params
    from app.params.training.encoder import TrainEncoder

    params = build_params(TrainEncoder, {"name": "a"})
    with torch.device("meta"):
        decoder = Decoder(1024, 50_000, 2, params)
    assert decoder.lstm.input_size == 320 + 1024 + 32
    assert decoder.lstm.hidden_size == 2048
    assert decoder.output.weight.shape == (50_001, 2048)
    assert DEFAULTS["decoder_dim"] != params.decoder_dim  # the tests' is smaller


def test_target_languages_take_turns(tmp_path: Path, vocabulary: Vocabulary) -> None:
    objective = make(tmp_path, vocabulary)
    ids = [set(objective.draw(step).language_ids.tolist()) for step in range(4)]
    assert ids == [{0}, {1}, {0}, {1}]


def test_targets_are_pieces_with_a_mark_at_the_end() -> None:
    padded = pad_targets(
        np.array([5, 6, 7, 8, 9], np.int32),
        np.array([1, 0, 4], np.int32),
        mark_id=99,
        max_pieces=3,
    )
    assert padded.tolist() == [[5, 99, -1, -1], [99, -1, -1, -1], [6, 7, 8, 99]]


def test_drawn_targets_are_translations_of_the_sources(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    objective = make(tmp_path, vocabulary)
    known = {
        tuple(vocabulary.tokenise([target])[0].tolist()): source
        for source, target in make_pairs(120)
    }
    examples = objective.draw(0)  # into English
    english = {source: tuple(ids) for ids, source in known.items()}
    drawn = examples.columns.tokens
    mark = vocabulary.n_pieces
    for i, row in enumerate(examples.targets):
        words = vocabulary.processor.decode([x for x in row.tolist() if 0 <= x < mark])
        foreign = tuple(drawn.take([i]).ids.tolist())
        reversed_text = vocabulary.processor.decode(list(english[words])).split()[::-1]
        spanish = vocabulary.tokenise([" ".join(reversed_text)])[0].tolist()
        assert foreign in (english[words], tuple(spanish))


@pytest.mark.parametrize("architecture", ["static", "bilstm"])
def test_gradient_reaches_module_and_decoder(
    tmp_path: Path, vocabulary: Vocabulary, architecture: str
) -> None:
    objective = make(tmp_path, vocabulary)
    norms = gradient_norms(objective, make_module(vocabulary, architecture))
    assert all(norm > 0 for norm in norms.values())
    assert {"lstm.weight_ih_l0", "languages.weight", "first_cell.bias"} <= set(norms)


def test_a_module_learns_to_translate(tmp_path: Path, vocabulary: Vocabulary) -> None:
    objective, module = make(tmp_path, vocabulary), make_module(vocabulary)
    losses = train(objective, module, 80)
    assert np.mean(losses[-5:]) < 0.6 * losses[0]


def test_draws_are_reproducible(tmp_path: Path, vocabulary: Vocabulary) -> None:
    check_draws_are_reproducible(lambda: make(tmp_path, vocabulary))


def test_what_is_translated_is_said(tmp_path: Path, vocabulary: Vocabulary) -> None:
    objective = make(tmp_path, vocabulary, target_languages=["eng", "spa", "fra"])
    missing, english, spanish = objective.notes
    assert missing.startswith("No pair file contains the target language French")
    assert (
        english == "200 sentences are translated into English (from German, Spanish)."
    )
    # the first 80 English sentences are the same, so German has their Spanish
    assert spanish == (
        "160 sentences are translated into Spanish (from English, German); 80 of them "
        "through a shared sentence in a third language."
    )
    assert objective.n_examples == 360


def test_missing_target_languages_are_refused(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    with pytest.raises(UserError, match="contains Japanese and another language"):
        make(tmp_path, vocabulary, target_languages=["jpn"])


def test_words_cannot_be_decoded(tmp_path: Path, vocabulary: Vocabulary) -> None:
    context = make_context(tmp_path, vocabulary)._replace(vocabulary=None)
    with pytest.raises(UserError, match="Set the units to pieces"):
        make_translation(context, Report())
