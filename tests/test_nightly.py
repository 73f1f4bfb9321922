"""`make nightly` goes on after failures and after its own end, believes only what is said, and reports all of it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import nightly
from tests.nightly import Step

MAKEFILE = """\
.PHONY: good bad silent little slow leaves
good:
	@echo "$(ARGS) $$SETTING" >> good.ran
	@printf 'half\\r\\033[1m1,000 decisions in 0:00:01 (1,000/s)\\033[0m\\nnothing wrong\\n'
bad:
	@echo ran >> bad.ran
	@echo 'it | broke'; exit 3
silent:
	@true
little:
	@echo '900 decisions in 0:00:01 (900/s)'
slow:
	@echo $$$$ > slow.pid; sleep 60; echo '5 decisions in 0:01:00'
leaves:
	@sleep 60 & echo $$! > left.pid; echo '5 decisions in 0:00:01'
"""
GOOD = Step(
    "good", "works", "good", nightly.DECISIONS, "--decisions {amount}", 2000, 500, settings=(("SETTING", "chosen"),)
)
BAD = Step("bad", "fails", "bad", nightly.DECISIONS, "--all", small="--few")
STEPS = (
    BAD,
    GOOD,
    Step("silent", "says nothing", "silent", nightly.TESTS),
    Step("little", "does too little", "little", nightly.DECISIONS, "--decisions {amount}", 1000),
    Step("absent", "is no target", "absent", nightly.TESTS),
)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A small project in the place of this one."""
    (tmp_path / "Makefile").write_text(MAKEFILE)
    (tmp_path / ".gitignore").write_text("runs\n*.ran\n*.pid\n")
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    monkeypatch.setattr(nightly, "ROOT", tmp_path)
    monkeypatch.setattr(nightly, "KEPT", tmp_path / "runs" / "nightly")
    monkeypatch.setattr(nightly, "STEPS", STEPS)
    monkeypatch.setattr("carnegie_env.core.signature.signature", lambda game: 77)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setenv("ARGS", "not for the checks")
    monkeypatch.setenv("MAKEFLAGS", " -- ARGS=nor\\ this")
    return tmp_path


def folder_of(project):
    (folder,) = (project / "runs" / "nightly").iterdir()
    return folder


def test_it_goes_on_after_failures_and_reports_all(project, capsys):
    assert nightly.main(["--share", "0.5"]) == 1
    folder = folder_of(project)
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=project, capture_output=True, text=True)
    assert folder.name == f"{commit.stdout.strip()}-share-0.5"
    outcomes = json.loads((folder / nightly.STATE).read_text())["outcomes"]
    assert {name: each["result"] for name, each in outcomes.items()} == {
        "bad": "failed", "good": "passed", "silent": "failed", "little": "passed", "absent": "missing",
    }  # fmt: skip
    assert (project / "good.ran").read_text() == "--decisions 1000 chosen\n"
    assert outcomes["good"]["says"] == ["1,000 decisions in 0:00:01 (1,000/s)"]
    assert outcomes["bad"]["command"] == "make bad ARGS=--few" and outcomes["bad"]["says"] == ["exit status 2"]
    assert outcomes["silent"]["says"] == ["it did not say what it has done"]
    report = (folder / nightly.REPORT).read_text()
    assert (
        "**all done; 2 passed, 3 not (bad, silent, absent). Time in all: 0:00:" in report
        and "carnegie 77, steel_driver 77" in report
    )
    assert "`SETTING=chosen make good ARGS='--decisions 1000'`" in report
    assert "## bad: failed" in report and "it | broke" in report and "the Makefile has no target absent" in report
    rows = [line for line in report.splitlines() if line.startswith("| ")]
    assert len(rows) == 1 + len(STEPS) and all(len(re.findall(r"(?<!\\)\|", row)) == 7 for row in rows)
    out = capsys.readouterr().out
    assert "2 passed, 3 not: bad, silent, absent" in out and re.search(r"time in all: 0:00:\d\d", out)


def test_too_little_is_a_failure(project):
    assert nightly.main(["--only", "little"]) == 1
    outcomes = json.loads((folder_of(project) / nightly.STATE).read_text())["outcomes"]
    assert outcomes["little"]["says"][0] == "900 done, 1,000 wanted"


def test_what_has_been_done_is_not_done_again(project, capsys):
    few = ["--only", "bad", "good", "--share", "0.25"]
    assert nightly.main([*few, "--skip", "good"]) == 1
    assert nightly.main(few) == 1
    assert nightly.main(few) == 1
    ran = {name: len((project / f"{name}.ran").read_text().splitlines()) for name in ("good", "bad")}
    assert ran == {"good": 1, "bad": 1}
    assert nightly.main([*few, "--again"]) == 1
    ran = {name: len((project / f"{name}.ran").read_text().splitlines()) for name in ("good", "bad")}
    assert ran == {"good": 1, "bad": 2}
    assert "good                  passed" in capsys.readouterr().out
    (project / "new.py").write_text("pass\n")  # another tree: nothing of it has been done
    assert nightly.main(few) == 1
    assert len((project / "good.ran").read_text().splitlines()) == 2


def test_what_a_check_has_left_running_is_ended(project, monkeypatch):
    monkeypatch.setattr(nightly, "STEPS", (Step("leaves", "leaves a process", "leaves", nightly.DECISIONS),))
    assert nightly.main([]) == 0
    status = Path("/proc", (project / "left.pid").read_text().strip(), "stat")
    assert not status.exists() or status.read_text().rpartition(")")[2].split()[0] == "Z"  # ended, if not asked how


def test_a_tree_that_changes_meanwhile_ends_it(project, monkeypatch, capsys):
    (project / "Makefile").write_text(MAKEFILE.replace("@echo ran >> bad.ran", "@echo changed >> README"))
    assert nightly.main([]) == 1
    assert "the tree has changed since" in capsys.readouterr().out
    assert not (folder_of(project) / nightly.STATE).exists() and not (project / "good.ran").exists()


def test_a_damaged_state_is_refused(project):
    nightly.main(["--only", "good"])
    (folder_of(project) / nightly.STATE).write_text('{"form": 1, "outcomes": {"good": {"result": "passed"}}}')
    with pytest.raises(SystemExit, match=r"state\.json is damaged .* delete it"):
        nightly.main(["--only", "good"])


@pytest.mark.parametrize("share", ["0", "1.5", "-1", "much"])
def test_a_share_is_a_share(share, capsys):
    with pytest.raises(SystemExit):
        nightly.main(["--share", share])
    assert "--share" in capsys.readouterr().err


def test_every_check_has_a_command_for_every_share(capsys):
    assert nightly.main(["--list", "--share", "0.01"]) == 0
    small = capsys.readouterr().out
    assert nightly.main(["--list"]) == 0
    full = capsys.readouterr().out
    assert len(small.splitlines()) == len(full.splitlines()) == len(nightly.STEPS)
    assert "--every 100" in small and "--every 1'" in full
    sums = dict.fromkeys(("verify", "soak"), 0)
    for target, number in re.findall(r"^[a-z-]+ +make (verify|soak) .*--decisions (\d+)", full, re.MULTILINE):
        sums[target] += int(number)
    assert sums == {"verify": 20_000_000, "soak": 200_000_000}
    bounds = re.findall(r"NUMBA_BOUNDSCHECK=1 make soak .*--decisions (\d+)", full)
    assert sum(map(int, bounds)) == 10_000_000 and "make fuzz ARGS='--cases 1000000'" in full


PROGRAM = """\
import sys
from pathlib import Path
from tests import nightly
nightly.ROOT = Path(sys.argv[1])
nightly.KEPT = nightly.ROOT / "runs" / "nightly"
nightly.about = lambda named, share: {"commit": named, "tree": nightly.digest()}
nightly.STEPS = (
    nightly.Step("good", "works", "good", nightly.DECISIONS),
    nightly.Step("slow", "takes long", "slow", nightly.DECISIONS),
)
sys.exit(nightly.main([]))
"""


def test_who_ends_it_ends_the_check_at_hand_and_the_next_goes_on(project, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[1]))
    started = subprocess.Popen([sys.executable, "-c", PROGRAM, project], stdout=subprocess.DEVNULL)
    pid = project / "slow.pid"
    for _ in range(600):
        if pid.exists() and pid.read_text().strip():
            break
        time.sleep(0.1)
    second = subprocess.run([sys.executable, "-c", PROGRAM, project], capture_output=True, text=True)
    assert second.returncode == 1 and "another process works there" in second.stdout
    started.terminate()
    assert started.wait(60) == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)
    outcomes = json.loads((folder_of(project) / nightly.STATE).read_text())["outcomes"]
    assert list(outcomes) == ["good"]
    report = (folder_of(project) / nightly.REPORT).read_text()
    assert "not finished, left: slow; 1 passed, 0 not." in report
    (project / "Makefile").write_text(MAKEFILE)
    monkeypatch.setattr(nightly, "STEPS", (GOOD, Step("slow", "takes long", "little", nightly.DECISIONS)))
    assert nightly.main([]) == 0  # what was ended counts as not done; it is done now
    assert len((project / "good.ran").read_text().splitlines()) == 1
