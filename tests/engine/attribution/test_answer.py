"""Attribution with encoders of every architecture."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from app.engine.attribution.answer import MAX_TOKENS, Attribution, attribute_similarity
from app.engine.encoders.encoder import Encoder
from app.engine.encoders.registry import load_encoder
from app.engine.runtime.report import Report
from app.engine.tasks.look_inside import look_inside as look_inside_task
from app.engine.text.subword_vocabulary import Vocabulary
from app.errors import UserError
from app.params.vectors import LookInside
from tests.engine.encoders.made import ARCHITECTURES, made_encoder

FIRST, SECOND = "The cat sleeps, doesn't it?", "Die Katze schläft."
NEURAL = [name for name in ARCHITECTURES if not name.startswith("static")]


@pytest.fixture(scope="module")
def bundled() -> Encoder:
    return load_encoder()


def matrix_of(look: Attribution, name: str, side: str = "both", head: int = 0) -> Any:
    (found,) = [
        one
        for one in look.answer.matrices
        if (one.name, one.side, one.head) == (name, side, head)
    ]
    n = found.shape[0] * found.shape[1]
    return look.matrices[found.at : found.at + n].reshape(found.shape)


def sums_of(look: Attribution) -> list[float]:
    return [
        sum(token.contribution or 0.0 for token in side.tokens) + (side.rest or 0.0)
        for side in (look.answer.first, look.answer.second)
    ]


def check_sums(look: Attribution, encoder: Any) -> None:
    """Compare with the cosine of what the encoder itself gives."""
    vectors = encoder.encode([FIRST, SECOND]).astype(np.float64)
    lengths = np.linalg.norm(vectors, axis=1)
    expected = float(vectors[0] @ vectors[1] / lengths.prod())
    assert look.answer.cosine == pytest.approx(expected, abs=2e-6)
    # each of up to 30 contributions is rounded to six places
    assert sums_of(look) == pytest.approx([expected, expected], abs=2e-5)


def test_pieces_of_the_bundled_encoder_add_up_to_the_cosine(bundled: Encoder) -> None:
    look = attribute_similarity(bundled, FIRST, SECOND)
    check_sums(look, bundled)
    names = [token.name for token in look.answer.first.tokens]
    assert "".join(names).replace("▁", " ").strip() == FIRST.lower()
    assert look.answer.first.tokens[0].wins is None  # it is no maximum


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("他昨天去了北京。", "אתמול הוא נסע"),
        ("ประเทศไทย ﬁne", "ÇIĞLIK 𓀀 don’t"),
        ("ox", "x" * 60),
    ],
)
def test_pieces_add_up_in_every_script(
    bundled: Encoder, first: str, second: str
) -> None:
    look = attribute_similarity(bundled, first, second)
    expected = look.answer.cosine
    assert sums_of(look) == pytest.approx([expected, expected], abs=5e-5)


@pytest.mark.parametrize("name", NEURAL)
def test_tokens_of_every_architecture_add_up_to_the_cosine(
    name: str, vocabulary: Vocabulary
) -> None:
    encoder = made_encoder(name, vocabulary)
    look = attribute_similarity(encoder, FIRST, SECOND)
    check_sums(look, encoder)
    n_tokens = len(encoder.tokeniser.tokenise([FIRST]).ids)
    assert len(look.answer.first.tokens) == n_tokens
    assert matrix_of(look, "similarity").shape[0] == n_tokens


def test_shares_of_the_maximum_add_up_to_one(vocabulary: Vocabulary) -> None:
    look = attribute_similarity(made_encoder("bilstm-max", vocabulary), FIRST, SECOND)
    for side in ("first", "second"):
        wins = [token.wins or 0.0 for token in look.answer.sentence(side).tokens]
        assert sum(wins) == pytest.approx(1, abs=1e-4)


def test_inner_attention_has_its_views_and_each_adds_up_to_one(
    vocabulary: Vocabulary,
) -> None:
    look = attribute_similarity(
        made_encoder("bilstm-attention", vocabulary), FIRST, SECOND
    )
    views = matrix_of(look, "inner attention", "first")
    assert views.shape == (3, len(look.answer.first.tokens))
    np.testing.assert_allclose(views.sum(axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("name", ["transformer-post", "transformer-pre"])
def test_a_transformer_has_heads_in_each_layer(
    name: str, vocabulary: Vocabulary
) -> None:
    look = attribute_similarity(made_encoder(name, vocabulary), FIRST, SECOND)
    n = len(look.answer.second.tokens)
    for layer in (1, 2):
        for head in (1, 2):
            heads = matrix_of(look, f"layer {layer}", "second", head)
            assert heads.shape == (n, n)
            np.testing.assert_allclose(heads.sum(axis=1), 1, atol=1e-5)


def test_heads_are_those_with_which_the_layers_attend(vocabulary: Vocabulary) -> None:
    from app.engine.encoders.tokens import collate
    from app.engine.encoders.transformer import TransformerLayer, TransformerModule

    encoder = made_encoder("transformer-post", vocabulary)
    assert isinstance(encoder.module, TransformerModule)
    layer = encoder.module.layers[0]
    assert isinstance(layer, TransformerLayer)
    batch = collate(encoder.tokeniser.tokenise([FIRST]), [0])
    states, is_heard = encoder.module._begin(batch)
    _, _, values = layer._project(states)  # (b, heads, t, d')
    weighed = layer.weigh(states, is_heard) @ values
    joined = layer.output(weighed.transpose(1, 2).reshape(states.shape))
    expected = layer._attend(states, is_heard)
    np.testing.assert_allclose(joined.detach(), expected.detach(), atol=1e-6)


def test_a_sentence_alone_is_compared_with_itself(bundled: Encoder) -> None:
    look = attribute_similarity(bundled, FIRST)
    assert look.answer.cosine == pytest.approx(1)
    np.testing.assert_allclose(np.diag(matrix_of(look, "similarity")), 1, atol=1e-5)


def test_a_long_sentence_is_shown_in_part_and_still_adds_up(bundled: Encoder) -> None:
    look = attribute_similarity(bundled, "barn ox " * 120, SECOND)
    assert len(look.answer.first.tokens) == MAX_TOKENS
    assert look.answer.notes[0].startswith(f"Only the first {MAX_TOKENS} of")
    assert sums_of(look)[0] == pytest.approx(look.answer.cosine, abs=2e-4)
    assert len(msgspec.json.encode(look.answer)) < 50_000


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        ("", "Type a sentence"),
        ("☃☃", "knows no part of '☃☃'"),
        ("x " * 1_500, "has 3,000 characters; the limit is 2,000"),
    ],
)
def test_what_can_not_be_looked_into_is_said(
    bundled: Encoder, first: str, reason: str
) -> None:
    with pytest.raises(UserError, match=reason):
        attribute_similarity(bundled, first, SECOND)


def test_the_command_gives_matrices_as_far_as_they_fit() -> None:
    params = LookInside(text=FIRST, other=SECOND)
    result = look_inside_task(None, params, Report())
    (similarity,) = result.matrices
    assert len(similarity.values) == similarity.shape[0]
    assert not hasattr(similarity, "at")


def test_heads_of_sentence_transformers_are_those_of_transformers(
    tmp_path: Path,
) -> None:
    transformers = pytest.importorskip("transformers")
    from app.engine.encoders.imported.sentence_transformers import load_model
    from app.engine.encoders.neural import NeuralEncoder
    from tests.engine.encoders.imported.tiny_bert import write_bert

    source = write_bert(tmp_path / "tiny-bert")
    encoder = NeuralEncoder(*load_model(source))
    look = attribute_similarity(encoder, "The ox sees an ox.", "cows")
    names = [token.name for token in look.answer.second.tokens]
    assert names == ["[CLS]", "cow", "##s", "[SEP]"]
    sums = sums_of(look)
    assert sums == pytest.approx([look.answer.cosine] * 2, abs=2e-5)
    body = transformers.BertModel.from_pretrained(
        source, add_pooling_layer=False, attn_implementation="eager"
    )
    tokenizer = transformers.AutoTokenizer.from_pretrained(source)
    batch = tokenizer("cows", return_tensors="pt")
    expected = body(**batch, output_attentions=True).attentions[1][0, 0]
    found = matrix_of(look, "layer 2", "second", 1)
    np.testing.assert_allclose(found, expected.detach(), atol=1e-5)
