"""Sentences that are said twice: hand-made ones in two languages, and bad input."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import delete, insert, update

from app.engine.project.project import Project, create_project
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.embeddings import embedding_files, find_embedding
from app.engine.store.pairs.sets import first_pair_id
from app.errors import UserError
from app.params.quality import FindDuplicates
from tests.engine.quality.made import run_task, use_encoders
from tests.engine.search.made import WordEncoder, add_corpus
from tests.views.editing import add_alignment

ENGLISH = [
    "The road was under water by six.",
    "Nobody saw the boats come back in.",
    "The road was under water by six.",
    "THE ROAD was under water, by six!",
    "The road was under water by seven.",
    "Six by water under was road the.",
    "!!!",
    "???",
]
# The words are those of the first two sentences: a translation to the encoder.
OTHER = [
    "Road the under by six water was.",
    "Come boats the nobody saw back in.",
    "Something of no kin at all here.",
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    use_encoders(monkeypatch, WordEncoder(dim=32))
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpus(project, "english", "en", ENGLISH)
        add_corpus(project, "other", "de", OTHER)
        yield project


def at(corpus: int, index: int) -> int:
    return first_sentence_id(corpus) + index


def test_equal_and_near_texts_stand_beside_the_first(project: Project) -> None:
    result, found = run_task(project, FindDuplicates, corpora=["english"], cosine=0.7)
    told = [(one.kind, one.sentence_id, one.other_id) for one in found]
    assert told == [
        ("equal", at(1, 2), at(1, 0)),
        ("near", at(1, 3), at(1, 0)),
        ("near", at(1, 4), at(1, 0)),
    ]
    assert (result["groups"], result["n_unknown"]) == (1, 2)
    assert result["counts"] == {"equal": 1, "near": 2}
    assert [one.detail for one in found][:2] == [
        "Equal texts.",
        "They differ only in case, punctuation and spaces.",
    ]
    # "seven" for "six": 4 edits (s-e-v-e-n against s-i-x) of 34 characters
    assert found[2].similarity == pytest.approx(1 - 4 / 34, abs=1e-4)
    assert "88\u00a0% of the characters are equal" in found[2].detail
    # the same words in another order: the vectors are equal, the letters are not
    assert at(1, 5) not in [one.sentence_id for one in found]


def test_the_longest_is_kept_where_it_is_wanted(project: Project) -> None:
    params = {"corpora": ["english"], "keep": "longest", "cosine": 0.7}
    _, found = run_task(project, FindDuplicates, **params)
    assert {one.other_id for one in found} == {at(1, 4)}
    assert sorted(one.sentence_id for one in found) == [at(1, 0), at(1, 2), at(1, 3)]


def test_a_pair_that_another_sentence_joins_says_so(project: Project) -> None:
    steps = ["Seven boats came back", "Seven boats came home", "Eleven boats came home"]
    add_corpus(project, "steps", "en", steps)
    params = {"corpora": ["steps"], "cosine": 0.4, "similarity": 0.75}
    _, (near, joined) = run_task(project, FindDuplicates, **params)
    assert (near.other_id, joined.other_id) == (at(3, 0), at(3, 0))
    assert joined.similarity is not None
    assert joined.similarity < 0.75
    words = "Both are similar to another sentence of the group."
    assert joined.detail.endswith(words)
    assert not near.detail.endswith(words)


def test_translations_are_told_of_across_languages_only_when_asked(
    project: Project,
) -> None:
    _, found = run_task(project, FindDuplicates)
    assert all(one.kind != "translation" for one in found)
    result, found = run_task(project, FindDuplicates, across=True, across_cosine=0.9)
    pairs = [
        (one.sentence_id, one.other_id) for one in found if one.kind == "translation"
    ]
    assert (at(2, 1), at(1, 1)) in pairs
    assert {first for first, _ in pairs} == {at(2, 0), at(2, 1)}
    assert result["counts"]["translation"] == 2
    assert result["message"].endswith(" Translations that are not linked: 2 pairs.")


def test_linked_sentences_are_no_duplicates(project: Project) -> None:
    linked = {"source_id": at(1, 1), "target_id": at(2, 1), "kind": "imported"}
    with project.store.begin() as connection:
        connection.execute(insert(schema.link), [linked])
    result, found = run_task(project, FindDuplicates, across=True, across_cosine=0.9)
    pairs = [
        (one.sentence_id, one.other_id) for one in found if one.kind == "translation"
    ]
    left_out = " Translations that are not linked: 1 pair (1 linked pair left out)."
    assert result["message"].endswith(left_out)
    assert len(pairs) == 1
    assert (at(2, 1), at(1, 1)) not in pairs


def test_sentences_linked_by_an_alignment_are_no_duplicates_unless_rejected(
    project: Project,
) -> None:
    mining = add_alignment(project, ["1:1 0.9", "1:1 0.8"], "english – other")
    pair = at(2, 1), at(1, 1)
    result, found = run_task(project, FindDuplicates, across=True, across_cosine=0.9)
    left_out = " Translations that are not linked: 1 pair (1 linked pair left out)."
    assert result["message"].endswith(left_out)
    assert pair not in [(one.sentence_id, one.other_id) for one in found]
    verdict = {
        "pair_id": first_pair_id(mining) + 2,  # of the sentences at 1 and 1
        "step": 1,
        "verdict": "reject",
        "source_id": at(1, 1),
        "target_id": at(2, 1),
        "who": "Anna",
        "created_at": 1.0,
    }
    with project.store.begin() as connection:
        connection.execute(insert(schema.judgement), [verdict])
    result, found = run_task(project, FindDuplicates, across=True, across_cosine=0.9)
    assert result["counts"]["translation"] == 2
    assert pair in [(one.sentence_id, one.other_id) for one in found]


def test_one_sentence_has_no_double(project: Project) -> None:
    add_corpus(project, "one", "en", ["Alone."])
    result, found = run_task(project, FindDuplicates, corpora=["one"])
    assert (found, result["groups"], result["sentences"]) == ([], 0, 1)


def test_what_the_encoder_does_not_know_is_compared_by_its_text(
    project: Project,
) -> None:
    add_corpus(project, "signs", "en", ["!!!", "water", "!!!"])
    result, found = run_task(project, FindDuplicates, corpora=["signs"])
    assert [one.kind for one in found] == ["equal"]
    assert found[0].cosine is None
    assert result["n_unknown"] == 2


def test_bad_input_is_told(project: Project) -> None:
    with pytest.raises(UserError, match="no corpus 'nothing'"):
        run_task(project, FindDuplicates, corpora=["nothing"])
    empty = add_corpus(project, "empty", "en", ["Soon gone."])
    with project.store.begin() as connection:
        values = {"n_sentences": 0}
        connection.execute(
            update(schema.corpus).values(values).where(schema.corpus.c.id == empty)
        )
        connection.execute(
            delete(schema.sentence).where(
                schema.sentence.c.id == first_sentence_id(empty)
            )
        )
    with pytest.raises(UserError, match="empty has no active sentences"):
        run_task(project, FindDuplicates, corpora=["empty"])
    add_corpus(project, "strange", "en", ["!!!", "???"])
    with pytest.raises(UserError, match="has no vectors for the sentences of strange"):
        run_task(project, FindDuplicates, corpora=["strange"])


def test_a_vector_that_is_no_number_is_told(project: Project) -> None:
    run_task(project, FindDuplicates, corpora=["english"])
    row = find_embedding(project.store, 1, WordEncoder(dim=32).fingerprint)
    assert row is not None
    file = embedding_files(project.folder, row.array)[0]
    vectors = np.load(file)
    vectors[1] = np.nan
    np.save(file, vectors)
    with pytest.raises(UserError, match=r"sentence 2 of english .* not a number"):
        run_task(project, FindDuplicates, corpora=["english"])
