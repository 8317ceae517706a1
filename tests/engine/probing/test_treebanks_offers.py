"""Features and relations that treebanks offer for probing sets."""

from pathlib import Path

import pytest

from app.engine.probing.treebanks import offers
from app.engine.probing.treebanks.offers import answer_treebank_query
from app.engine.runtime.report import Report
from app.errors import UserError
from app.protocol.queries.evaluation import TreebankQuery
from tests.engine.probing.treebanks import many_sentences, write_treebank


def ask(*files: Path, fewest_words: int = 3) -> TreebankQuery:
    return TreebankQuery(treebanks=files, fewest_words=fewest_words, most_words=99)


def test_features_and_relations_are_counted_most_frequent_first(tmp_path: Path) -> None:
    file = write_treebank(tmp_path / "de.conllu", many_sentences(8))
    found = answer_treebank_query(ask(file), Report())
    assert found.n_sentences == 8
    assert found.features["root:Tense"] == {"Pres": 4, "Past": 4}
    assert found.features["subject:Number"] == {"Sing": 4, "Plur": 4}
    assert "root:VerbForm" not in found.features, "it has one value only"
    assert found.relations["obj"] == found.relations["root:nsubj"] == 8
    assert found.n_features == len(found.features)


def test_only_the_first_sentences_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offers, "N_SENTENCES", 5)
    file = write_treebank(tmp_path / "de.conllu", many_sentences(8))
    assert answer_treebank_query(ask(file), Report()).n_sentences == 5


def test_a_file_without_sentences_is_refused(tmp_path: Path) -> None:
    file = write_treebank(tmp_path / "de.conllu", many_sentences(8))
    with pytest.raises(UserError):
        answer_treebank_query(ask(file, fewest_words=90), Report())
