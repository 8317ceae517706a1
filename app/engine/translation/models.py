"""Loading of translation models."""

from pathlib import Path

from app.engine.encoders.bridge.encoder import BridgeEncoder
from app.engine.encoders.configs import BridgeConfig
from app.engine.encoders.folder import read_config
from app.engine.encoders.registry import find_encoder, load_encoder
from app.engine.runtime.devices import preferred_device
from app.engine.translation.data import match_language
from app.engine.translation.decoding import Translator
from app.errors import UserError
from app.languages import language_name


def open_model(name: str, project_folder: Path | None) -> BridgeEncoder:
    """Load a translation model by name or folder.

    Raises:
        UserError: the model does not exist, is damaged, or is not a translation model.
    """
    folder = find_encoder(name, project_folder)
    if not isinstance(read_config(folder), BridgeConfig):
        raise UserError(
            f"{name} is an encoder without decoders. Choose a translation model."
        )
    model = load_encoder(str(folder), device=preferred_device())
    assert isinstance(model, BridgeEncoder)
    return model


def make_translator(model: BridgeEncoder) -> Translator:
    """Make a translator with a model."""
    return Translator(model.model, model.codec, model.device)


def choose_direction(model: BridgeEncoder, source: str, target: str) -> tuple[str, str]:
    """Return a direction with the model's language codes.

    Raises:
        UserError: the model lacks a language, or was not trained with it on this side.
    """
    config = model.model.config
    found = (
        match_language(source, config.languages, model.name),
        match_language(target, config.languages, model.name),
    )
    for side, (language, verb) in enumerate(zip(found, ("from", "into"), strict=True)):
        if not is_trained(config, language, side):
            raise UserError(
                f"{model.name} was not trained to translate {verb} "
                f"{language_name(language)}. Choose another language."
            )
    return found


def is_trained(config: BridgeConfig, language: str, side: int) -> bool:
    """Return whether a language was trained as source (0) or target (1)."""
    if config.system == "shared":
        side_languages = {code for one in config.directions for code in one}
    else:
        side_languages = {direction[side] for direction in config.directions}
    return language in side_languages
