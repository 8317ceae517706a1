"""Which pictures measurements become."""

import msgspec

from app.results.charts import Bar, BarChart, HeatMapChart
from app.results.measurement_charts import draw_measurements
from app.results.measurements import (
    Correlated,
    GridMeasured,
    Probed,
    Retrieved,
    ScoresCorrelated,
    SpaceMeasured,
    Transferred,
    Translated,
    name_set_languages,
)
from app.results.tables import cells_of, join_runs, value_table


def probed(encoder: str, language: str, task: str, accuracy: float) -> Probed:
    return Probed(
        encoder=encoder,
        data=f"{language}.{task}.tsv",
        task=task,
        language=language,
        classifier="logistic",
        n=100,
        n_train=500,
        n_classes=2,
        accuracy=accuracy,
        accuracy_interval=(accuracy - 0.1, accuracy + 0.1),
        baselines={"majority": 0.5},
    )


def test_probes_of_several_languages_have_a_map_for_each_encoder_and_bars() -> None:
    rows = [
        probed(encoder, language, task, accuracy)
        for encoder, accuracy in (("one", 0.7), ("two", 0.6))
        for language in ("de", "fi")
        for task in ("tense", "depth")
    ]
    charts = draw_measurements(rows[:-1])
    maps = [chart for chart in charts if isinstance(chart, HeatMapChart)]
    bars = [chart for chart in charts if isinstance(chart, BarChart)]
    assert [chart.title for chart in maps] == [
        "Probing · one · logistic regression",
        "Probing · two · logistic regression",
    ]
    assert maps[0].values == ((70.0, 70.0), (70.0, 70.0))
    assert maps[1].values == ((60.0, 60.0), (60.0, None))
    assert [chart.title for chart in bars] == [
        "Probing · German · logistic regression",
        "Probing · Finnish · logistic regression",
    ]
    assert bars[1].labels == ("tense", "depth")
    assert [bar.value for bar in bars[1].series["two"]] == [60.0, None]
    assert bars[1].marks == {"most frequent class": (50.0, 50.0)}


def test_retrieval_between_all_languages_is_a_matrix_and_of_one_pair_a_bar() -> None:
    def found(source: str, target: str, error: float) -> Retrieved:
        return Retrieved(
            encoder="one",
            source=source,
            target=target,
            n=100,
            n_pool=100,
            error=error,
            error_interval=(0.0, 1.0),
            error_margin=error / 2,
        )

    (alone,) = draw_measurements([found("de", "en", 0.25)])
    assert isinstance(alone, BarChart)
    assert alone.series["one"][0].value == 25.0
    assert alone.marks == {"by margin": (12.5,)}
    assert alone.has_marks_on_bars
    names = ("de", "en", "fi")
    matrix, _ = draw_measurements(
        [found(a, b, 0.1) for a in names for b in names if a != b]
    )
    assert isinstance(matrix, HeatMapChart)
    assert matrix.rows == matrix.columns == names
    assert matrix.values == ((None, 10, 10), (10, None, 10), (10, 10, None))


def test_each_encoder_has_its_error_by_margin_on_its_bar() -> None:
    rows = [
        Retrieved(
            encoder=encoder,
            source=source,
            target=target,
            n=100,
            n_pool=100,
            error=error,
            error_interval=(0.0, 1.0),
            error_margin=margin,
        )
        for encoder, source, target, error, margin in (
            ("one", "de", "en", 0.25, 0.125),
            ("one", "en", "de", 0.5, 0.375),
            ("two", "de", "en", 0.75, 0.625),
            ("two", "en", "de", 0.875, None),
        )
    ]
    (chart,) = draw_measurements(rows)
    assert isinstance(chart, BarChart)
    assert list(chart.series) == ["one", "two"]
    assert chart.marks == {
        "one, by margin": (12.5, 37.5),
        "two, by margin": (62.5, None),
    }
    assert chart.has_marks_on_bars


def test_measures_of_two_spaces_are_maps_on_one_scale() -> None:
    rows = [
        SpaceMeasured(
            encoder=encoder,
            measure="eigen_similarity",
            first=first,
            second=second,
            n=9,
            value=value,
        )
        for encoder, by in (("one", 1.0), ("two", 3.0))
        for first, second, value in (
            ("de", "en", by),
            ("de", "fi", 2 * by),
            ("en", "fi", 4 * by),
        )
    ]
    one, two, *_ = draw_measurements(rows)
    assert isinstance(one, HeatMapChart)
    assert isinstance(two, HeatMapChart)
    cells = [list(row) for row in one.values]
    assert cells == [[None, 1, 2], [1, None, 4], [2, 4, None]]
    assert [(chart.low, chart.high) for chart in (one, two)] == [(1, 12), (1, 12)]


def test_an_encoder_that_two_runs_measured_names_its_run() -> None:
    rows = [probed(name, "de", "tense", 0.7) for name in ("one", "two")]
    again = [probed("one", "de", "tense", 0.6), probed("two", "fi", "tense", 0.6)]
    names = [row.encoder for row in join_runs({3: rows, 5: again})]
    assert names == ["one (run 3)", "two", "one (run 5)", "two"]


def test_each_set_of_retrieval_has_its_own_chart_with_its_name() -> None:
    rows = [
        Retrieved(
            encoder="one",
            source="de",
            target="en",
            data=data,
            n=60,
            n_pool=60,
            error=0.25,
            error_interval=(0.1, 0.4),
        )
        for data in ("Tatoeba", "flores.tsv")
    ]
    titles = [chart.title for chart in draw_measurements(rows)]
    assert titles == ["Retrieval error · Tatoeba", "Retrieval error · flores.tsv"]
    (alone,) = draw_measurements(rows[:1])
    assert alone.title == "Retrieval error"


def test_each_similarity_has_its_own_bars() -> None:
    rows = [
        Correlated(
            encoder="one",
            first="en",
            second="en",
            similarity=similarity,
            n=10,
            pearson=0.5,
            pearson_interval=(0.4, 0.6),
            spearman=0.4,
            spearman_interval=(0.3, 0.5),
            published=published,
        )
        for similarity, published in (("cosine", {}), ("arccos", {"USE": 0.75}))
    ]
    charts = draw_measurements(rows)
    assert [chart.title for chart in charts] == [
        "Textual similarity · cosine · Pearson",
        "Textual similarity · arccos · Pearson",
    ]
    marks = [chart.marks for chart in charts if isinstance(chart, BarChart)]
    assert marks == [{}, {"USE": (75.0,)}]


def test_published_scores_stand_beside_ours() -> None:
    row = Transferred(
        encoder="one",
        data="MR",
        protocol="nested",
        metric="accuracy",
        n=10,
        score=0.7,
        score_interval=(0.6, 0.8),
        development=0.7,
        n_development=10,
        published={"InferSent": 0.75},
    )
    (chart,) = draw_measurements([row])
    assert isinstance(chart, BarChart)
    assert chart.marks == {"InferSent": (75.0,)}


def test_correlations_are_a_matrix_that_marks_what_is_beyond_chance() -> None:
    rows = [
        ScoresCorrelated(
            encoder="6 encoders",
            probing=probing,
            downstream=downstream,
            n=6,
            spearman=spearman,
            p=p,
            p_corrected=p_corrected,
            correction="holm",
            n_tests=3,
        )
        for probing, downstream, spearman, p, p_corrected in (
            ("SentLen", "MR", 1.0, 1 / 360, 1 / 120),
            ("SentLen", "CR", -0.5, 0.3, 0.6),
            ("WC", "MR", 0.4, 0.0004, 0.0008),
            ("WC", "CR", None, None, None),
        )
    ]
    (chart,) = draw_measurements(rows)
    assert isinstance(chart, HeatMapChart)
    assert (chart.rows, chart.columns) == (("SentLen", "WC"), ("MR", "CR"))
    assert chart.values == ((1.0, -0.5), (0.4, None))
    assert chart.signs == (("*", ""), ("*", ""))
    assert chart.details == (
        (
            "6 encoders, p 0.003, corrected 0.008",
            "6 encoders, p 0.300, corrected 0.600",
        ),
        ("6 encoders, p < 0.001, corrected < 0.001", "6 encoders"),
    )
    assert "3 tests (Holm 1979)" in chart.note


def test_many_scores_of_a_grid_are_two_charts() -> None:
    names = [f"Error {n} error, %" for n in range(3)] + ["a", "b", "c"]
    row = GridMeasured(
        encoder="x",
        varied={"Layers": "1", "Objectives": "nli"},
        scores=dict.fromkeys(names, 10.0),
        scores_interval={"a": (5.0, 15.0)},
    )
    errors, others = draw_measurements([row])
    assert isinstance(errors, BarChart)
    assert isinstance(others, BarChart)
    assert list(errors.series) == names[:3]
    assert others.title == "Comparison of settings · Layers, Objectives · other scores"
    assert others.labels == ("1 · nli",)
    assert others.series["a"] == (Bar(10.0, 5.0, 15.0),)
    few = GridMeasured(encoder="x", varied={"Layers": "1"}, scores={"a": 1.0})
    assert len(draw_measurements([few])) == 1
    assert draw_measurements([GridMeasured(encoder="x", varied={})]) == []


def test_averaged_word_vectors_are_marked_next_to_downstream_scores() -> None:
    row = Transferred(
        encoder="one",
        data="MR",
        protocol="nested",
        metric="accuracy",
        n=10,
        score=0.7,
        score_interval=(0.6, 0.8),
        development=0.7,
        n_development=10,
        majority=0.5,
        baselines={"word_vectors": 0.6, "sif_less_component": 0.65},
    )
    (chart,) = draw_measurements([row])
    assert isinstance(chart, BarChart)
    assert chart.marks == {
        "most frequent class": (50,),
        "averaged word vectors": (60,),
        "word vectors by SIF without first component": (65,),
    }


def test_charts_and_tables_of_tatoeba_name_the_languages() -> None:
    row = Retrieved(
        encoder="one",
        source="fin",
        target="eng",
        n=1_000,
        n_pool=1_000,
        error=0.052,
        error_interval=(0.04, 0.07),
        data="Tatoeba",
    )
    (chart,) = draw_measurements([row])
    assert isinstance(chart, BarChart)
    assert chart.labels == ("Finnish → English",)
    corpus = msgspec.structs.replace(row, data="", source="de")
    named, unnamed = map(dict, map(cells_of, name_set_languages([row, corpus])))
    assert (named["Source"].text, named["Target"].text) == ("Finnish", "English")
    head, (values,) = value_table([row])
    assert dict(zip(head, values, strict=True))["source"] == "fin", "an export"
    assert unnamed["Source"].text == "de", "the name of a corpus"


def test_a_cell_has_no_interval_whose_ends_are_equal() -> None:
    row = probed("one", "de", "tense", 1.0)
    alike = msgspec.structs.replace(row, accuracy_interval=(1.0, 1.0))
    assert dict(cells_of(row))["Accuracy, %"].text.startswith("100.0\u00a0(90.0")
    assert dict(cells_of(alike))["Accuracy, %"].text == "100.0"


def test_codes_of_similarity_spaces_and_translation_become_names() -> None:
    pairs = Correlated(
        encoder="one",
        first="en",
        second="de",
        similarity="cosine",
        n=9,
        pearson=0.5,
        spearman=0.4,
    )
    space = SpaceMeasured(encoder="one", measure="isotropy", first="sw", n=9, value=0.2)
    bleu = Translated(
        encoder="one",
        source="deu",
        target="eng",
        direction="trained",
        n=9,
        bleu=0.3,
        bleu_interval=(0.2, 0.4),
        chrf=0.5,
    )
    text = str(draw_measurements([pairs, space, bleu]))
    assert "'English – German'" in text
    assert "'Swahili'" in text
    assert "'German → English'" in text
    corpora = msgspec.structs.replace(pairs, first="Letters")
    assert name_set_languages([pairs, corpora]) == [pairs, corpora]
