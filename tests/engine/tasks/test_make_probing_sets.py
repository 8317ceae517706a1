"""make-probing-sets: files as SentEval's, bad sentences dropped, the rest made."""

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from app.engine.runtime.report import Report, SilentSink
from app.engine.tasks.make_probing_sets import (
    REPORT_FILE,
    MakeProbingSetsResult,
    make_probing_sets,
)
from app.errors import Cancelled, UserError
from app.params import build_params
from app.params.probing import MakeProbingSets
from tests.engine.probing.treebanks import lines_of, many_sentences, write_treebank

Rows = dict[str, list[tuple[str, str]]]


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    return write_treebank(tmp_path / "xx_made-ud.conllu", many_sentences())


def make(treebank: Path, **values: Any) -> MakeProbingSetsResult:
    settings = {"out": treebank.parent / "sets", "fewest_words": 3} | values
    params = build_params(MakeProbingSets, {"treebanks": [treebank], **settings})
    return make_probing_sets(None, params, Report())


def read(file: Path | None) -> Rows:
    """Read a set: split → label and text of each row."""
    assert file is not None
    rows: Rows = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        split, label, text = line.split("\t")
        rows.setdefault(split, []).append((label, text))
    return rows


def test_sets_are_files_of_split_label_and_text(treebank: Path) -> None:
    result = make(treebank, tasks=["SentLen", "Tense", "BShift"], language="qx")
    assert [one.file and one.file.name for one in result.sets] == [
        "qx.sentence_length.tsv",
        "qx.past_present.tsv",
        "qx.bigram_shift.tsv",
    ]
    rows = read(result.sets[1].file)
    assert list(rows) == ["tr", "va", "te"]
    assert {label for label, _ in rows["tr"]} == {"Past", "Pres"}
    assert tuple(len(rows[split]) for split in rows) == result.sets[1].n_rows
    report = treebank.parent / "sets" / REPORT_FILE
    assert b'"past_present.tsv' not in report.read_bytes()
    assert b"qx.past_present.tsv" in report.read_bytes()


def test_no_target_word_and_no_sentence_is_in_two_splits(treebank: Path) -> None:
    result = make(treebank, tasks=["Tense", "SubjNum", "ObjNum"])
    for made, index in zip(result.sets, (2, 1, -3), strict=True):
        rows = read(made.file)
        words = [
            {
                text.split()[index].removesuffix("Sing").removesuffix("Plur")
                for _, text in part
            }
            for part in rows.values()
        ]
        assert all(one.isdisjoint(other) for one, other in combinations(words, 2))
        assert tuple(len({w[:6] for w in part}) > 0 for part in words) == (True,) * 3
        texts = [text for part in rows.values() for _, text in part]
        assert len(texts) == len(set(texts))


def write_brackets(file: Path) -> Path:
    """Write 90 trees of three kinds, and 30 of two that are rare."""
    starts = {"ADVP": 30, "PP": 30, "NP": 30, "X": 1, "Y": 1}
    trees = [
        f"(ROOT (S ({start} (W {start}{i})) (NP (N cats)) (VP (V sleep)) (. .)))\n"
        for start, n in starts.items()
        for i in range(n)
    ]
    file.write_text("".join(trees), encoding="utf-8")
    return file


def test_top_constituents_are_made_from_bracketed_trees(tmp_path: Path) -> None:
    brackets = write_brackets(tmp_path / "en_made.ptb")
    (made,) = make(brackets).sets  # other tasks need dependency trees
    assert made.file is not None
    assert made.file.name == "en.top_constituents.tsv"
    rows = read(made.file)
    labels = {f"{start}_NP_VP_." for start in ("ADVP", "PP", "NP")}
    assert {label for label, _ in rows["te"]} == labels
    assert all(text.endswith("cats sleep .") for _, text in rows["tr"])
    assert (made.n_classes, made.n_classes_published) == (3, 20)
    assert made.note.startswith("3 of 20 classes: the others are too rare to balance.")


def test_both_formats_together_make_all_tasks(treebank: Path, tmp_path: Path) -> None:
    brackets = write_brackets(tmp_path / "en_made.ptb")
    result = make(treebank, treebanks=[treebank, brackets])
    assert len(result.sets) == 10
    assert result.n_sentences == 240 + 92


def test_without_brackets_there_are_no_top_constituents(treebank: Path) -> None:
    result = make(treebank, tasks=["TopConst", "Tense"])
    assert result.sets[0].file is None
    assert result.sets[0].note == (
        "Top constituents need a treebank with bracketed trees."
    )
    assert len(make(treebank, replace=True).sets) == 9


def test_dropped_classes_are_counted(treebank: Path) -> None:
    (made,) = make(treebank, tasks=["SentLen"]).sets
    assert made.n_classes < made.n_classes_published == 6
    assert made.note.startswith(f"{made.n_classes} of 6 classes: the others are too ")


def test_a_feature_and_a_relation_can_be_asked_for(treebank: Path) -> None:
    result = make(treebank, features=["root:Tense"], relations=["root:advmod"])
    feature, relation = result.sets
    assert feature.file is not None
    assert feature.file.name == "root_Tense.tsv"
    assert relation.file is None  # each of these roots has one
    assert (
        relation.note == "Too few sentences have a label, or all have the same label."
    )


def test_without_a_folder_the_treebank_says_what_it_offers(treebank: Path) -> None:
    result = make(treebank, out=None)
    assert result.features["root:Tense"] == {"Pres": 120, "Past": 120}
    assert "root:VerbForm" not in result.features  # it has one value alone
    assert result.relations["nsubj"] == 240
    assert list(treebank.parent.iterdir()) == [treebank]


def test_bad_sentences_are_named_with_their_line_and_the_rest_goes_on(
    tmp_path: Path,
) -> None:
    good = many_sentences(60)
    circle = lines_of("a/a/X/2/dep b/b/X/1/dep c/c/X/0/root d/d/X/3/dep e/e/X/3/dep")
    rootless = lines_of("a/a/X/2/dep b/b/X/3/dep c/c/X/1/dep d/d/X/3/dep")
    two_roots = lines_of("a/a/X/0/root b/b/X/0/root c/c/X/1/dep d/d/X/1/dep")
    headless = [line.replace("\t2\tdet", "\t_\tdet") for line in good[0]]
    bad = [circle, rootless, two_roots, headless, ["1\tword"]]
    treebank = write_treebank(tmp_path / "some.conllu", [*bad, *good, good[1]])
    result = make(treebank, tasks=["BShift"])
    assert [(one.line, one.reason) for one in result.refused] == [
        (2, "the heads of words 1, 2 form a cycle"),
        (9, "no word is the root (head 0)"),
        (16, "words 1 and 2 are both the root"),
        (21, "word 1 (The) has no head"),
        (29, "a token does not have 10 columns"),
    ]
    assert result.n_read == 66
    assert result.n_sentences == 60
    assert result.dropped["the same text as another sentence"] == 1
    assert result.dropped["heads form a cycle"] == 1
    assert result.sets[0].file is not None


def test_what_is_dropped_adds_up(treebank: Path) -> None:
    result = make(treebank, tasks=["SubjNum", "SentLen"])
    for made in result.sets:
        assert sum(made.n_rows) + sum(made.dropped.values()) == result.n_sentences


def test_the_same_seed_gives_the_same_files_whatever_else_is_made(
    treebank: Path,
) -> None:
    alone = make(treebank, tasks=["BShift"]).sets[0]
    first = read(alone.file)
    again = make(treebank, tasks=["Tense", "BShift"], replace=True).sets[1]
    assert read(again.file) == first
    other = make(treebank, tasks=["BShift"], replace=True, seed=2).sets[0]
    assert read(other.file) != first


def test_a_treebank_of_no_trees_is_refused_with_the_first_line(tmp_path: Path) -> None:
    file = write_treebank(tmp_path / "flat.conllu", [["1\tword", "2\tother"]] * 3)
    with pytest.raises(UserError, match=r"none of 3 .* line 2: a token does not have"):
        make(file)
    assert not (tmp_path / "sets").exists()


def test_sets_that_are_there_are_not_replaced_unless_asked(treebank: Path) -> None:
    make(treebank, tasks=["BShift"])
    with pytest.raises(UserError, match="already exists"):
        make(treebank, tasks=["BShift"])


def test_a_treebank_too_small_for_any_set_says_why(tmp_path: Path) -> None:
    file = write_treebank(tmp_path / "one.conllu", many_sentences(2))
    with pytest.raises(UserError, match=r"No set can be made\. CoordInv: Too few"):
        make(file, tasks=["CoordInv"])
    assert not (tmp_path / "sets").exists()


class CancelsAt(SilentSink):
    """Asks its run to stop when it tells of a stage."""

    def __init__(self, stage: str):
        self.stage = stage
        self.report = Report(self)

    def progress(self, stage: str, done: int, total: int, note: str) -> None:
        """Stop it."""
        if stage == self.stage:
            self.report.cancel()


@pytest.mark.parametrize("stage", ["Reading the treebank", "Making the sets"])
def test_a_cancelled_run_leaves_nothing(treebank: Path, stage: str) -> None:
    params = build_params(
        MakeProbingSets, {"treebanks": [treebank], "out": treebank.parent / "sets"}
    )
    with pytest.raises(Cancelled):
        make_probing_sets(None, params, CancelsAt(stage).report)
    assert list(treebank.parent.iterdir()) == [treebank]
