"""What is set beside the bars of pictures."""

from app.results.annotations import baseline_marks, published_marks
from app.results.measurements import Probed, Transferred


def probed(encoder: str, untrained: float) -> Probed:
    return Probed(
        encoder=encoder,
        data="de.tense.tsv",
        task="tense",
        language="de",
        classifier="logistic",
        n=10,
        n_train=10,
        n_classes=2,
        accuracy=0.7,
        accuracy_interval=(0.6, 0.8),
        baselines={"majority": 0.5, "untrained": untrained},
    )


def marks_of(*rows: Probed) -> dict[str, tuple[float | None, ...]]:
    return baseline_marks(rows, lambda row: row.task, ["tense"])


def measured(data: str, published: dict[str, float]) -> Transferred:
    return Transferred(
        encoder="one",
        data=data,
        protocol="nested",
        metric="accuracy",
        n=10,
        score=0.7,
        score_interval=(0.6, 0.8),
        development=0.7,
        n_development=10,
        published=published,
    )


def test_the_untrained_twin_of_one_encoder_is_not_shown_as_that_of_another() -> None:
    one, two, three = probed("one", 0.25), probed("two", 0.75), probed("three", 0.5)
    assert marks_of(one) == {"most frequent class": (50,), "before training": (25,)}
    assert marks_of(one, two) == {"most frequent class": (50,)}
    assert marks_of(one, two, three) == {"most frequent class": (50,)}


def test_of_many_systems_those_of_most_tasks_are_drawn_from_low_to_high() -> None:
    systems = {f"s{n:02}": n / 100 for n in range(51)}
    rows = [measured("MR", systems | {"only MR": 0.9}), measured("CR", systems)]
    found = published_marks(rows, lambda row: row.data)
    assert list(found) == ["s00", "s10", "s20", "s30", "s40", "s50"]
    assert found["s10"] == (10, 10)


def test_few_systems_are_all_drawn_and_none_where_nothing_is_known() -> None:
    rows = [measured("MR", {"a": 0.8, "b": 0.7})]
    assert published_marks(rows, lambda row: row.data) == {"b": (70,), "a": (80,)}
    assert published_marks([measured("X", {})], lambda row: row.data) == {}
