"""Encodings of one byte for each character: languages and their legacy encodings."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.engine.text.encoding import UNSURE, find_encoding
from tests.engine.text.readers.reading import read_units

SENTENCES = {
    "pl": "Wczoraj śpiewaliśmy głośno pod dębem.\nGdzie są moje żółte książki?\n"
    "Zawsze pamiętał o gościach i źle spał.\nKoń pił wodę z rzeki.",
    "cs": "Včera jsme zpívali u řeky a šli domů.\nKde jsou moje žluté knížky?\n"
    "Tetička má těžkou práci.\nPřátelé přišli až večer.",
    "sk": "Včera sme spievali pri rieke a išli ďalej.\nKde sú moje žlté knihy?\n"
    "Ľudia čakali na stĺpe vŕby.\nKôň pije vodu už dlho.",
    "hu": "Tegnap hosszú dalokat énekeltünk a folyónál.\nHol vannak a könyveim?\n"
    "Az őszi eső sűrűn esett.\nA lánynak új cipője van.",
    "ro": "Fata cântă în grădină lângă râu.\nUnde sunt cărțile mele?\n"
    "Țăranii se întorc acasă și mănâncă.\nÎn sat plouă încă.",
    "hr": "Jučer smo pjevali uz rijeku i šetali kući.\nGdje su moje žute knjige?\n"
    "Noću često čujem đake kako viču.\nPtice lete već dugo.",
    "sl": "Včeraj smo peli ob reki in šli domov.\nKje so moje žive rože?\n"
    "Človek čaka na prijatelja že dolgo.\nDež pada čez vas.",
    "de": "Gestern hörten wir schöne Lieder am Fluß.\nWo sind die grünen Bücher?\n"
    "Die Straße führt über die Brücke.\nDas Mädchen mag Äpfel.",
    "fr": "Hier, nous avons chanté près de la forêt.\nOù sont mes livres préférés ?\n"
    "Ça va être une très bonne soirée.\nL'élève a mangé à l'école.",
    "es": "Ayer cantamos una canción junto al río.\n¿Dónde están mis libros?\n"
    "El niño comió después del baño.\nMañana será otro día, ¡qué emoción!",
    "pt": "Ontem cantámos uma canção à beira do rio.\nOnde estão os meus livros?\n"
    "A criança não comeu o pão.\nAmanhã será outro dia.",
    "it": "La città è più bella perché c'è il mare.\nDov'è il caffè?\n"
    "Però verrà lunedì.\nCosì è la vita, papà.",
    "sv": "Igår sjöng vi sånger vid ån.\nVar är mina böcker?\n"
    "Flickan åt ett äpple på ön.\nDet är vår gata.",
    "da": "I går sang vi på øen ved åen.\nHvor er mine bøger?\n"
    "Pigen spiste et æble på gåden.\nVi må gå hjem før regnen.",
    "fi": "Eilen lauloimme pitkään järvellä.\nMissä ovat kirjani?\n"
    "Tyttö söi omenan pöydän ääressä.\nHän lähtee tänään.",
    "is": "Í gær sungum við við ána.\nHvar eru bækurnar mínar?\n"
    "Stúlkan át epli í húsinu þar.\nÞað er gott að búa hér.",
    "et": "Eile laulsime jõe ääres pikalt.\nKus on minu raamatud?\n"
    "Tüdruk sõi õuna köögis.\nHomme läheme üle mäe.",
    "lv": "Vakar mēs dziedājām pie upes.\nKur ir manas grāmatas?\n"
    "Meitene ēda ābolu, un viņš lasīja.\nŠodien līst, bet rīt būs saule.",
    "lt": "Vakar dainavome prie upės.\nKur yra mano knygos, žmonės?\n"
    "Mergaitė valgė obuolį ir gėrė.\nŠiandien lyja, rytoj švies saulė.",
    "tr": "Dün nehir kıyısında şarkı söyledik.\nKitaplarım nerede, çocuğum?\n"
    "Kız ağacın altında elma yedi.\nİyi günler, yarın görüşürüz.",
    "ru": "Вчера мы долго пели песни у реки.\nГде мои жёлтые книги?\n"
    "Девочка съела яблоко на кухне.\nЗавтра будет хороший день.",
    "uk": "Вчора ми довго співали пісні біля річки.\nДе мої жовті книжки?\n"
    "Її сестра з'їла яблуко.\nЗавтра буде гарний день є.",
    "bg": "Вчера пяхме песни край реката.\nКъде са моите жълти книги?\n"
    "Момичето изяде ябълка в кухнята.\nУтре ще бъде хубав ден.",
    "el": "Χθες τραγουδήσαμε δίπλα στο ποτάμι.\nΠού είναι τα βιβλία μου;\n"
    "Το κορίτσι έφαγε ένα μήλο.\nΑύριο θα είναι ωραία μέρα.",
    "he": "אתמול שרנו ליד הנהר.\nאיפה הספרים שלי?\nהילדה אכלה תפוח.\nמחר יהיה יום טוב.",
    "ar": "غنينا أمس قرب النهر.\nأين كتبي؟\nأكلت البنت تفاحة.\nغدا يوم جميل.",
}
LEGACY = {
    **dict.fromkeys(("pl", "cs", "sk", "hu", "hr", "sl"), "cp1250 iso8859-2 cp852"),
    "ro": "iso8859-16",
    **dict.fromkeys(("de", "fr", "es", "pt", "it"), "cp1252 iso8859-15 mac-roman"),
    **dict.fromkeys(("sv", "da", "fi", "is"), "cp1252 iso8859-15 cp850"),
    **dict.fromkeys(("et", "lv", "lt"), "cp1257 iso8859-13 iso8859-4"),
    "tr": "cp1254 iso8859-9 cp857",
    "ru": "cp1251 koi8-r iso8859-5 cp866 mac-cyrillic",
    "uk": "cp1251 koi8-u iso8859-5",
    "bg": "cp1251 iso8859-5",
    "el": "cp1253 iso8859-7",
    "he": "cp1255 iso8859-8",
    "ar": "cp1256 iso8859-6",
}
PAIRS = [(code, name) for code, names in LEGACY.items() for name in names.split()]


def write(folder: Path, data: bytes) -> Path:
    path = folder / "a.txt"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(("code", "encoding"), PAIRS)
@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_text_in_a_legacy_encoding_is_read_or_the_user_is_asked(
    code: str, encoding: str, data: st.DataObject, tmp_path: Path
) -> None:
    lines = st.lists(st.sampled_from(SENTENCES[code].split("\n")), min_size=1)
    text = "\n".join(data.draw(lines)) + "\n"
    language = data.draw(st.sampled_from([code, ""]))
    stored = text.encode(encoding)

    found = find_encoding(write(tmp_path, stored), language=language)

    choices = [found.name]
    if found.confidence <= UNSURE:
        choices += found.alternatives
    assert text in [stored.decode(name) for name in choices]


@pytest.mark.parametrize(("code", "encoding"), PAIRS)
def test_four_lines_are_enough_where_the_language_is_known(
    code: str, encoding: str, tmp_path: Path
) -> None:
    data = SENTENCES[code].encode(encoding)

    found = find_encoding(write(tmp_path, data), language=code)

    assert data.decode(found.name) == SENTENCES[code]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp932", "今日は天気がいいですね。公園へ行きましょう。カタカナ\n"),
        ("euc_jp", "今日は天気がいいですね。公園へ行きましょう。\n"),
        ("gb18030", "今天天气很好，我们去公园吧。明天再见。\n"),
        ("big5", "今天天氣很好，我們去公園吧。明天再見。\n"),
        ("euc_kr", "오늘은 날씨가 좋네요. 공원에 갑시다.\n"),
    ],
)
def test_asian_encodings_are_not_taken_for_letters(
    encoding: str, text: str, tmp_path: Path
) -> None:
    data = (text * 20).encode(encoding)

    assert data.decode(find_encoding(write(tmp_path, data)).name) == text * 20


def test_an_uncertain_encoding_is_noted(tmp_path: Path) -> None:
    path = write(tmp_path, "Jeż\n".encode("iso8859-2"))  # ¿ in cp1252, ż in cp1250

    note = next((n for n in read_units(path).reading.notes if "not certain" in n), "")

    assert note.startswith("The encoding cp1250 is not certain")
