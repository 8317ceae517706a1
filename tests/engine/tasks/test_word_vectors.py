"""Word vectors from a text to a reviewed dictionary, by the tasks of the commands."""

import json
import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import etree
from scipy.stats import spearmanr

from app.engine.encoders.registry import load_encoder
from app.engine.project.project import Project, create_project
from app.engine.project.runs import call_task
from app.engine.runtime.report import Report
from app.engine.store.corpora import list_corpora
from app.engine.store.notes import count_notes, list_notes
from app.engine.store.pairs.sets import first_pair_id, read_pair_set
from app.engine.store.pairs.texts import read_pair_texts
from app.engine.store.sentences import read_note
from app.engine.store.words.indexes import TABLES, list_map_names, list_table_names
from app.engine.wordvectors.table import load_table
from app.errors import Cancelled, UserError
from app.params import build_params
from app.params.pairs import ExportPairs
from app.params.word_vectors import (
    EvaluateMappedSentences,
    EvaluateWordSimilarity,
    EvaluateWordTranslation,
    ImportWordVectors,
    LearnDictionary,
    MapLanguages,
    NearestWords,
    TrainWordVectors,
    TranslateWord,
)
from app.paths import resource_dir
from app.protocol.edits.general import SetNote
from app.protocol.edits.pairs import JudgePairs
from tests.engine.review.made import edit
from tests.engine.search.made import add_corpus
from tests.engine.wordvectors.spaces import rotated_tables, vec_text

LINES = [
    f"the {colour} {animal} eats {food} in the {place} house"
    for colour in ("red", "black", "white")
    for animal in ("cat", "dog", "horse", "bird")
    for food in ("grass", "bread", "meat")
    for place in ("old", "new", "big")
]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "p.isogloss") as project:
        yield project


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path, Path]:
    """Vectors of two languages, a seed dictionary, and the other pairs."""
    source, target, pairs = rotated_tables(900, 20, noise=0.05)
    names = [tmp_path / name for name in ("a.vec", "b.vec", "seed.tsv", "test.tsv")]
    names[0].write_text(vec_text(source), encoding="utf-8")
    names[1].write_text(vec_text(target), encoding="utf-8")
    for file, some in ((names[2], pairs[::10]), (names[3], pairs[1::10])):
        text = "".join(f"{one}\t{other}\n" for one, other in some)
        file.write_text(text, encoding="utf-8")
    return names[0], names[1], names[2], names[3]


def run(project: Project | None, params_type: Any, **values: Any) -> dict[str, Any]:
    return call_task(project, build_params(params_type, values), Report())


def map_files(
    files: tuple[Path, Path, Path, Path], out: Path, **values: Any
) -> dict[str, Any]:
    values = {"source": files[0], "target": files[1], "dictionary": files[2], **values}
    return run(None, MapLanguages, out=out, **values)


# --- training ---


def test_vectors_trained_on_a_text_have_the_dimensions_and_words_asked_for(
    tmp_path: Path,
) -> None:
    text, out = tmp_path / "text.txt", tmp_path / "text.vec"
    text.write_text("\n".join(LINES), encoding="utf-8")
    result = run(None, TrainWordVectors, file=text, out=out, dim=12, epochs=2)
    assert result["n_tokens"] == 108 * 9
    assert result["min_count"] == 1
    lines = out.read_text(encoding="utf-8").splitlines()
    words = {word for line in LINES for word in line.split()}
    assert lines[0] == f"{len(words)} 12"
    assert {line.split()[0] for line in lines[1:]} == words
    assert lines[1].split()[0] == "the"  # the most frequent word


def test_the_same_seed_gives_the_same_vectors(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("\n".join(LINES), encoding="utf-8")
    found = []
    for name in ("one.vec", "two.vec"):
        out = tmp_path / name
        run(None, TrainWordVectors, file=text, out=out, dim=8, epochs=2, seed=5)
        found.append(out.read_bytes())
    assert found[0] == found[1]


def test_words_of_one_context_are_nearer_than_others(tmp_path: Path) -> None:
    text, out = tmp_path / "text.txt", tmp_path / "text.vec"
    lines = [f"we {verb} {noun} now" for verb in ("eat", "cook") for noun in ("rice",)]
    lines += [f"they {verb} {noun} there" for verb in ("sail",) for noun in ("ships",)]
    text.write_text("\n".join(lines * 300), encoding="utf-8")
    run(None, TrainWordVectors, file=text, out=out, dim=16, epochs=150, min_n=0)
    rows = [line.split() for line in out.read_text().splitlines()[1:]]
    vectors = {row[0]: [float(one) for one in row[1:]] for row in rows}

    def cosine(one: str, other: str) -> float:
        x, y = vectors[one], vectors[other]
        dot = sum(a * b for a, b in zip(x, y, strict=True))
        return dot / math.sqrt(sum(a * a for a in x) * sum(b * b for b in y))

    assert cosine("eat", "cook") > cosine("eat", "sail")


def test_vectors_are_made_of_counts(tmp_path: Path) -> None:
    text, out = tmp_path / "text.txt", tmp_path / "text.vec"
    text.write_text("\n".join(LINES), encoding="utf-8")
    values = {"file": text, "out": out, "method": "counts", "dim": 6, "window": 2}
    result = run(None, TrainWordVectors, **values)
    assert (result["n_tokens"], result["min_count"]) == (108 * 9, 1)
    first = out.read_bytes()
    assert first.decode().splitlines()[0] == f"{result['n_words']} 6"
    run(None, TrainWordVectors, **values)
    assert out.read_bytes() == first


def test_the_words_of_two_languages_have_vectors_of_one_encoder(
    project: Project,
) -> None:
    add_corpus(project, "English", "en", ["The cold night.", "A night of snow."])
    add_corpus(project, "Deutsch", "de", ["Die kalte Nacht.", "Nacht und Schnee."])
    for name, n in (("English", 7), ("Deutsch", 6)):
        values = {"corpora": [name], "name": name, "method": "encoder"}
        result = run(project, TrainWordVectors, **values)
        assert (result["n_tokens"], result["min_count"]) == (n, 1)
        assert "computed by the encoder" in result["message"]
    encoder = load_encoder("", project.folder)
    assert result["dim"] == encoder.dim
    table = load_table(project.folder / TABLES / "Deutsch")
    assert table.words == ("nacht", "die", "kalte", "und", "schnee")
    assert table.space == encoder.fingerprint
    np.testing.assert_array_equal(table.vectors, encoder.encode(list(table.words)))
    values = {"source": "English", "target": "Deutsch", "name": "en-de"}
    mapped = run(project, MapLanguages, **values)
    assert (mapped["method"], mapped["n_seeds"]) == ("encoder", 0)
    assert "in the space of their encoder" in mapped["message"]


def test_vectors_of_the_bundled_encoder_translate_words_without_a_dictionary(
    project: Project,
) -> None:
    folder = resource_dir() / "samples"
    for code, name in (("en", "English"), ("de", "German")):
        lines = (folder / f"{code}.tsv").read_text(encoding="utf-8").splitlines()
        add_corpus(project, name, code, [line.split("\t")[0] for line in lines[1:]])
        run(project, TrainWordVectors, corpora=[name], name=name, method="encoder")
    values = {"source": "English", "target": "German", "name": "en-de"}
    assert run(project, MapLanguages, **values)["has_converged"]
    gold = folder / "translation" / "dictionary.en-de.tsv"
    values = {"map": "en-de", "dictionary": str(gold)}
    result = run(project, EvaluateWordTranslation, **values)
    assert result["n"] > 100
    assert result["precision_at_1"] > 0.7
    assert result["precision_at_5"] > 0.9


def test_corpora_of_a_project_are_trained_on_and_the_vectors_saved(
    project: Project,
) -> None:
    add_corpus(project, "Animals", "en", LINES)
    result = run(project, TrainWordVectors, corpora=["Animals"], name="mine", dim=8)
    assert (result["language"], result["dim"]) == ("en", 8)
    assert list_table_names(project.folder) == ["mine"]
    with pytest.raises(UserError, match="mine is in use in this project"):
        run(project, TrainWordVectors, corpora=["Animals"], name="mine")


def test_training_refuses_what_makes_no_vectors(
    project: Project, tmp_path: Path
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("... !!!\n", encoding="utf-8")
    out = tmp_path / "a.vec"
    for values, message in (
        ({"out": out}, "either a file or corpora"),
        ({"file": text}, "an output file, or a name"),
        ({"file": text, "out": out}, "contains no words"),
        ({"file": text, "out": tmp_path / "a.doc"}, "Unknown format of a.doc"),
        ({"file": text, "out": out, "min_n": 5, "max_n": 3}, "must not be shorter"),
        ({"corpora": ["x"], "out": out}, "needs a project"),
    ):
        with pytest.raises(UserError, match=message):
            run(None, TrainWordVectors, **values)
    add_corpus(project, "English", "en", LINES)
    add_corpus(project, "Deutsch", "de", ["das Haus"])
    with pytest.raises(UserError, match="are in 2 languages"):
        run(project, TrainWordVectors, corpora=["English", "Deutsch"], out=out)
    with pytest.raises(UserError, match="is German, but the corpora are in English"):
        run(project, TrainWordVectors, corpora=["English"], language="de", name="x")


def test_a_cancelled_training_writes_nothing(tmp_path: Path) -> None:
    text, out = tmp_path / "text.txt", tmp_path / "text.vec"
    text.write_text("\n".join(LINES * 50), encoding="utf-8")
    report = Report()

    class Sink:
        def progress(self, stage: str, done: int, total: int, note: str) -> None:
            if stage == "Training word vectors" and done > 0:
                report.cancel()

        def metric(self, step: int, values: dict[str, float]) -> None: ...

        def changed(self, kind: str, row_id: int) -> None: ...

    report._sink = Sink()
    params = build_params(
        TrainWordVectors, {"file": text, "out": out, "epochs": 200, "dim": 50}
    )
    with pytest.raises(Cancelled):
        call_task(None, params, report)
    assert not out.exists()


# --- mapping and evaluation ---


def test_a_map_with_a_dictionary_translates_the_other_words(
    files: tuple[Path, Path, Path, Path], tmp_path: Path
) -> None:
    out = tmp_path / "map"
    result = map_files(files, out)
    assert (result["method"], result["n_seeds"]) == ("dictionary", 90)
    for retrieval in ("nn", "isf", "csls"):
        found = run(
            None,
            EvaluateWordTranslation,
            map=out,
            dictionary=files[3],
            retrieval=retrieval,
        )
        assert found["precision_at_1"] >= 0.99
        assert found["precision_at_1"] <= found["precision_at_5"]
        assert found["precision_at_5"] <= found["precision_at_10"] <= 1
        assert (found["n"], found["coverage"]) == (90, 1.0)
        assert [band["n"] for band in found["bands"]] == [90]


def test_precision_counts_several_translations_and_coverage_missing_words(
    files: tuple[Path, Path, Path, Path], tmp_path: Path
) -> None:
    out, dictionary = tmp_path / "map", tmp_path / "d.tsv"
    map_files(files, out)
    lines = [
        ("s1", "t1"),
        ("s1", "t500"),  # a second translation: one correct is enough
        ("s2", "t700"),  # wrong
        ("s3", "unknown"),  # no vector of the translation
        ("unknown", "t4"),  # no vector of the word
    ]
    text = "".join(f"{one}\t{other}\n" for one, other in lines)
    dictionary.write_text(text, encoding="utf-8")
    found = run(None, EvaluateWordTranslation, map=out, dictionary=dictionary)
    assert (found["n"], found["coverage"]) == (2, 0.5)
    assert found["precision_at_1"] == 0.5


def test_mapping_refuses_what_it_cannot_map(
    files: tuple[Path, Path, Path, Path], tmp_path: Path
) -> None:
    out, other = tmp_path / "map", tmp_path / "other.vec"
    other.write_text("2 3\na 1 2 3\nb 3 2 1\n", encoding="utf-8")
    with pytest.raises(UserError, match="have 20 dimensions, but those of other"):
        map_files(files, out, target=other)
    none = tmp_path / "none.tsv"
    none.write_text("x\ty\n", encoding="utf-8")
    with pytest.raises(UserError, match="Only 0 of the 1 pairs of the seed"):
        map_files(files, out, dictionary=none)
    filled = tmp_path / "filled"
    filled.mkdir()
    (filled / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match="not empty and contains no bilingual vectors"):
        map_files(files, filled)
    map_files(files, out)
    with pytest.raises(UserError, match="None of the 1 pairs of the dictionary"):
        run(None, EvaluateWordTranslation, map=out, dictionary=none)
    with pytest.raises(UserError, match="contains no bilingual vectors"):
        run(None, EvaluateWordTranslation, map=filled, dictionary=files[3])


def test_a_word_is_translated_by_three_rankings(
    files: tuple[Path, Path, Path, Path], tmp_path: Path
) -> None:
    out = tmp_path / "map"
    map_files(files, out)
    rows = run(None, TranslateWord, map=out, text="S7", top=3)["rows"]
    assert rows[0]["item"] == "t7"
    assert [rows[0][name] for name in ("csls_rank", "isf_rank", "nn_rank")] == [1] * 3
    assert [row["csls"] for row in rows] == sorted(
        (row["csls"] for row in rows), reverse=True
    )
    with pytest.raises(UserError, match="“s900” has no word vector"):
        run(None, TranslateWord, map=out, text="s900")
    with pytest.raises(UserError, match="“t7” is a word of the target language"):
        run(None, TranslateWord, map=out, text="t7")


def test_a_map_is_measured_by_sentences_similarities_and_words(
    files: tuple[Path, Path, Path, Path], tmp_path: Path
) -> None:
    out, pairs, scored = (tmp_path / name for name in ("map", "pairs.tsv", "sim.tsv"))
    map_files(files, out)
    texts = [" ".join(f"s{n + 7 * i}" for i in range(5)) for n in range(1, 60)]
    lines = [f"{text}\t{text.replace('s', 't')}\n" for text in texts]
    pairs.write_text("".join(lines), encoding="utf-8")
    found = run(None, EvaluateMappedSentences, map=out, pairs=pairs)
    assert found["n"] == 59
    assert found["source_to_target"]["precision_at_1"] == 1
    assert found["target_to_source"]["precision_at_1"] == 1
    assert (found["bleu"], found["bleu_copied"]) == (pytest.approx(1), 0)
    assert (found["source_coverage"], found["target_coverage"]) == (1, 1)
    few = run(None, EvaluateMappedSentences, map=out, pairs=pairs, max_pairs=10)
    assert few["n"] == 10
    # s1 is near t1, and not near t2, t3, …: the scores agree with that
    similar = [f"s{n}\tt{n}\t5\ns{n}\tt{n + 1}\t0\n" for n in range(1, 20)]
    scored.write_text("".join([*similar, "s1\tship\t3\n"]), encoding="utf-8")
    (row,) = run(None, EvaluateWordSimilarity, map=out, data=[scored])["results"]
    assert (row["n"], row["coverage"]) == (38, 38 / 39)
    assert row["pearson"] > 0.9
    expected = spearmanr([1, 0] * 19, _ordered(38)).statistic  # of two tied groups
    assert row["spearman"] == pytest.approx(expected)
    with pytest.raises(UserError, match=r"0 of 39 pairs of sim\.tsv have"):
        run(None, EvaluateWordSimilarity, vectors=files[1], data=[scored])
    with pytest.raises(UserError, match="but not both"):
        run(None, EvaluateWordSimilarity, data=[scored])
    rows = run(None, NearestWords, vectors=files[0], text="s3", top=4)["rows"]
    assert len(rows) == 4
    assert "s3" not in [row["item"] for row in rows]


def _ordered(n: int) -> list[int]:
    """Return ranks of n values of which every other one is above all the others."""
    return [n + index if index % 2 == 0 else index for index in range(n)]


def test_two_tables_of_one_language_are_refused(
    project: Project, files: tuple[Path, Path, Path, Path]
) -> None:
    for name, file in (("one", files[0]), ("two", files[1])):
        run(project, ImportWordVectors, file=file, language="en", name=name)
    with pytest.raises(
        UserError, match=r"Both tables are in English.* import it again"
    ):
        run(project, MapLanguages, source="one", target="two", name="m")


def test_the_commands_run_without_a_project(
    files: tuple[Path, Path, Path, Path], tmp_path: Path
) -> None:
    out = tmp_path / "map"
    words = ["--source", files[0], "--target", files[1], "--dictionary", files[2]]
    command(["map-languages", *words, "--out", out])
    words = ["--map", out, "--dictionary", files[3], "--retrieval", "csls"]
    found = command(["evaluate-word-translation", *words])
    assert found["precision_at_1"] >= 0.99


def test_vectors_are_trained_by_a_command(tmp_path: Path) -> None:
    text = tmp_path / "t.txt"
    text.write_text("\n".join(LINES), encoding="utf-8")
    words = ["--text", text, "--out", tmp_path / "t.vec", "--dim", "10"]
    assert command(["train-word-vectors", *words])["dim"] == 10


def command(words: list[Any]) -> dict[str, Any]:
    line = [sys.executable, "-m", "app", *map(str, words)]
    done = subprocess.run(line, capture_output=True, check=False, timeout=110)
    assert done.returncode == 0, done.stderr.decode()
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# --- a dictionary ---


def test_a_learned_dictionary_is_reviewed_and_exported(
    project: Project, files: tuple[Path, Path, Path, Path], tmp_path: Path
) -> None:
    letters = [f"the word {_letters(f's{n}')} is here" for n in range(900)]
    add_corpus(project, "Letters", "en", letters)
    for file, name in zip(files[:2], ("sa", "ta"), strict=True):
        text = file.read_text(encoding="utf-8")
        file.write_text(_with_letters(text, name[0]), encoding="utf-8")
    seed = files[2].read_text(encoding="utf-8").splitlines()
    pairs = [[_letters(word) for word in line.split("\t")] for line in seed]
    lines = "".join(f"{one}\t{other}\n" for one, other in pairs)
    files[2].write_text(lines, encoding="utf-8")
    for file, language, name in (
        (files[0], "en", "English"),
        (files[1], "de", "German"),
    ):
        run(project, ImportWordVectors, file=file, language=language, name=name)
    values = {"source": "English", "target": "German", "dictionary": files[2]}
    run(project, MapLanguages, name="en-de", **values)
    assert list_map_names(project.folder) == ["en-de"]
    result = run(project, LearnDictionary, map="en-de", name="Dictionary", n=50)
    assert result["n_entries"] == 50

    row = read_pair_set(project.store, result["mining"])
    assert row is not None
    assert (row.kind, row.margin, row.k, row.n_pairs) == ("learned", "distance", 10, 50)
    first = first_pair_id(row.id)
    texts = read_pair_texts(project.store, list(range(first, first + 50)))
    entries = [(one.source.text, one.target.text) for one in texts if one]
    assert all(one[1:] == other[1:] for one, other in entries)  # all are correct
    assert [one.pair.score for one in texts if one] == sorted(
        (one.pair.score for one in texts if one), reverse=True
    )
    pair = texts[0].pair if texts[0] else None
    assert pair is not None
    mean = (pair.source_mean + pair.target_mean) / 2
    assert pair.score == pytest.approx(pair.cosine - mean, abs=1e-6)
    corpora = {one.name: one for one in list_corpora(project.store)}
    words = corpora["Dictionary: English words"]
    assert result["n_examples"] == words.n_sentences >= 50
    line = int("".join(str("abcdefghij".index(one)) for one in entries[0][0][1:]))
    example = f"{letters[line]} (Letters, {line + 1:,})"
    assert read_note(project.store, words.id * 2**32) == example
    assert count_notes(project.store) == 0
    edit(project, SetNote(words.id * 2**32, "mine"))
    assert [one.text for one in list_notes(project.store, limit=9)] == ["mine"]

    edit(project, JudgePairs(pairs=(first, first + 2), verdict="accept"))
    edit(project, JudgePairs(pairs=(first + 1,), verdict="reject"))
    out = tmp_path / "d.tbx"
    export = {"pairs": "Dictionary", "verdicts": ["accept"]}
    done = run(project, ExportPairs, out=out, **export)
    assert done["n_written"] == 2
    terms = etree.parse(out).findall(".//{*}term")
    accepted = [entries[0], entries[2]]
    assert [term.text for term in terms] == [word for one in accepted for word in one]
    run(project, ExportPairs, out=tmp_path / "d.tsv", **export)
    table = (tmp_path / "d.tsv").read_text(encoding="utf-8").splitlines()
    assert len(table) == 3

    again = run(
        project, MapLanguages, source="English", target="German", name="again",
        pairs="Dictionary", dictionary=files[2],
    )  # fmt: skip
    assert again["n_seeds"] == len({*map(tuple, pairs), *accepted})
    with pytest.raises(UserError, match="A pair set named Dictionary already exists"):
        run(project, LearnDictionary, map="en-de", name="Dictionary")


def _letters(word: str) -> str:
    """Write the digits of a word as letters: s10 is sba."""
    return word[0] + "".join("abcdefghij"[int(digit)] for digit in word[1:])


def _with_letters(text: str, first: str) -> str:
    head, *lines = text.splitlines()
    rows = (line.partition(" ") for line in lines)
    return "\n".join([head, *(f"{_letters(row[0])} {row[2]}" for row in rows), ""])
