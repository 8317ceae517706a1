"""What is fuzzed: each target takes bytes, and may refuse them with a sentence only."""

import gzip
import hashlib
import io
import json
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple, get_args

import msgspec
import numpy as np
from openpyxl import Workbook
from safetensors.numpy import save

from app.engine.classify.classifier import CONFIG_FILE, WEIGHTS_FILE, ClassifierConfig
from app.engine.encoders.configs import StaticConfig
from app.engine.encoders.registry import load_encoder
from app.engine.project.project import create_project, open_project
from app.engine.review.packages import (
    JudgementsHead,
    PackedJudgement,
    PackedPair,
    PackedSentence,
    read_package,
)
from app.engine.runtime.reader_process import UnexpectedReadError
from app.engine.runtime.report import Report
from app.engine.tasks.import_classifier import _read
from app.engine.text.readers.dictionary import read_dictionary
from app.errors import describe_error
from app.params import Params
from app.protocol.commands import decode_command, describe_invalid, read_ticket
from app.protocol.edits import Change
from app.protocol.queries import Query
from tests.engine.text.readers.reading import read_units

TMX_CODES = (
    b"<tmx><header/><body><tu><tuv xml:lang='en'><seg>a<bpt i='1'>b</bpt>c</seg>"
)
CONLLU_END = b"1\ta\t_\t_\t_\t_\t_\t_\t_\t\n\n"
XLIFF_SEGMENTS = (
    b'<xliff><file source-language="en" target-language="fr"><body><trans-unit>'
    b'<source>a b</source><seg-source><mrk mtype="seg" mid="0">a</mrk></seg-source>'
    b'<target><mrk mtype="seg" mid="0">c</mrk></target></trans-unit></body></file>'
    b"</xliff>"
)
SEEDS: dict[str, tuple[bytes, ...]] = {
    "encoding": (b"One.\nTwo \xc3\xa9.\n", "gęślą jaźń\n".encode("iso8859-2") * 3),
    "text": (b"One.\nTwo \xc3\xa9.\n", b"\xef\xbb\xbfOne\r\n\x85\x0b\x00Two"),
    "tsv": (b"id\ttext\n1\tone\n2\ttwo\n", b'"a"\t"b\n"\n'),
    "csv": (b'id,text\n1,"one"\n2,"two"\n', b"en;de\nHouse;Haus\n"),
    "tmx": (
        b'<tmx><header/><body><tu><tuv xml:lang="en-US"><seg>a</seg></tuv>'
        b'<tuv xml:lang="en-GB"><seg>b</seg></tuv></tu></body></tmx>',
        b'<tmx xmlns:o="urn:}"><body><o:tu/></body></tmx>',
        TMX_CODES + b"</tuv></tu></body></tmx>",
    ),
    "xliff": (
        b'<xliff><file source-language="en" target-language="fr"><body><trans-unit>'
        b"<source>a</source><target>b</target></trans-unit></body></file></xliff>",
        XLIFF_SEGMENTS,
    ),
    "po": (
        b'msgid ""\nmsgstr "Language: fr\\n"\n\nmsgid "a"\nmsgstr "b\\9\\x41"\n',
        b'#, fuzzy\nmsgid "a"\nmsgid_plural "as"\nmsgstr[0] "b"\nmsgstr[1] "c"\n',
    ),
    "conllu": (
        b"# newdoc id = d\n# text = ab\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n"
        b"1\ta\tb\tX\t_\t_\t_\t_\t_\t_\n2\tb\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n\n",
        CONLLU_END,
    ),
    "tei": (
        b'<TEI xml:lang="en"><teiHeader><fileDesc><titleStmt><title>T</title>'
        b"</titleStmt></fileDesc></teiHeader><text><body><p>One <note>n</note> s. Two"
        b'<lb break="no"/>x.</p><ab><s>A</s></ab><listPlace><place>B</place>'
        b"</listPlace></body></text></TEI>",
    ),
    "jsonl": (b'{"text": "one"}\n{"text": {"en": "two"}}\n',),
    "dictionary": (b"Haus\thouse\n", b"Haus;house|home\n"),
    "tbx": (
        b'<tbx><conceptEntry><langSec xml:lang="en"><termSec><term>a</term></termSec>'
        b'</langSec><langSec xml:lang="de"><termSec><term>b</term></termSec></langSec>'
        b"</conceptEntry></tbx>",
    ),
    "package": (
        b'{"type":"pairs","version":1,"package":"0123456789abcdef0123456789abcdef",'
        b'"name":"a","who":"b","source_name":"c","target_name":"d","source_language":'
        b'"en","target_language":"de","margin":"ratio","n_sources":1,"n_targets":1,'
        b'"n_pairs":1}\n["One.","en",1]\n["Eins.","de",1]\n'
        b"[0,1,0,1,null,null,[1.1,0.9,0.5,0.4]]\n",
        b'{"type":"judgements","version":1,"package":"0123456789abcdef0123456789abcdef"'
        b',"digest":"00","who":"b","n_pairs":1,"n":1}\n'
        b'[0,"accept",false,false,null,"Zwei.","note",["tag"],1.5]\n',
    ),
}
SEPARATOR = b"\0\xff\xfe\0"  # of the files of an encoder in a case
ENCODER_FILES = ("encoder.json", "weights.safetensors", "vocabulary.model")
WITHOUT_CHOICE = ("text", "tsv", "csv", "po", "conllu", "jsonl")


class Target(NamedTuple):
    """A function that takes the bytes of a case, and the cases to begin with."""

    run: Callable[[bytes, Path], None]
    seeds: tuple[bytes, ...]


def _reader(kind: str, encoding: str = "") -> Callable[[bytes, Path], None]:
    languages = ["en", "fr"] if kind in ("po", "xliff", "tmx") else ["en"]

    def run(data: bytes, folder: Path) -> None:
        path = folder / "case"
        path.write_bytes(data)
        read_units(path, languages=languages, format=kind, encoding=encoding)

    return run


@cache
def _workbook_parts() -> dict[str, bytes]:
    book = Workbook()
    for i in range(3):
        book.worksheets[0].append([i, f"sentence {i}"])
    stream = io.BytesIO()
    book.save(stream)
    with zipfile.ZipFile(stream) as archive:
        return {part.filename: archive.read(part) for part in archive.infolist()}


def _read_workbook(data: bytes, folder: Path) -> None:
    """Replace one part of a workbook: the first byte selects it."""
    parts = _workbook_parts()
    name = sorted(parts)[data[0] % len(parts)] if data else ""
    path = folder / "case.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        for part, content in parts.items():
            archive.writestr(part, data[1:] if part == name else content)
    read_units(path, languages=["en"], format="xlsx")


def _parquet_file() -> bytes:
    import pyarrow
    from pyarrow import parquet

    stream = io.BytesIO()
    parquet.write_table(pyarrow.table({"text": ["one", "two"]}), stream)
    return stream.getvalue()


def _read_dictionary(data: bytes, folder: Path) -> None:
    path = folder / ("case.csv" if b";" in data else "case.tsv")
    path.write_bytes(data)
    read_dictionary(path, "de", "en")


def _read_tbx(data: bytes, folder: Path) -> None:
    path = folder / "case.tbx"
    path.write_bytes(data)
    read_dictionary(path, "en", "de")


def _read_package(data: bytes, folder: Path) -> None:
    """Read the bytes as they are, or as the lines of a package with the right sum."""
    path = folder / "case"
    if data[:1] != b"\x1f":
        lines = data if data.endswith(b"\n") else data + b"\n"
        digest, n = hashlib.sha256(lines).hexdigest(), len(lines.splitlines())
        end = b'{"lines":%d,"sha256":"%s"}\n' % (n, digest.encode())
        data = gzip.compress(lines + end, 1)
    path.write_bytes(data)
    package = read_package(path)
    if isinstance(package.head, JudgementsHead):
        package.take(PackedJudgement, 0, 1)
        return
    package.take(PackedSentence, 0, 1)
    package.take(PackedSentence, 1, 1)
    package.take(PackedPair, 2, 1)


def _read_classifier(data: bytes, folder: Path) -> None:
    """Split the case into the two parts of an archive at the first NUL NUL."""
    config, _, weights = data.partition(b"\0\0")
    path = folder / "case.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(CONFIG_FILE, config)
        archive.writestr(WEIGHTS_FILE, weights)
    _read(path, Report())


def _classifier_case() -> bytes:
    config = ClassifierConfig(
        name="a",
        head="logistic",
        kind="layers",
        features="single",
        classes=("x", "y"),
        encoder="e",
        fingerprint="f",
        dim=2,
        temperature=1.0,
        language="en",
        n_train=2,
        n_development=0,
        development=0.0,
    )
    weight, bias = np.zeros((2, 2), np.float32), np.zeros(2, np.float32)
    weights = save({"0.weight": weight, "0.bias": bias})
    return msgspec.json.encode(config) + b"\0\0" + weights


def _load_encoder(data: bytes, folder: Path) -> None:
    """Split the case into config, weights and vocabulary of an encoder's folder."""
    parts = data.split(SEPARATOR, 2)
    place = folder / "encoder"
    place.mkdir(exist_ok=True)
    for name, part in zip(ENCODER_FILES, [*parts, b"", b""], strict=False):
        (place / name).write_bytes(part)
    load_encoder(str(place), device="cpu").encode(["a b", ""])


def _encoder_case() -> bytes:
    """Return a static encoder of the pieces a and b, without normalisation."""
    import sentencepiece

    model, n_pieces = io.BytesIO(), 5
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["a b"] * 9),
        model_writer=model,
        vocab_size=n_pieces,
        model_type="char",
        normalization_rule_name="identity",
        bos_id=-1,
        eos_id=-1,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    n_pieces = sentencepiece.SentencePieceProcessor(
        model_proto=model.getvalue()
    ).get_piece_size()
    config = StaticConfig(
        name="a", dim=2, n_pieces=n_pieces, n_bigrams=1, precision="float32"
    )
    weights = save({"table": np.ones((n_pieces + 1, 2), np.float32)})
    return SEPARATOR.join((msgspec.json.encode(config), weights, model.getvalue()))


def _open_database(data: bytes, folder: Path) -> None:
    place = folder / "p.isogloss"
    place.mkdir(exist_ok=True)
    for old in place.glob("project.sqlite*"):
        old.unlink()
    (place / "project.sqlite").write_bytes(data)
    with open_project(place):
        pass


def _database() -> bytes:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name) / "p.isogloss"
        with create_project(place):
            pass
        with sqlite3.connect(place / "project.sqlite") as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return (place / "project.sqlite").read_bytes()


def _decode_command(data: bytes, _folder: Path) -> None:
    """Decode a line of the protocol as the engine does; a refusal is an answer."""
    try:
        decode_command(data)
    except ValueError as error:
        describe_invalid(error)
        read_ticket(data)


def _commands() -> Iterator[bytes]:
    """Yield a line for each command, and for each task, query and edit."""
    yield b'{"type":"OpenProject","ticket":1,"path":"/tmp/x","mode":"copy"}'
    for kind in ("CloseProject", "Quit", "Cancel", "Steer"):
        yield json.dumps({"type": kind, "ticket": 1, "run": 1}).encode()
    unions = (("Run", "params", Params), ("Ask", "query", Query))
    for kind, field, union in (*unions, ("Edit", "change", Change)):
        for one in get_args(union):
            config = one.__struct_config__
            content = dict.fromkeys(one.__struct_encode_fields__, "a")
            content[config.tag_field] = config.tag
            line = {"type": kind, "ticket": 2, field: content}
            yield json.dumps(line).encode()


def make_target(name: str) -> Target:
    """Make the target of a name (`TARGETS`)."""
    if name == "xlsx":
        parts = sorted(_workbook_parts().items())
        seeds = [bytes([i]) + content for i, (_, content) in enumerate(parts)]
        return Target(_read_workbook, tuple(seeds))
    if name == "protocol":
        return Target(_decode_command, tuple(_commands()))
    special: dict[str, tuple[Callable[[bytes, Path], None], Callable[[], bytes]]] = {
        "parquet": (_reader("parquet"), _parquet_file),
        "classifier": (_read_classifier, _classifier_case),
        "encoder": (_load_encoder, _encoder_case),
        "project": (_open_database, _database),
    }
    if name in special:
        run, make_seed = special[name]
        return Target(run, (make_seed(),))
    other = {
        "encoding": _reader("text"),
        "dictionary": _read_dictionary,
        "tbx": _read_tbx,
        "package": _read_package,
    }
    # the choice of an encoding takes most of a case: it has a target of its own
    encoding = "utf-8" if name in WITHOUT_CHOICE else ""
    return Target(other.get(name) or _reader(name, encoding), SEEDS[name])


# share of the time: a case of the last five costs 10 to 100 times as much as the others
TARGETS = dict.fromkeys(SEEDS, 1.0) | {
    "encoding": 0.5,
    "protocol": 1.0,
    "xlsx": 2.0,
    "parquet": 1.0,
    "classifier": 1.0,
    "encoder": 1.0,
    "project": 2.0,
}


def find_fault(target: Target, data: bytes, folder: Path) -> Exception | None:
    """Run a case; return the exception that no user should see, if any."""
    try:
        target.run(data, folder)
    except UnexpectedReadError as error:
        return error
    except Exception as error:  # noqa: BLE001 - whatever it is, the user sees it
        return error if describe_error(error).kind == "bug" else None
    finally:
        with suppress(OSError):
            (folder / "case").unlink(missing_ok=True)
    return None
