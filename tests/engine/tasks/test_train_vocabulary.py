"""Training a vocabulary from files of pairs."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from app.engine.runtime.report import Report
from app.engine.tasks.train_vocabulary import train_vocabulary
from app.engine.text.subword_vocabulary import load_vocabulary
from app.engine.training import vocabulary as module
from app.errors import Cancelled, UserError
from app.params.training.encoder import TrainVocabulary
from tests.engine.training.synthetic import write_pairs


def params(tmp_path: Path, **values: Any) -> TrainVocabulary:
    pairs = (write_pairs(tmp_path / "eng-xxx.tsv", 400),)
    settings: dict[str, Any] = {
        "out": tmp_path / "vocabulary",
        "pairs": pairs,
        "n_pieces": 300,
    }
    return TrainVocabulary(**{**settings, **values})


def test_vocabulary_is_trained_and_loaded(tmp_path: Path) -> None:
    result = train_vocabulary(None, params(tmp_path), Report())
    vocabulary = load_vocabulary(Path(result.folder))
    assert result.n_pieces == vocabulary.n_pieces
    assert 30 < result.n_pieces <= 300
    assert result.n_sentences == 800
    piece_ids, lengths = vocabulary.tokenise(["bado kilu", ""])
    assert len(piece_ids) == lengths.tolist()[0] > 0
    assert lengths.tolist()[1] == 0


def test_bpe_merges_instead(tmp_path: Path) -> None:
    result = train_vocabulary(None, params(tmp_path, model="bpe"), Report())
    bpe = load_vocabulary(Path(result.folder))
    other = params(tmp_path, out=tmp_path / "unigram")
    unigram = load_vocabulary(Path(train_vocabulary(None, other, Report()).folder))
    assert bpe.processor.encode("bado", out_type=str) == ["▁bado"]
    assert bpe.model_bytes != unigram.model_bytes
    assert (tmp_path / "vocabulary" / "vocabulary.json").read_bytes().find(b"bpe") > 0


def test_words_are_the_most_frequent_ones(tmp_path: Path) -> None:
    file = tmp_path / "eng-deu.tsv"
    lines = ["the cat	die katze", "the dog	der hund"] * 100
    file.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    settings = params(tmp_path, pairs=(file,), units="words")
    result = train_vocabulary(None, settings, Report())
    assert result.n_pieces == 7
    written = (tmp_path / "vocabulary" / "words.txt").read_text(encoding="utf-8")
    assert written.split() == ["the", "cat", "der", "die", "dog", "hund", "katze"]


def test_sampling_raises_the_share_of_a_small_language(tmp_path: Path) -> None:
    files = (
        write_pairs(tmp_path / "eng-big.tsv", 400),
        write_pairs(tmp_path / "eng-low.tsv", 40, seed=1),
    )
    settings = params(tmp_path, pairs=files, n_sentences=120, sampling_exponent=0.3)
    result = train_vocabulary(None, settings, Report())
    shares = {one.language: one for one in result.languages}
    assert set(shares) == {"eng", "big", "low"}
    assert shares["low"].n_sentences == 40
    assert shares["low"].share_before < 0.07
    assert shares["low"].share_after > 3 * shares["low"].share_before
    for moment in ("share_before", "share_after"):
        total = sum(getattr(one, moment) for one in result.languages)
        assert total == pytest.approx(1)
    stored = json.loads((tmp_path / "vocabulary" / "vocabulary.json").read_bytes())
    assert [one["language"] for one in stored["languages"]] == [
        one.language for one in result.languages
    ]


def test_same_seed_gives_the_same_vocabulary(tmp_path: Path) -> None:
    first = train_vocabulary(None, params(tmp_path), Report())
    second = train_vocabulary(None, params(tmp_path, out=tmp_path / "again"), Report())
    models = [load_vocabulary(Path(one.folder)).model_bytes for one in (first, second)]
    assert models[0] == models[1]


def test_vocabulary_is_never_overwritten(tmp_path: Path) -> None:
    train_vocabulary(None, params(tmp_path), Report())
    with pytest.raises(UserError, match="already"):
        train_vocabulary(None, params(tmp_path), Report())


def test_no_pairs_are_a_users_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="at least one pair file"):
        train_vocabulary(None, params(tmp_path, pairs=()), Report())


def test_cancel_leaves_nothing_behind(tmp_path: Path) -> None:
    report = Report()

    class Canceller:
        cancelled_at = 0.0

        def progress(self, stage: str, done: int, total: int, note: str) -> None:
            if stage == module.TRAINING_STAGE and not self.cancelled_at:
                self.cancelled_at = time.monotonic()
                report.cancel()

        def metric(self, step: int, values: dict[str, float]) -> None: ...

        def changed(self, kind: str, row_id: int) -> None: ...

    canceller = Canceller()
    report._sink = canceller
    settings = params(tmp_path)
    with pytest.raises(Cancelled):
        train_vocabulary(None, settings, report)
    assert time.monotonic() - canceller.cancelled_at < 1
    assert [file.name for file in tmp_path.iterdir()] == ["eng-xxx.tsv"]


@pytest.mark.parametrize("line", ["\t", "a " * 4_000 + "\t" + "b " * 4_000])
def test_no_sentence_of_a_fitting_length_is_told(line: str, tmp_path: Path) -> None:
    file = tmp_path / "eng-deu.tsv"
    file.write_text(f"{line}\n" * 20, encoding="utf-8", newline="\n")
    with pytest.raises(
        UserError, match=r"which has no sentence of 1 to 4,192 bytes\.$"
    ):
        train_vocabulary(None, params(tmp_path, pairs=(file,)), Report())


def test_a_file_in_the_place_of_the_folder_is_told_first(tmp_path: Path) -> None:
    (tmp_path / "vocabulary").write_text("x", encoding="utf-8")
    with pytest.raises(UserError, match=r"is a file\. Choose a new folder"):
        train_vocabulary(None, params(tmp_path, pairs=(tmp_path / "no.tsv",)), Report())
