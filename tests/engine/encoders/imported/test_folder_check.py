"""Folders of sentence-transformers: invalid folders are rejected before loading."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from app.engine.encoders.imported.card import read_front_matter
from app.engine.encoders.imported.folder_check import (
    Module,
    check_folder,
    copy_folder,
    count_stored,
)
from app.engine.runtime.report import Report
from app.errors import UserError

MODULES = [
    {"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a folder that is whole as far as can be told without loading it."""
    folder = tmp_path / "tiny-bert"
    (folder / "1_Pooling").mkdir(parents=True)
    write(folder / "modules.json", MODULES)
    write(folder / "config.json", {"model_type": "bert", "num_hidden_layers": 2})
    write(folder / "1_Pooling" / "config.json", {"pooling_mode_mean_tokens": True})
    save_file({"a": np.zeros((3, 5))}, folder / "model.safetensors")
    return folder


def write(file: Path, value: object) -> None:
    file.write_text(json.dumps(value), encoding="utf-8")


def test_modules_are_named_in_order(source: Path) -> None:
    expected = [Module("Transformer", ""), Module("Pooling", "1_Pooling")]
    assert check_folder(source) == expected
    assert count_stored(source) == 15


def test_folder_without_modules_is_a_body(source: Path) -> None:
    (source / "modules.json").unlink()
    assert check_folder(source) == [Module("Transformer", "")]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("config.json", {"model_type": "bert", "auto_map": {"a": "b"}}, "auto_map"),
        ("tokenizer_config.json", {"x": {"auto_map": 1}}, "auto_map"),
        ("config.json", {"model_type": "custom"}, "'custom' model"),
        ("config.json", {"model_type": "bert", "hidden_size": 10**12}, "too large"),
        (
            "config.json",
            {"model_type": "bert", "num_hidden_layers": 10**6},
            "too large",
        ),
        ("modules.json", [], "lists no modules"),
        ("modules.json", {"0": 1}, "lists no modules"),
        ("modules.json", [{"type": "evil.Transformer"}], r"'evil\.Transformer'"),
        ("modules.json", [MODULES[1]], "the first module"),
        ("modules.json", [MODULES[0], {**MODULES[1], "path": "../x"}], "not a folder"),
        ("modules.json", [MODULES[0], {**MODULES[1], "path": "/etc"}], "not a folder"),
        ("modules.json", [MODULES[0], MODULES[1], MODULES[1]], "pooling must"),
        ("sentence_bert_config.json", {"method_output_name": "x"}, "other states"),
        (
            "m.index.json",
            {"weight_map": {"a": "../x.safetensors"}},
            "not in the same folder",
        ),
    ],
)
def test_settings_that_lead_elsewhere_are_refused(
    source: Path, name: str, value: object, message: str
) -> None:
    write(source / name, value)
    with pytest.raises(UserError, match=message):
        check_folder(source)


def test_code_and_pickle_are_refused(source: Path) -> None:
    (source / "modeling_tiny.py").write_text("raise SystemExit", encoding="utf-8")
    with pytest.raises(UserError, match=r"custom code \(modeling_tiny\.py\)"):
        check_folder(source)
    (source / "modeling_tiny.py").unlink()
    (source / "model.safetensors").rename(source / "pytorch_model.bin")
    with pytest.raises(UserError, match="pickle"):
        check_folder(source)
    (source / "pytorch_model.bin").unlink()
    with pytest.raises(UserError, match="has no weights"):
        check_folder(source)


def test_a_body_without_its_settings_is_refused(source: Path) -> None:
    (source / "config.json").unlink()
    with pytest.raises(UserError, match=r"config\.json is missing"):
        check_folder(source)


@pytest.mark.parametrize("content", [b"", b"{", b"[" * 100_000, b"\xff"])
def test_damaged_settings_are_a_users_error(source: Path, content: bytes) -> None:
    (source / "modules.json").write_bytes(content)
    with pytest.raises(UserError, match="is damaged"):
        check_folder(source)


def test_header_with_huge_shapes_is_refused_by_its_size(source: Path) -> None:
    shape = [10**9, 10**9]
    end = 8 * 10**18
    header = json.dumps(
        {"a": {"dtype": "F64", "shape": shape, "data_offsets": [0, end]}}
    )
    size = len(header).to_bytes(8, "little")
    (source / "model.safetensors").write_bytes(size + header.encode())
    with pytest.raises(UserError, match="is damaged"):
        count_stored(source)


def test_only_data_is_copied(source: Path, tmp_path: Path) -> None:
    for name in ("pytorch_model.bin", ".hidden.json", "LICENSE", "vocab.txt"):
        (source / name).write_text("x", encoding="utf-8")
    (source / "onnx").mkdir()
    write(source / "onnx" / "config.json", {})
    copy_folder(source, tmp_path / "copy", check_folder(source), Report())
    files = {
        file.relative_to(tmp_path / "copy").as_posix()
        for file in (tmp_path / "copy").rglob("*")
        if file.is_file()
    }
    assert files == {
        "1_Pooling/config.json",
        "LICENSE",
        "config.json",
        "model.safetensors",
        "modules.json",
        "vocab.txt",
    }


def test_licence_and_languages_are_read_from_the_card(tmp_path: Path) -> None:
    card = "---\nlanguage:\n- de\n- multilingual card\n- fr\nlicense: mit\n---\n# x\n"
    (tmp_path / "README.md").write_text(card, encoding="utf-8")
    licence, languages = read_front_matter(tmp_path)
    assert licence == "mit"
    assert (languages[0], languages[-1]) == ("de", "fr")
    assert read_front_matter(tmp_path / "none") == ("", ())


def test_a_folder_of_model2vec_is_its_own_first_module(source: Path) -> None:
    kind = "sentence_transformers.models."
    static = {"path": ".", "type": f"{kind}StaticEmbedding"}
    normal = {"path": "1_Normalize", "type": f"{kind}Normalize"}
    write(source / "modules.json", [static, normal])

    assert check_folder(source) == [
        Module("StaticEmbedding", ""),
        Module("Normalize", "1_Normalize"),
    ]


def test_weights_of_another_kind_are_named(source: Path) -> None:
    (source / "onnx").mkdir()
    (source / "model.safetensors").rename(source / "onnx" / "model.onnx")

    with pytest.raises(UserError, match="only ONNX files, which Isogloss doesn't"):
        check_folder(source)
