"""Normal forms: what counts as the same sentence, and what is kept out."""

import lzma
from pathlib import Path

import pytest

from app.engine.project.project import create_project
from app.engine.runtime.report import Report
from app.engine.tasks.import_corpus import import_corpus
from app.engine.training.held_out import HeldOutSentences, normal_hashes, read_held_out
from app.errors import UserError
from app.params.corpora import ImportCorpus
from app.params.training.encoder import TrainEncoder


def _has(kept_out: HeldOutSentences, text: str) -> bool:
    return bool(kept_out.marks(normal_hashes([text]))[0])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tom's here!", "toms  HERE"),
        ("ＡＢＣ １２", "abc12"),  # full width
        ("ﬁne", "FINE"),
        ("नमस्ते।", "नमस्ते"),
        ("Ελλάς", "ΕΛΛΆΣ"),  # the last letter of a word has a form of its own
        ("e\u0301t\u00e9", "ÉTÉ"),
    ],
)
def test_equal_but_for_case_width_and_punctuation(one: str, other: str) -> None:
    first, second = normal_hashes([one, other])
    assert first == second


def test_marks_and_order_tell_sentences_apart() -> None:
    hashes = normal_hashes(["ete", "été", "tee", "क", "कि", "ab", "ba", "a", ""])
    assert len(set(hashes.tolist())) == len(hashes)


def test_a_text_is_hashed_alike_whatever_stands_beside_it() -> None:
    texts = ["", "Haus.", "a\nb", "\u0301x", "!", "\ud800y", "Σ"]
    alone = [normal_hashes([text])[0] for text in texts]
    assert normal_hashes(texts).tolist() == alone
    assert len(normal_hashes([])) == 0


def test_nothing_but_punctuation_is_never_kept_out() -> None:
    kept_out = HeldOutSentences(normal_hashes(["?!", "…", "Ja."]))
    assert len(kept_out) == 1
    assert kept_out.marks(normal_hashes(["...", "ja", "nein"])).tolist() == [0, 1, 0]
    assert _has(kept_out, "JA!")
    assert not _has(HeldOutSentences(normal_hashes([])), "JA!")


def test_each_column_of_a_file_counts(tmp_path: Path) -> None:
    file = tmp_path / "test.tsv.xz"
    file.write_bytes(lzma.compress(b"One house.\tEin Haus.\nTwo\tZwei\n"))
    kept_out = read_held_out(None, TrainEncoder(name="x", kept_out=(file,)), Report())
    assert len(kept_out) == 4
    assert _has(kept_out, "ein haus")
    assert not _has(kept_out, "one house ein haus")


def test_sentences_of_a_corpus_are_kept_out(tmp_path: Path) -> None:
    file = tmp_path / "dev.txt"
    file.write_text("Das ist es.\nEin Haus.\n", encoding="utf-8")
    params = TrainEncoder(name="x", kept_out_corpora=("dev",))
    with create_project(tmp_path / "p") as project:
        importing = ImportCorpus(files=(file,), languages=("de",))
        import_corpus(project, importing, Report())
        assert _has(read_held_out(project, params, Report()), "das ist es")
    with pytest.raises(UserError, match="need a project"):
        read_held_out(None, params, Report())
