"""The environment: made once, completed when more is asked, explained when it fails."""

import importlib.util
import re
import sys
import venv
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from installers.set_up import SetUpError, environment
from installers.set_up.environment import (
    HASHES,
    HASHES_OF_CHECKS,
    LOCK,
    make_ready,
    missing_module_sentence,
    read_requirements,
    read_torch_pin,
    venv_python,
)
from installers.set_up.torch_build import TorchChoice

ROOT = Path(__file__).resolve().parent.parent.parent
DEBIAN = 'ID=ubuntu\nID_LIKE=debian\nPRETTY_NAME="Ubuntu 24.04"'


class FakeMachine:
    """Stands for pip and venv: notes what is installed, fails on demand."""

    def __init__(self) -> None:
        self.installed: list[tuple[str, ...]] = []
        self.works = True
        self.broken: set[str] = set()
        self.n_made = 0

    def pip(self, _python: Path, *arguments: str) -> bool:
        self.installed.append(arguments)
        return self.works

    def imports(self, python: Path, module: str) -> bool:
        return python.exists() and module not in self.broken

    def create(self, folder: Path, **_options: bool) -> None:
        self.n_made += 1
        python = venv_python(folder)
        python.parent.mkdir(parents=True, exist_ok=True)
        python.touch()
        place = folder / "lib" / "python3.11" / "site-packages"
        place.mkdir(parents=True, exist_ok=True)
        (folder / "Lib" / "site-packages").mkdir(parents=True, exist_ok=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout's folder with what make_ready reads."""
    (tmp_path / "installers").mkdir()
    locks = [f"installers/{name}" for name in (LOCK, HASHES, HASHES_OF_CHECKS)]
    for name in ("pyproject.toml", *locks):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    return tmp_path


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> FakeMachine:
    """A machine without a GPU, on which nothing is really installed."""
    fake = FakeMachine()
    monkeypatch.setattr(environment, "_pip", fake.pip)
    monkeypatch.setattr(environment, "_imports", fake.imports)
    monkeypatch.setattr(venv, "create", fake.create)
    monkeypatch.setattr(environment, "_has_own_folder", lambda _python: False)
    monkeypatch.setattr(environment, "_reaches", lambda _address: True)
    monkeypatch.setattr(environment, "find_nvidia_driver", lambda: None)
    return fake


def test_the_first_start_installs_torch_and_then_the_rest(
    root: Path, machine: FakeMachine
) -> None:
    python = make_ready(root, TorchChoice(), with_checks=False)
    assert python == venv_python(root / ".venv")
    torch, others = machine.installed
    assert torch[-1] == "torch==2.13.0"
    assert {"--require-hashes", "--no-deps"} <= set(others)
    assert str(root / "installers" / HASHES) in others
    assert str(root / "installers" / HASHES_OF_CHECKS) not in others


def test_the_second_start_installs_nothing(root: Path, machine: FakeMachine) -> None:
    make_ready(root, TorchChoice(), with_checks=False)
    machine.installed.clear()
    make_ready(root, TorchChoice(), with_checks=False)
    assert machine.installed == []


def test_the_checks_add_their_tools_once(root: Path, machine: FakeMachine) -> None:
    make_ready(root, TorchChoice(), with_checks=False)
    make_ready(root, TorchChoice(), with_checks=True)
    assert str(root / "installers" / HASHES) in machine.installed[-1]
    assert str(root / "installers" / HASHES_OF_CHECKS) in machine.installed[-1]
    machine.installed.clear()
    make_ready(root, TorchChoice(), with_checks=False)
    make_ready(root, TorchChoice(), with_checks=True)
    assert machine.installed == []


@pytest.mark.parametrize("name", [LOCK, HASHES, HASHES_OF_CHECKS])
def test_a_changed_lock_installs_again(
    root: Path, machine: FakeMachine, name: str
) -> None:
    make_ready(root, TorchChoice(), with_checks=False)
    machine.installed.clear()
    lock = root / "installers" / name
    lock.write_text(lock.read_text(encoding="utf-8") + "# newer\n", encoding="utf-8")
    make_ready(root, TorchChoice(), with_checks=False)
    assert len(machine.installed) == 2


def test_another_build_of_torch_replaces_the_first(
    root: Path, machine: FakeMachine
) -> None:
    make_ready(root, TorchChoice(cpu=True), with_checks=False)
    machine.installed.clear()
    other = TorchChoice(index="https://example.org/cu130")
    make_ready(root, other, with_checks=False)
    assert "--force-reinstall" in machine.installed[0]
    assert "https://example.org/cu130" in machine.installed[0]


def test_no_wish_for_torch_keeps_the_build_that_was_chosen(
    root: Path, machine: FakeMachine
) -> None:
    make_ready(root, TorchChoice(cpu=True), with_checks=False)
    machine.installed.clear()
    make_ready(root, TorchChoice(), with_checks=False)
    assert machine.installed == []


def test_a_folder_of_wheels_needs_no_network_and_is_not_checked(
    root: Path,
    machine: FakeMachine,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make_ready(root, TorchChoice(wheels=tmp_path / "w"), with_checks=False)
    assert "SQLAlchemy>=2.0" in machine.installed[-1]
    assert capsys.readouterr().out.count("hashes not checked") == 1
    for arguments in machine.installed:
        assert "--no-index" in arguments
        assert str(tmp_path / "w") in arguments


def test_what_failed_is_tried_again_by_the_next_start(
    root: Path, machine: FakeMachine
) -> None:
    machine.works = False
    with pytest.raises(SetUpError, match=r"torch==2\.13\.0 .*--wheels DIR"):
        make_ready(root, TorchChoice(), with_checks=False)
    machine.works = True
    machine.installed.clear()
    make_ready(root, TorchChoice(), with_checks=False)
    assert len(machine.installed) == 2


def test_an_environment_whose_making_was_stopped_is_made_again(
    root: Path, machine: FakeMachine
) -> None:
    machine.create(root / ".venv")
    machine.broken = {"app", "pip"}
    make_ready(root, TorchChoice(), with_checks=False)
    assert machine.n_made == 2


def test_an_environment_whose_python_is_gone_is_made_again(
    root: Path, machine: FakeMachine
) -> None:
    python = make_ready(root, TorchChoice(), with_checks=False)
    python.unlink()
    make_ready(root, TorchChoice(), with_checks=False)
    assert machine.n_made == 2
    assert len(machine.installed) == 4


def test_the_environment_imports_the_checkout_wherever_it_is_moved(
    root: Path, machine: FakeMachine
) -> None:
    make_ready(root, TorchChoice(), with_checks=False)
    (link,) = (root / ".venv").glob("[lL]ib/**/isogloss.pth")
    target = link.parent / link.read_text(encoding="utf-8").strip()
    assert target.resolve() == root
    assert not Path(link.read_text(encoding="utf-8").strip()).is_absolute()


def test_a_python_without_ensurepip_names_the_package(
    root: Path, machine: FakeMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "read_os_release", lambda: DEBIAN)
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name: None if name == "ensurepip" else find_spec(name),
    )
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    with pytest.raises(SetUpError, match=f"sudo apt install python{version}-venv"):
        make_ready(root, TorchChoice(), with_checks=False)


@pytest.mark.parametrize(
    ("os_release", "words"),
    [
        (DEBIAN, "sudo apt install"),
        ("ID=fedora", "sudo dnf install"),
        ('ID=rocky\nID_LIKE="rhel centos fedora"', "sudo dnf install"),
        ("", "install Python with its standard library"),
    ],
)
def test_the_sentence_fits_the_system(os_release: str, words: str) -> None:
    sentence = missing_module_sentence("ensurepip", os_release)
    assert words in sentence
    assert "lacks ensurepip" in sentence
    assert "\n" not in sentence


def test_the_lock_says_torch_without_a_local_suffix() -> None:
    assert read_torch_pin(ROOT) == "torch==2.13.0"


def test_the_lock_pins_everything_pyproject_asks_for() -> None:
    text = (ROOT / "installers" / "constraints.txt").read_text(encoding="utf-8")
    pins = dict(re.findall(r"^([^#=\s]+)==([^\s;]+)", text, re.MULTILINE))
    assert not [version for version in pins.values() if "+" in version]
    for line in read_requirements(ROOT, with_checks=True):
        requirement = Requirement(line)
        assert pins[canonicalize_name(requirement.name)] in requirement.specifier


def _read_hashes(name: str) -> dict[str, tuple[str, int]]:
    """Return the version of each package and its number of hashes."""
    text = (ROOT / "installers" / name).read_text(encoding="utf-8")
    entries = text.replace(" \\\n", " ").splitlines()
    found = [
        re.match(r"([^#=\s]+)==([^\s;]+)(.*)", line)
        for line in entries
        if not line.startswith("#")
    ]
    return {
        match[1]: (
            match[2],
            len(re.findall(r" --hash=sha256:[0-9a-f]{64}\b", match[3])),
        )
        for match in found
        if match
    }


def test_every_package_but_torch_is_locked_with_its_hashes() -> None:
    text = (ROOT / "installers" / LOCK).read_text(encoding="utf-8")
    pins = dict(re.findall(r"^([^#=\s]+)==([^\s;]+)", text, re.MULTILINE))
    needed, checks = _read_hashes(HASHES), _read_hashes(HASHES_OF_CHECKS)
    assert not set(needed) & set(checks)
    both = {**needed, **checks}
    assert {
        name: version for name, (version, _n) in both.items()
    }.items() <= pins.items()
    assert min(n for _version, n in both.values()) >= 1
    assert "torch" not in both
    for with_checks, names in ((False, set(needed)), (True, set(both))):
        for line in read_requirements(ROOT, with_checks=with_checks):
            name = canonicalize_name(Requirement(line).name)
            assert name in names | {"torch"}
    assert {"sympy", "networkx", "typing-extensions"} <= set(needed)  # torch needs them
