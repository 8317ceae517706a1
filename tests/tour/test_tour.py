"""The tour saves a picture of every view over the real demo, in both themes."""

from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from app.tour.driver import Tour, main, missing_characters
from app.tour.recorder import SceneRecorder

# Parts for two workers: each picture of the tour is in one of them.
PARTS = {
    (
        "welcome",
        "co",
        "several",
        "im",
        "se",
        "palette",
        "keys",
        "look",
        "align",
        "read",
        "words",
        "translation",
    ): {
        *(
            "welcome",
            "corpora",
            "import",
            "import-report",
            "corpus-documents",
            "corpora-chain",
            "corpora-part",
            "search",
            "settings",
        ),
        *("look-inside", "look-inside-arabic", "palette", "keys"),
        *("align", "align-right-to-left", "align-documents"),
        *("read", "read-scripts"),
        *("concordance", "concordance-arabic", "concordance-japanese"),
        *("concordance-error", "concordance-kept"),
        *("words-frequencies", "words-collocates", "words-keyness"),
        *("words-equivalents", "translation-form", "translation-curves"),
        *("translation-scores", "translation-search", "translation-heads"),
    },
    ("training", "encoders", "map", "quality"): {
        *("training", "training-running", "training-comparison"),
        *("map", "map-clusters", "map-selection", "map-pairs", "map-two-encoders"),
        *(
            "quality",
            "quality-check",
            "quality-leaks",
            "quality-encoders",
            "quality-form",
        ),
        *("encoders", "encoders-trained", "encoders-card", "encoders-add"),
        "encoders-add-language",
        "encoders-fine-tune",
    },
    ("mining", "review", "classify", "evaluate"): {
        *("mining", "mining-form", "mining-recipe", "mining-evaluation"),
        *("review", "review-edit", "review-range", "review-conflicts"),
        *("classify", "classify-labels", "classify-predictions"),
        *("classify-pairs", "evaluate-retrieval", "evaluate-spaces"),
        *("evaluate-probing", "evaluate-languages", "evaluate-report"),
    },
}


@pytest.mark.timeout(300)  # it trains, encodes and draws all there is
@pytest.mark.parametrize("scenes", PARTS, ids=lambda scenes: str(scenes[0]))
def test_the_tour_saves_every_view_light_and_dark(
    qapp: object, tmp_path: Path, data_dir: Path, scenes: tuple[str, ...]
) -> None:
    told = main(tmp_path / "tour", scenes)
    files = [Path(name) for name in told["pictures"]]
    names = {file.name.split("-", 1)[1].rsplit("-", 1)[0] for file in files}
    assert PARTS[scenes] <= names
    assert len(files) == 2 * len(names)
    assert all(sentence.endswith(".") for sentence in told["missing"])  # this machine
    for name in names:
        light, dark = (
            QImage(
                str(next(f for f in files if f.name.endswith(f"-{name}-{scheme}.png")))
            )
            for scheme in ("light", "dark")
        )
        assert (light.width(), light.height()) == (1440, 900)
        lightness = [image.pixelColor(700, 890).lightness() for image in (light, dark)]
        assert lightness[0] > 100 > lightness[1], name
    assert not any(data_dir.glob("demo*"))  # the user's own demo is left alone


def test_one_theme_with_large_text_is_saved(qapp: object, tmp_path: Path) -> None:
    recorder = SceneRecorder(tmp_path, ("dark",), text_scale=150)
    recorder.play_all({"welcome": lambda: None})
    height = recorder.window.fontMetrics().height()
    recorder.close()
    (file,) = tmp_path.glob("*.png")
    assert file.name == "00-welcome-dark.png"
    assert QImage(str(file)).pixelColor(700, 890).lightness() < 100
    plain = SceneRecorder(tmp_path)
    assert height > 1.4 * plain.window.fontMetrics().height()
    plain.close()


def test_each_picture_is_in_one_part(qapp: object, tmp_path: Path) -> None:
    recorder = SceneRecorder(tmp_path)
    names = Tour(recorder, tmp_path).names()
    recorder.close()
    for name in names:
        assert sum(name.startswith(scenes) for scenes in PARTS) == 1, name


def test_a_character_without_a_font_is_named(qapp: object) -> None:
    private = "\U0010fffd"
    assert missing_characters(["Storm"]) == []
    assert isinstance(missing_characters([private]), list)
