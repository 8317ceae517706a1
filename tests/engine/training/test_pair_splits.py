"""Pairs are split by their sentences: to train on, to measure on, not to be seen."""

from pathlib import Path

import pytest

from app.engine.runtime.report import Report
from app.engine.text.line_files import read_pairs
from app.engine.training.held_out import HeldOutSentences, normal_hashes
from app.engine.training.pair_splits import PairSplit, describe_counts, split_pairs
from app.errors import UserError
from tests.engine.training.synthetic import make_pairs

NOTHING = HeldOutSentences(normal_hashes([]))


def write(folder: Path, name: str, lines: list[str]) -> Path:
    file = folder / name
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def many(n: int, seed: int = 0) -> list[str]:
    return ["\t".join(pair) for pair in make_pairs(n, seed)]


def split(
    folder: Path,
    *files: Path,
    kept_out: HeldOutSentences = NOTHING,
    n_development: int = 0,
) -> PairSplit:
    work = folder / "work"
    work.mkdir(exist_ok=True)
    return split_pairs(files, kept_out, work, Report(), n_development=n_development)


def texts_of(file: str | Path) -> set[str]:
    return {text for pair in read_pairs(Path(file)) for text in pair}


def test_a_leak_in_either_language_is_left_out_and_counted(tmp_path: Path) -> None:
    lines = ["one\teins", "TWO!\tzwei", "three\tDrei.", "four\tvier"]
    file = write(tmp_path, "eng-deu.tsv", [*lines, "\tsechs", "five\t"])
    kept_out = HeldOutSentences(normal_hashes(["two", "drei", "zehn"]))
    made = split(tmp_path, file, kept_out=kept_out)
    (counts,) = made.counts
    assert (counts.language, counts.n_read, counts.n_trained) == ("deu", 6, 2)
    assert (counts.n_left_out, counts.n_blank) == (2, 2)
    assert texts_of(made.files[0]) == {"one", "eins", "four", "vier"}
    assert made.notes[0].startswith(
        "Excluded 2 pairs with a sentence of a development or test set"
    )
    assert "German 2" in made.notes[0]


def test_a_file_that_stays_whole_is_not_copied(tmp_path: Path) -> None:
    file = write(tmp_path, "eng-deu.tsv", many(20))
    made = split(tmp_path, file, kept_out=HeldOutSentences(normal_hashes(["other"])))
    assert made.paths == (file,)
    assert made.notes == ()


def test_what_is_measured_on_is_never_trained_on(tmp_path: Path) -> None:
    twins = many(100)  # the same pairs once more, and English shared with a second file
    german = write(tmp_path, "eng-deu.tsv", twins + many(300, 5) + twins)
    french = write(tmp_path, "eng-fra.tsv", many(60))
    made = split(tmp_path, german, french, n_development=20)
    assert {
        name: c.n_development for name, c in zip("df", made.counts, strict=True)
    } == {
        "d": 20,
        "f": 6,  # a tenth of 60
    }
    measured = set().union(*map(texts_of, made.development.values()))
    trained = set().union(*map(texts_of, made.files))
    assert not measured & trained
    for counts in made.counts:
        assert counts.n_read == (
            counts.n_trained + counts.n_development + counts.n_repeats
        )
    n = made.counts[0].n_repeats
    assert n > 0
    (note,) = describe_counts([made.counts[0]])
    assert note.startswith(f"Left out {n:,} repeats of a held-out sentence (")


def test_the_seed_alone_decides_what_is_measured_on(tmp_path: Path) -> None:
    lines = many(200)
    one = split(tmp_path, write(tmp_path, "eng-deu.tsv", lines), n_development=10)
    other_folder = tmp_path / "other"
    other_folder.mkdir()
    shuffled = write(other_folder, "eng-deu.tsv", lines[::-1])
    other = split(other_folder, shuffled, n_development=10)
    (held,), (held_again,) = one.development.values(), other.development.values()
    assert texts_of(held) == texts_of(held_again)


def test_too_few_pairs_are_not_measured_on(tmp_path: Path) -> None:
    made = split(tmp_path, write(tmp_path, "eng-deu.tsv", many(19)), n_development=5)
    assert made.development == {}


def test_an_earlier_split_is_found_again(tmp_path: Path) -> None:
    file = write(tmp_path, "eng-deu.tsv", many(100))
    made = split(tmp_path, file, n_development=5)
    file.unlink()
    assert split(tmp_path, file, n_development=5) == made


def test_columns_that_are_missing_are_counted(tmp_path: Path) -> None:
    file = write(tmp_path, "eng-deu.tsv", ["one\teins", "two", "three\tdrei", "four"])
    with pytest.raises(UserError, match=r"line 2: .* 1 others of 4"):
        split(tmp_path, file)


def test_a_copied_source_is_refused_and_some_copies_are_named(tmp_path: Path) -> None:
    copies = write(tmp_path, "eng-deu.tsv", [f"w{i}\tw{i}" for i in range(30)])
    with pytest.raises(UserError, match="both columns are identical in 30 of 30 pairs"):
        split(tmp_path, copies)
    some = write(tmp_path, "eng-nld.tsv", [f"w{i}\tw{i}" for i in range(6)] + many(24))
    made = split(tmp_path, some)
    assert made.notes == (
        "6 pairs with identical columns may be copies of the source (Dutch 6).",
    )


@pytest.mark.parametrize("kept_out", [[], ["one", "zwei"]])
def test_one_pair_and_none_are_refused(tmp_path: Path, kept_out: list[str]) -> None:
    lines = ["one\teins", "two\tzwei"][: 2 if kept_out else 1]
    file = write(tmp_path, "eng-deu.tsv", lines)
    with pytest.raises(UserError, match="Fewer than two of"):
        split(tmp_path, file, kept_out=HeldOutSentences(normal_hashes(kept_out)))


def test_one_sentence_again_and_again_is_not_measured_on(tmp_path: Path) -> None:
    made = split(
        tmp_path, write(tmp_path, "eng-deu.tsv", ["a\tb"] * 50), n_development=5
    )
    assert made.development == {}
    assert made.counts[0].n_trained == 50
