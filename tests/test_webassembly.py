"""Games as modules of WebAssembly: the plays of machine code, position by position, and those of the interpreter."""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import Path

import pytest
from cli_runner import DICE_RACE, seaspec
from native_agreement import Comparison
from web_machine import WebMachine

from seaspec.backends.native.machine import Machine, PlayFailed
from seaspec.backends.native.webassembly import NotLinked, linked
from seaspec.loading import load

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("name", ["calm", "spec/anchors/backgammon.sea"])
def test_modules_play_as_machine_code_does(name: str) -> None:
    game = load(name)
    web, native = WebMachine(game.flow), Machine(game.flow)
    assert web.simulate(5, 3, 20, 2000) == native.simulate(5, 3, 20, 2000)
    tally = Comparison(game, web).plies(400, 1)
    assert tally.plies == 400
    states = [state for state, _ in native.record(5, 3)]
    assert [state for state, _ in web.record(5, 3)] == states
    assert [web.options(state) for state in states[:50]] == [native.options(state) for state in states[:50]]


def test_a_failure_of_the_rules_is_the_same(tmp_path: Path) -> None:
    """Steps too many come up at the same throw."""
    sound = (ROOT / DICE_RACE).read_text(encoding="utf-8")
    faulty = sound.replace("min(steps + die, goal - spot_of[p])", "steps + die")
    assert faulty != sound
    (tmp_path / "race.sea").write_text(faulty, encoding="utf-8")
    game = load(str(tmp_path / "race.sea"))
    found = []
    for make in (Machine, WebMachine):
        with pytest.raises(PlayFailed) as failed:
            make(game.flow).simulate(1, 0, 100, 5000)
        found.append((failed.value.play, str(failed.value.error), failed.value.error.span))
    assert found[0] == found[1]


def test_emitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    game = str(ROOT / DICE_RACE)
    told = json.loads(seaspec("emit", game, "--stage", "wasm", "--json").out)
    assert b64decode(told["module"]).startswith(b"\0asm")
    assert seaspec("emit", game, "--stage", "wasm", "--output", "race.wasm").code == 0
    assert Path("race.wasm").read_bytes() == b64decode(told["module"])
    ran = seaspec("emit", game, "--stage", "wasm")
    assert ran.code == 1 and "add --output FILE, or --json" in ran.err
    assert seaspec("emit", game, "--stage", "core", "--output", "race.core").out == ""
    assert Path("race.core").read_text(encoding="utf-8") == seaspec("emit", game, "--stage", "core").out
    assert told["facts"]["context_size"] > 0 and told["constants"] > 0


def test_what_is_no_object_is_not_linked() -> None:
    with pytest.raises(NotLinked, match="no module"):
        linked(b"ELF")
    with pytest.raises(NotLinked, match="missing"):
        linked(b"\0asm\1\0\0\0")
