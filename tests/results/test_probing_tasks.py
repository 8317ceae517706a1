"""Averages over kinds of tasks, dropped classes, and human accuracies."""

import pytest

from app.results.measurement_charts import draw_measurements
from app.results.measurements import Probed
from app.results.probing_tasks import (
    PUBLISHED_TASKS,
    average_by_kind,
    count_classes,
    human_accuracy,
)
from app.results.tables import cells_of


def row(
    task: str, accuracy: float, *, n_classes: int = 2, language: str = "en"
) -> Probed:
    return Probed(
        encoder="one",
        data=f"{task}.tsv",
        task=task,
        language=language,
        classifier="mlp",
        n=100,
        n_train=500,
        n_classes=n_classes,
        accuracy=accuracy,
        accuracy_interval=(accuracy - 0.1, accuracy + 0.1),
    )


# Conneau et al. 2018, table 2, row BoV-fastText (MLP)
BOV = {
    "SentLen": 66.6,
    "WC": 91.6,
    "TreeDepth": 37.1,
    "TopConst": 68.1,
    "BShift": 50.8,
    "Tense": 89.1,
    "SubjNum": 82.1,
    "ObjNum": 79.8,
    "SOMO": 54.2,
    "CoordInv": 54.8,
}


def test_tasks_are_averaged_by_kind_and_all_together() -> None:
    rows = [row(task, score / 100) for task, score in BOV.items()]
    found = {one.kind: one for one in average_by_kind([*rows, row("Mood", 0.5)])}
    assert {kind: 100 * one.accuracy for kind, one in found.items()} == pytest.approx(
        {
            "surface": (66.6 + 91.6) / 2,
            "syntactic": (37.1 + 68.1 + 50.8) / 3,
            "semantic": (89.1 + 82.1 + 79.8 + 54.2 + 54.8) / 5,
            "all": sum(BOV.values()) / 10,
        }
    )
    assert found["syntactic"].tasks == ("TreeDepth", "TopConst", "BShift")


def test_a_task_of_two_files_counts_once_and_one_task_has_no_overall_mean() -> None:
    (one,) = average_by_kind([row("Tense", 0.6), row("Tense", 0.8)])
    assert one.kind == "semantic"
    assert one.accuracy == pytest.approx(0.7)


def test_dropped_classes_are_shown_in_table_and_chart() -> None:
    assert count_classes("SentLen", 5) == "5 of 6"
    assert count_classes("WC", 159) == "159 of 1,000"
    assert count_classes("SentLen", 6) == "6"
    assert count_classes("root:Mood", 3) == "3"
    lacking = row("SentLen", 0.5, n_classes=5)
    assert dict(cells_of(lacking))["Classes"] == ("5 of 6", 5)
    (chart,) = draw_measurements([lacking])
    assert getattr(chart, "labels", ()) == ("SentLen (5 of 6 classes)",)


def test_human_accuracies_are_those_of_the_paper_for_english_and_all_classes() -> None:
    # Conneau et al. 2018, table 2, row "Hum. Eval."
    published = [100, 100, 84.0, 84.0, 98.0, 85.0, 88.0, 86.5, 81.2, 85.0]
    classes = [6, 1_000, 8, 20, 2, 2, 2, 2, 2, 2]
    found = [
        human_accuracy(task, "en", n)
        for task, n in zip(PUBLISHED_TASKS, classes, strict=True)
    ]
    assert [100 * one for one in found if one is not None] == pytest.approx(published)
    assert human_accuracy("SentLen", "en", 5) is None
    assert human_accuracy("Tense", "de", 2) is None
    assert human_accuracy("Mood", "en", 2) is None


def test_the_chart_of_kinds_needs_two_kinds() -> None:
    rows = [row("Tense", 0.6), row("BShift", 0.5)]
    kinds = draw_measurements(rows)[0]
    assert kinds.title == "Probing by kind of task · English · MLP"
    assert getattr(kinds, "labels", ()) == ("syntactic", "semantic", "all")
    assert len(draw_measurements(rows[:1])) == 1
