"""A translation model where encoders are used: exported, added, probed, evaluated."""

from pathlib import Path

import numpy as np
import pytest

from app.arrays import FloatArray
from app.engine.encoders.bridge.encoder import BridgeEncoder
from app.engine.encoders.registry import load_encoder
from app.engine.probing.untrained_encoders import load_untrained
from app.engine.project.project import create_project, open_read_only
from app.engine.runtime.report import Report
from app.engine.store.corpora import position_of
from app.engine.store.pairs.sets import pair_ids, read_pair_set, read_pairs
from app.engine.tasks.add_encoder import add_encoder
from app.engine.tasks.encode import encode
from app.engine.tasks.evaluate_downstream import evaluate_downstream
from app.engine.tasks.evaluate_sts import evaluate_sts
from app.engine.tasks.evaluate_transfer import evaluate_transfer
from app.engine.tasks.export_encoder import export_encoder
from app.engine.tasks.mine_pairs import mine_pairs
from app.engine.tasks.probe import probe
from app.engine.tasks.search import search
from app.errors import UserError
from app.params import build_params
from app.params.classify import EvaluateTransfer
from app.params.encoders import AddEncoder, ExportEncoder
from app.params.evaluation import EvaluateDownstream, EvaluateSts
from app.params.mining import MinePairs
from app.params.probing import Probe
from app.params.vectors import Encode, Search
from app.results.charts import HeatMapChart
from app.results.measurement_charts import draw_measurements
from app.results.transfer import LanguageScore
from tests.engine.probing.made import write_rows
from tests.engine.search.made import add_corpus
from tests.engine.translation.made import make_rows, train_to_the_end, translate_lines

FORMS = ["", "#rows", "#3"]


def _write_subjects(file: Path, language: str = "eng") -> Path:
    """Write a probing set: is the subject the cat or the dog?"""
    texts = [row[language] for row in make_rows()[:64]]
    splits = ["te" if n % 4 == 0 else "va" if n % 4 == 1 else "tr" for n in range(64)]
    labels = ["cat" if n < 32 else "dog" for n in range(64)]
    return write_rows(file, zip(splits, labels, texts, strict=True))


def test_an_exported_model_is_the_same_in_another_project(
    learned: Path, tmp_path: Path
) -> None:
    out = tmp_path / "exported"
    export_encoder(None, ExportEncoder(encoder=str(learned), out=out), Report())
    with create_project(tmp_path / "other.isogloss") as project:
        params = AddEncoder(source=out, name="added")
        assert add_encoder(project, params, Report()).kind == "isogloss"
        folder = project.folder / "encoders" / "added"
        texts = [row["eng"] for row in make_rows()[::9]]
        assert translate_lines(folder, texts, "eng", "deu") == translate_lines(
            learned, texts, "eng", "deu"
        )
        for form in FORMS:
            before, after = (
                load_encoder(f"{learned}{form}"),
                load_encoder(f"added{form}", project.folder),
            )
            assert isinstance(before, BridgeEncoder)
            assert isinstance(after, BridgeEncoder)
            np.testing.assert_array_equal(
                after.in_language("eng").encode(texts),
                before.in_language("eng").encode(texts),
            )


def test_a_model_trained_with_copies_searches_and_mines(tmp_path: Path) -> None:
    model = train_to_the_end(tmp_path, copies=True)
    rows = make_rows()
    with create_project(tmp_path / "texts.isogloss") as project:
        add_corpus(project, "English", "eng", [row["eng"] for row in rows])
        add_corpus(project, "Deutsch", "deu", [row["deu"] for row in rows[::-1]])
        add_encoder(project, AddEncoder(source=model, name="added"), Report())
        both = Encode(corpora=("English", "Deutsch"), encoder="added#rows")
        encode(project, both, Report())
        params = MinePairs(source="English", target="Deutsch", encoder="added#rows")
        mined = mine_pairs(project, params, Report())
        pair_set = read_pair_set(project.store, mined.mining)
        assert pair_set is not None
        ids = pair_ids(pair_set, with_candidates=False).tolist()
        right = sum(
            position_of(pair.source_id) + position_of(pair.target_id) == len(rows) - 1
            for pair in read_pairs(project.store, ids)
            if pair is not None
        )
        assert right > 0.9 * len(rows)
        with open_read_only(project.folder) as reading:
            query = Search(
                text="the dog hears the house again",
                encoder="added#rows",
                languages=("deu",),
                k=3,
            )
            hits = search(reading, query, Report()).hits
        assert "der hund hört das haus wieder" in [hit.text for hit in hits]


def test_corpora_in_other_languages_are_skipped_with_a_note(
    learned: Path, tmp_path: Path
) -> None:
    with create_project(tmp_path / "texts.isogloss") as project:
        add_corpus(project, "English", "eng", ["the dog hears the house"])
        add_corpus(project, "Suomi", "fin", ["koira kuulee talon"])
        add_encoder(project, AddEncoder(source=learned, name="added"), Report())
        both = Encode(corpora=("English", "Suomi"), encoder="added")
        done = encode(project, both, Report())
        assert [one.corpus for one in done.corpora] == ["English"]
        assert done.message == (
            "1 sentence encoded by added. Skipped 1 corpus, because added can't encode "
            "Finnish."
        )
        with pytest.raises(UserError, match="added can't encode Finnish, only"):
            encode(project, Encode(corpora=("Suomi",), encoder="added"), Report())
        mining = MinePairs(source="English", target="Suomi", encoder="added")
        with pytest.raises(UserError, match="added can't encode Finnish, only"):
            mine_pairs(project, mining, Report())


def test_all_heads_of_a_model_are_probed_in_one_run(
    learned: Path, tmp_path: Path
) -> None:
    data = [
        str(_write_subjects(tmp_path / name))
        for name in ("en.subject.tsv", "en.again.tsv")
    ]
    values = {"data": data, "encoders": [str(learned)], "heads": True, "seeds": 1}
    params = build_params(Probe, {**values, "control": False})
    result = probe(None, params, Report())
    assert all("has only 16 test rows" in note for note in result.notes)
    assert all("untrained" in row.baselines for row in result.results)
    names = [row.encoder for row in result.results if row.data == "en.subject.tsv"]
    assert names == ["model", *(f"model#{n}" for n in range(1, 6))]
    chart = draw_measurements(result.results)[0]
    assert isinstance(chart, HeatMapChart)
    assert chart.title == "Probing by head · model · logistic regression"
    assert chart.rows == ("#1", "#2", "#3", "#4", "#5")
    assert len(chart.columns) == 2
    third = build_params(
        Probe,
        {
            **values,
            "encoders": [f"{learned}#3"],
            "heads": False,
            "control": False,
            "baselines": False,
        },
    )
    alone = probe(None, third, Report()).results[0]
    with_all = next(row for row in result.results if row.encoder == "model#3")
    assert alone.accuracy == with_all.accuracy
    assert max(row.accuracy for row in result.results) > 0.9


def test_each_head_has_an_untrained_twin(learned: Path) -> None:
    text = ["the cat sees the tree now"]

    def encode(form: str, seed: int) -> FloatArray:
        twin = load_untrained(f"{learned}{form}", None, seed=seed)
        assert isinstance(twin, BridgeEncoder)
        assert twin.name == f"model (untrained){form}"
        vector: FloatArray = twin.in_language("eng").encode(text)[0]
        return vector

    second = encode("#2", 1)
    np.testing.assert_array_equal(second, encode("#2", 1))
    rows = encode("#rows", 1).reshape(5, -1)
    np.testing.assert_allclose(rows[1], second, atol=1e-6)
    np.testing.assert_allclose(rows.mean(axis=0), encode("", 1), atol=1e-6)
    trained = load_encoder(f"{learned}#2").in_language("eng")  # type: ignore[attr-defined]
    for other in (encode("#3", 1), encode("#2", 2), trained.encode(text)[0]):
        assert np.abs(other - second).max() > 1e-3


def test_a_language_or_heads_that_are_missing_are_named(
    learned: Path, tmp_path: Path
) -> None:
    finnish = _write_subjects(tmp_path / "fi.subject.tsv")
    params = Probe(data=(finnish,), encoders=(str(learned),))
    with pytest.raises(UserError, match="can't encode Finnish, only"):
        probe(None, params, Report())
    params = Probe(data=(finnish,), encoders=("isogloss-2",), heads=True)
    with pytest.raises(UserError, match="None of the encoders has heads"):
        probe(None, params, Report())


@pytest.mark.parametrize("form", FORMS)
def test_similarity_and_downstream_tasks_are_measured(
    learned: Path, tmp_path: Path, form: str
) -> None:
    rows = make_rows()
    pairs = [
        (str(5.0 * same), rows[n]["eng"], rows[n if same else n + 40]["eng"])
        for n in range(20)
        for same in (True, False)
    ]
    sts = EvaluateSts(
        data=(f"eng={write_rows(tmp_path / 'sts.tsv', pairs)}",),
        encoder=f"{learned}{form}",
    )
    cosine = next(
        row
        for row in evaluate_sts(None, sts, Report()).results
        if row.similarity == "cosine"
    )
    assert cosine.encoder == f"model{form}"
    assert cosine.pearson > 0.5
    labelled = [("cat" if n < 32 else "dog", rows[n]["eng"]) for n in range(64)]
    downstream = EvaluateDownstream(
        data=(f"subject={write_rows(tmp_path / 'train.tsv', labelled[::2])}",),
        tests=(f"subject={write_rows(tmp_path / 'test.tsv', labelled[1::2])}",),
        encoder=f"{learned}{form}",
    )
    (result,) = evaluate_downstream(None, downstream, Report()).results
    assert result.encoder == f"model{form}"
    assert result.score > 0.6


@pytest.mark.parametrize("is_normalised", [False, True])
def test_the_language_of_downstream_texts_chooses_the_encoder(
    learned: Path, tmp_path: Path, *, is_normalised: bool
) -> None:
    rows = make_rows()[:64]
    labelled = [("cat" if n < 32 else "dog", rows[n]["deu"]) for n in range(64)]
    data = write_rows(tmp_path / "subject.tsv", labelled)

    def score(language: str) -> float:
        params = EvaluateDownstream(
            data=(str(data),),
            encoder=str(learned),
            language=language,
            normalised=is_normalised,
            n_folds=2,
            n_inner_folds=2,
        )
        return evaluate_downstream(None, params, Report()).results[0].score

    german = score("de")
    assert german > 0.9
    assert score("en") < german  # whose pieces are not those of the texts
    with pytest.raises(UserError, match="can't encode Finnish, only"):
        score("fi")


def test_the_language_of_a_test_set_chooses_the_encoder(
    learned: Path, tmp_path: Path
) -> None:
    labelled = [
        ("cat" if n < 32 else "dog", row["deu"])
        for n, row in enumerate(make_rows()[:64])
    ]
    train = write_rows(tmp_path / "train.tsv", labelled[::2])
    test = write_rows(tmp_path / "test.tsv", labelled[1::2])

    def score(language: str) -> float:
        params = EvaluateTransfer(
            train=str(train),
            tests=(f"{language}={test}",),
            encoder=str(learned),
            language="de",
            apart=False,
        )
        (found,) = evaluate_transfer(None, params, Report()).languages.values()
        assert isinstance(found, LanguageScore)
        return found.accuracy

    german = score("de")
    assert german > 0.9
    assert score("en") < german  # whose pieces are not those of the texts
    with pytest.raises(UserError, match="can't encode Finnish, only"):
        score("fi")
