"""Equivalents of a word: pairs counted by hand, files, the check by a dictionary."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from sqlalchemy import insert

from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.statistics import wilson_interval
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.pairs.sets import first_pair_id, list_pair_sets
from app.engine.store.words.dictionaries import add_dictionary
from app.engine.tasks.equivalents import EquivalentsResult, equivalents
from app.engine.tasks.make_subcorpus import make_subcorpus
from app.engine.text.readers.dictionary import read_tbx
from app.engine.words.association import signed_log_likelihood
from app.engine.words.equivalents.export import EquivalentExample
from app.engine.words.equivalents.pairs import read_set
from app.errors import UserError
from app.params import build_params
from app.params.corpora import MakeSubcorpus
from app.params.words import Equivalents
from app.protocol.edits.corpora import HideSentences
from app.protocol.edits.general import Undo
from app.protocol.edits.links import ChangeLinks
from app.protocol.edits.pairs import JudgePairs
from app.protocol.queries.reading import WordLinksQuery
from app.protocol.queries.words import EquivalentsQuery
from tests.engine.review.made import NEW, add_pairs, edit
from tests.engine.search.made import add_corpus
from tests.views.editing import add_alignment

ENGLISH = ["the house", "a house burns", "the old house", "the ship", "it burns", "a b"]
GERMAN = ["das Haus", "ein Haus brennt", "das alte Haus", "das Schiff", "es brennt"]
TBX = "{urn:iso:std:iso:30042:ed-2}"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """Five links from English to German; the other sentences have none."""
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpus(project, "English", "en", ENGLISH)
        add_corpus(project, "Deutsch", "de", [*GERMAN, "Haus und Hof"])
        links = [
            {
                "source_id": first_sentence_id(1) + i,
                "target_id": first_sentence_id(2) + i,
            }
            for i in range(5)
        ]
        with project.store.begin() as connection:
            values = [{**link, "kind": "imported"} for link in links]
            connection.execute(insert(schema.link), values)
        yield project


def rank(project: Project, text: str = "house", **fields: Any) -> EquivalentsResult:
    fields = {"text": text, "target_language": "de", **fields}
    return equivalents(project, build_params(Equivalents, fields), Report())


def test_the_figures_of_a_word_are_counted_by_hand(project: Project) -> None:
    result = rank(project)
    assert (result.n_word, result.n_pairs) == (3, 5)
    best = result.rows[0]
    assert (best.item, best.form) == ("haus", "Haus")
    assert (best.n, best.n_own, best.n_target) == (3, 3, 3)
    ratio = float(signed_log_likelihood(3, 3, 3, 5))
    assert best.score == best.log_likelihood == pytest.approx(ratio)
    assert best.dice == 1
    share = wilson_interval(3, 3)
    assert (best.share, best.low, best.high) == share
    assert [row.item for row in result.rows] == ["haus", "alte", "ein", "das"]
    assert result.rows[1].n_own == 0  # "old" has it alone
    assert "Only 3 pairs contain the word" in result.notes[0]


def test_examples_are_short_first_with_their_places(project: Project) -> None:
    first, second, _ = rank(project).rows[0].examples
    assert first == EquivalentExample(
        source="the house",
        source_place="English:1",
        target="das Haus",
        target_place="Deutsch:1",
    )
    assert second.source == "a house burns"
    assert rank(project, n_examples=1).rows[0].examples == [first]


def test_pairs_are_read_from_both_ends(project: Project) -> None:
    result = rank(project, "brenn*", target_language="en")
    assert (result.n_word, result.rows[0].item) == (2, "burns")


def test_a_word_that_is_nowhere_is_told_of(project: Project) -> None:
    result = rank(project, "nowhere")
    assert result.message == (
        "nowhere occurs in 0 of 5 pairs: no significant translation."
    )


def test_phrases_are_looked_for_as_a_whole(project: Project) -> None:
    result = rank(project, "old house")
    assert result.n_word == 1
    assert "alte" in [row.item for row in result.rows]


def test_hidden_sentences_take_no_part(project: Project) -> None:
    edit(project, HideSentences(sentences=(first_sentence_id(2),)))
    result = rank(project)
    assert (result.n_word, result.n_pairs) == (2, 4)


def test_word_links_count_the_pairs_again_after_an_edit_of_links(
    project: Project,
) -> None:
    rank(project)  # it indexes the words
    session = SearchSession(project)
    ends = first_sentence_id(1), first_sentence_id(2)
    query = WordLinksQuery(first=ends[:1], second=ends[1:])
    assert answer_query(session, query).n_pairs == 5
    edit(project, ChangeLinks(removed=((ends[0] + 4, ends[1] + 4),)))
    assert answer_query(session, query).n_pairs == 4
    edit(project, Undo())
    assert answer_query(session, query).n_pairs == 5


def test_only_the_sentences_of_a_sub_corpus_are_looked_at(project: Project) -> None:
    params = MakeSubcorpus(corpora=("English",), steps=("words old",), name="Old")
    made = make_subcorpus(project, params, Report())
    result = rank(project, corpora=("Old",))
    assert (result.n_word, result.n_pairs) == (1, 1)
    assert made.subcorpus is not None
    parts = (made.subcorpus,)
    query = EquivalentsQuery(text="house", target_language="de", subcorpora=parts)
    assert answer_query(SearchSession(project), query).n_pairs == 1


def test_an_alignment_counts_each_of_its_pairs_once(project: Project) -> None:
    mining = add_pairs(project, 3, new=NEW._replace(kind="aligned"))
    with project.store.begin() as connection:
        connection.execute(schema.link.delete())
        table = schema.pair  # sentences 0 and 1 are translated by 0
        first = table.c.id == first_pair_id(mining)
        connection.execute(table.update().where(first).values(n_source=2))
    result = rank(project)
    assert (result.n_word, result.n_pairs) == (3, 3)
    assert result.rows[0].item == "haus"


def test_of_a_set_rejected_pairs_count_nothing_and_accepted_ones_alone(
    project: Project,
) -> None:
    first = first_pair_id(add_pairs(project, 5))
    edit(project, JudgePairs(pairs=(first,), verdict="reject"))
    edit(project, JudgePairs(pairs=(first + 1, first + 3), verdict="accept"))
    assert rank(project, pairs=("letters",)).n_pairs == 4
    result = rank(project, pairs=("letters",), accepted=True)
    assert (result.n_word, result.n_pairs) == (1, 2)


def test_a_dictionary_confirms_and_names_what_the_pairs_lack(project: Project) -> None:
    entries = [("house", "haus"), ("house", "heim"), ("house", "altes haus")]
    values = {"name": "D", "source_language": "en", "target_language": "de"}
    add_dictionary(project.store, values, entries)
    result = rank(project, dictionary="D")
    assert [row.in_dictionary for row in result.rows] == [True, False, False, False]
    assert result.missing == ("heim", "altes haus")
    turned = rank(project, "Haus", target_language="en", dictionary="D")
    assert turned.rows[0].in_dictionary
    assert not turned.missing
    assert rank(project, "ship", dictionary="D").rows[0].in_dictionary is None
    add_corpus(project, "Français", "fr", ["la maison"])
    with pytest.raises(UserError, match="D contains en and de, not fr"):
        rank(project, target_language="fr", dictionary="D")


def test_tsv_has_figures_examples_and_their_places(
    project: Project, tmp_path: Path
) -> None:
    out = tmp_path / "house.tsv"
    rank(project, out=out, n_examples=2)
    head, first, *_ = [line.split("\t") for line in out.read_text().splitlines()]
    row = dict(zip(head, first, strict=True))
    assert (row["word"], row["item"], row["n_own"]) == ("house", "haus", "3")
    assert row["source_place_2"] == "English:2"
    assert row["target_2"] == "ein Haus brennt"


def test_tbx_is_core_of_2019_and_reads_back(project: Project, tmp_path: Path) -> None:
    out = tmp_path / "house.tbx"
    rank(project, out=out, n_examples=1)
    root = etree.parse(out).getroot()
    assert root.tag == f"{TBX}tbx"
    assert (root.get("type"), root.get("style")) == ("TBX-Core", "dca")
    assert [etree.QName(child).localname for child in root] == ["tbxHeader", "text"]
    assert root.findtext(f"{TBX}tbxHeader/{TBX}fileDesc/{TBX}sourceDesc/{TBX}p")
    (first, *_) = root.iter(f"{TBX}conceptEntry")
    names = [etree.QName(child).localname for child in first.iter()]
    assert names == [
        *("conceptEntry", "langSec", "termSec", "term"),
        *("langSec", "termSec", "term", "note", "note"),
    ]
    concepts = [concept for _, concept in read_tbx(out)]
    assert concepts[0].terms("en") == ["house"]
    terms = [one.terms("de") for one in concepts]
    assert terms == [["Haus"], ["alte"], ["ein"], ["das"]]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"target_language": "fr"},
            "another language and French are linked",
        ),
        ({"text": "nowhere", "pairs": ["P"]}, "no pair set"),
        ({"text": "*"}, "matches every word"),
        ({"out": Path("x.doc")}, "ending in .tsv or .tbx"),
        ({"dictionary": "D"}, "the project has no dictionaries yet"),
        ({"pairs": ["P"]}, "no pair set 'P'"),
        ({"target_language": " "}, "The language is missing"),
        ({"layer": "lemma"}, "no lemmas"),
        ({"accepted": True}, "Name one with --pairs"),
    ],
)
def test_what_can_t_be_answered_is_told(
    project: Project, fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(UserError, match=words):
        rank(project, **fields)


def test_the_window_is_answered_with_ids_and_sees_new_links(project: Project) -> None:
    desk = SearchSession(project)
    query = EquivalentsQuery(text="house", target_language="de", n_examples=1)
    answer = answer_query(desk, query)
    assert answer.rows[0].examples == [(first_sentence_id(1), first_sentence_id(2))]
    assert answer.not_indexed == ()
    with project.store.begin() as connection:
        values = {
            "source_id": first_sentence_id(1),
            "target_id": first_sentence_id(2) + 5,
        }
        connection.execute(insert(schema.link).values(kind="imported", **values))
    assert answer_query(desk, query).n_word == 4


def test_every_link_of_an_alignment_counts(project: Project) -> None:
    add_alignment(project, ["1:1 0.9"] * 4 + ["1:0 0", "1:2 0.5"], "aligned")
    (row,) = list_pair_sets(project.store)
    pairs = read_set(project.store, row)
    assert (pairs.sources - first_sentence_id(1)).tolist() == [0, 1, 2, 3, 5]
    assert pairs.n_targets.tolist() == [1, 1, 1, 1, 2]
    edit(project, JudgePairs(pairs=(first_pair_id(row.id) + 6,), verdict="reject"))
    assert read_set(project.store, row).n == 4
