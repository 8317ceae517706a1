"""The tour saves a picture of every view over the real demo, in both themes."""

from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from app.views.tour import main, missing_characters


@pytest.mark.timeout(300)  # it trains, encodes and draws all there is
def test_the_tour_saves_every_view_light_and_dark(
    qapp: object, tmp_path: Path, data_dir: Path
) -> None:
    told = main(tmp_path / "tour")
    files = [Path(name) for name in told["pictures"]]
    names = {file.name.split("-", 1)[1].rsplit("-", 1)[0] for file in files}
    assert {"welcome", "corpora", "import", "import-report", "search"} <= names
    assert {"training", "training-running", "training-comparison"} <= names
    assert {"mining", "mining-form", "mining-recipe", "mining-evaluation"} <= names
    assert {"encoders", "encoders-trained", "encoders-card", "encoders-add"} <= names
    assert {"review", "review-edit", "review-range", "review-conflicts"} <= names
    assert {"align", "align-right-to-left", "align-documents"} <= names
    assert {"classify", "classify-labels", "classify-predictions"} <= names
    assert {"look-inside", "look-inside-arabic"} <= names
    assert len(files) == 2 * len(names)
    assert all(sentence.endswith(".") for sentence in told["missing"])  # this machine
    light, dark = (
        QImage(str(next(f for f in files if f.name.endswith(f"-search-{scheme}.png"))))
        for scheme in ("light", "dark")
    )
    assert (light.width(), light.height()) == (1440, 900)
    lightness = [image.pixelColor(700, 880).lightness() for image in (light, dark)]
    assert lightness[0] > 200 > 100 > lightness[1]
    assert not any(data_dir.glob("demo*"))  # the user's own demo is left alone


def test_a_character_without_a_font_is_named(qapp: object) -> None:
    private = "\U0010fffd"
    assert missing_characters(["Storm"]) == []
    assert isinstance(missing_characters([private]), list)
