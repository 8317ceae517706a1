"""Rows of a record: plain titles for settings and results."""

import msgspec

from app.params.mining import AlignDocuments
from app.params.translation import TrainTranslation
from app.results.coverage import LanguageCoverage
from app.results.labels import CheckedSet, ClassSize, DataReport
from app.views.widgets.record_rows import flatten, setting_rows


def test_settings_of_a_translation_training_have_the_titles_of_other_trainings() -> (
    None
):
    rows = {row.title: row.values[0] for row in setting_rows(TrainTranslation(), {})}
    assert rows["Maximum gradient norm"] == "1"
    assert rows["Batch size (tokens)"] == "6,000"
    assert rows["Warm-up steps"] == "100"
    assert rows["Checkpoint interval (s)"] == "20"


def test_settings_of_an_alignment_say_what_they_are() -> None:
    params = AlignDocuments(source="1", target="2")
    rows = {row.title: row.values[0] for row in setting_rows(params, {})}
    assert rows["Cost of unlinked sentences"] == "0.55"
    assert rows["Search width (sentences)"] == "10"


def test_results_of_coverage_name_languages_and_measures() -> None:
    one = LanguageCoverage(
        language="de", verdict="green", n=240, hubs=0.05, skewness=3.2
    )
    other = LanguageCoverage(language="ja", verdict="red", n=126)
    rows = flatten(
        msgspec.json.decode(msgspec.json.encode({"languages": [one, other]}))
    )
    assert [row.title for row in rows] == [
        "languages · German – green",
        "languages · Japanese – red",
    ]
    assert "share of hubs" in rows[0].values[0]
    assert "skewness of the counts of neighbours 3.2" in rows[0].values[0]


def test_results_of_a_label_check_name_their_sets() -> None:
    classes = (ClassSize("a", 200), ClassSize("b", 100))
    one = CheckedSet("train", 300, classes, 2, 0, 0, 4, 2)
    data = DataReport((one, msgspec.structs.replace(one, name="test")), ())
    rows = flatten(msgspec.json.decode(msgspec.json.encode({"data": data})))
    assert [row.title for row in rows] == [
        "labelled data · set · train",
        "labelled data · set · test",
    ]
    assert "repeated texts 4, texts with different labels 2" in rows[0].values[0]
