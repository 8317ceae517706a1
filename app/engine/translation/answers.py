"""Translate one sentence for the window."""

import time

from app.engine.encoders.bridge.encoder import BridgeEncoder
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.text.language_detection import choose_languages
from app.engine.translation.data import match_language
from app.engine.translation.decoding import SearchSettings
from app.engine.translation.models import is_trained, make_translator
from app.errors import UserError
from app.languages import language_name, parse_language
from app.protocol.answers.translation import SentenceTranslations, TranslatedSentence
from app.protocol.queries.translation import SentenceTranslationsQuery


def answer_sentence_translations(
    session: SearchSession, query: SentenceTranslationsQuery, report: Report
) -> SentenceTranslations:
    """Translate a text into every target language of the model.

    Raises:
        UserError: the model is not a translation model, does not have the language, or
            was not trained with it as a source.
    """
    begun = time.monotonic()
    model = session.encoder(query.model)
    if not isinstance(model, BridgeEncoder):
        raise UserError(f"{query.model} can't translate. Choose a translation model.")
    config = model.model.config
    if query.language:
        source = match_language(query.language, config.languages, model.name)
    else:
        by_code = {parse_language(code).code: code for code in config.languages}
        source = by_code[choose_languages([query.text], list(by_code))[0]]
    if not is_trained(config, source, 0):
        raise UserError(
            f"{model.name} was not trained to translate from {language_name(source)}."
        )
    translator = make_translator(model)
    translations = []
    for target in config.languages:
        if target != source and is_trained(config, target, 1):
            (text,) = translator.translate(
                [query.text], source, target, SearchSettings(), report
            )
            is_zero_shot = (source, target) not in config.directions
            translations.append(TranslatedSentence(target, text, is_zero_shot))
    return SentenceTranslations(
        model.name, source, translations, round(time.monotonic() - begun, 3)
    )
