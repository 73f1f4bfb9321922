"""Bots play whole games in the sandbox. Hostile ones lose and do no harm."""

import json
import os
import signal
import subprocess
import textwrap
import threading
import time

import numpy as np
import pytest

import carnegie_env
from carnegie_env.agents import registry
from carnegie_env.arena import match, play
from carnegie_env.bots import agent, sandbox
from tests.commands import completed
from tests.toy.game import SIXES

CARNEGIE = carnegie_env.games()["carnegie"]
sandboxed = pytest.mark.skipif(bool(sandbox.problem()), reason=f"no sandbox: {sandbox.problem()}")
FIRST = "def act(observation, legal_actions):\n    return legal_actions[0]\n"


def bot(folder, code, name="bot.py"):
    file = folder / name
    file.write_text(textwrap.dedent(code))
    return file


def decide(file, arguments):
    """The bot's first decision in a game."""
    made = registry.make_agent(f"bot:{file}{arguments}", 5)
    return made.act(CARNEGIE.position_class.new({"num_players": 2}, 3))


# ---------------------------------------------------------------- fair bots
@sandboxed
def test_a_bot_plays_whole_games(tmp_path):
    """It remembers its own decisions of a game, and nothing of other seats and games."""
    code = """
        import random
        seen = []
        def act(observation, legal_actions):
            seen.append(observation["seat"])
            print("this is not an answer")
            assert set(seen) == {observation["seat"]} and observation["seed"] == 7
            first = observation["round"] == 0 and observation["phase"] == "sides"
            assert not (first and len(seen) > 20), "a process plays one game"
            assert f"You are player_{observation['seat']}" in observation["text"]
            return random.Random(len(seen)).choice(legal_actions)
    """
    made = registry.make_agent(f"bot:{bot(tmp_path, code)},seconds=20", 7)
    assert made.name == "bot:bot.py" and len(made.version) == 16
    results = play.play([made], 2, num_players=3)
    assert results.decisions > 100 and (results.scores > 0).all()


@sandboxed
def test_other_languages(tmp_path):
    """Any program that the sandbox can execute may answer, for example a shell script."""
    file = bot(tmp_path, '#!/bin/sh\nwhile read line; do echo "0"; done\n', "first")
    file.chmod(0o755)
    made = registry.make_agent(f"bot:{file},seconds=20")
    assert made.act(carnegie_env.games()["steel_driver"].position_class.new({"num_players": 3})) == 0


def test_the_observation_is_what_the_seat_sees():
    position = CARNEGIE.position_class.new({"num_players": 2, "modules": "all"}, 4)
    found = json.loads(json.dumps(agent.observation(position, 1)))
    layout, seen = position.observation_layout, position.observe(1)
    for name, values in found["features"].items():
        np.testing.assert_allclose(values, layout.read(seen, name), atol=1e-3)
    assert set(found["features"]) == set(layout) and found["options"] == position.options.to_dict()


def test_trusted_bots_need_no_sandbox(tmp_path, monkeypatch):
    file = bot(tmp_path, FIRST)
    monkeypatch.setattr(sandbox, "problem", lambda: "it is a test")
    with pytest.raises(ValueError, match="needs a sandbox, which this computer lacks: it is a test.*trusted=yes"):
        registry.make_agent(f"bot:{file}")
    assert decide(file, ",trusted=yes,seconds=20") >= 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bot:nowhere.py", "no such file"),
        ("bot:.", "it is a folder; a bot is a single file"),
        ("bot", "write bot:FILE"),
        ("bot:seconds=3", "the file is missing"),
        ("bot:{},seconds=0", "seconds must be a number from 0.001 to 3600, not '0'"),
        ("bot:{},seconds=7200", "seconds must be a number from 0.001 to 3600, not '7200'"),
        ("bot:{},trusted=maybe", "trusted must be yes"),
        ("bot:{},speed=3", "no argument 'speed'; its arguments are FILE, seconds, trusted, cpu, memory"),
    ],
)
def test_wrong_arguments(tmp_path, name, message):
    with pytest.raises(ValueError, match=message):
        registry.make_agent(name.format(bot(tmp_path, FIRST)))


# ---------------------------------------------------------------- faults and attacks
@sandboxed
@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def act(observation, legal_actions):\n    raise RuntimeError('no idea')\n", "no idea"),
        ("def act(observation, legal_actions):\n    raise RuntimeError('\\x1b[2J')\n", r"RuntimeError: \\x1b\[2J"),
        ("def act(observation, legal_actions):\n    return 'fly'\n", "there is no action 'fly'"),
        ("def act(observation, legal_actions):\n    return {'a': [1]}\n", "an action must be a text"),
        ("def play():\n    pass\n", "KeyError: 'act'"),
        ("def act(:\n", "SyntaxError"),
        ("import os\nos._exit(3)\n", "its process ended"),
        ("import time\ndef act(o, l):\n    time.sleep(99)\n", "it took longer than"),
        ("import os\ndef act(o, l):\n    while True: os.write(3, b'x' * 9999)\n", "more than 60000 bytes"),
        ("import os\ndef act(o, l):\n    os.write(3, b'0'); return l[0]\n", "not JSON"),
        ("def act(o, l):\n    while True: pass\n", "it took longer than|its process ended"),
    ],
)  # fmt: skip
def test_faults(tmp_path, monkeypatch, code, message):
    monkeypatch.setattr(sandbox, "START", 0.5 if "longer" in message else 60.0)
    with pytest.raises(sandbox.BotError, match=message):
        decide(bot(tmp_path, code), ",seconds=0.5,cpu=2")


ATTACKS = {
    "fork": "os.fork()",
    "fork bomb": "[os.fork() for _ in range(10_000)]",
    "subprocess": "subprocess.run(['/bin/true'])",
    "threads": "[threading.Thread(target=time.sleep, args=(60,)).start() for _ in range(10_000)]",
    "memory": "bytearray(4 << 30)",
    "shared memory": "mmap.mmap(-1, 4 << 30)",
    "memory in a file": "os.memfd_create('big')",
    "network": "socket.create_connection(('127.0.0.1', 80), 1)",
    "local socket": "socket.socketpair()",
    "write": "open('/bot/new', 'w')",
    "write to a temporary folder": "tempfile.TemporaryFile()",
    "make folders": "os.mkdir('/tmp/new')",
    "overwrite itself": "open('/bot/bot.py', 'w')",
    "home": "open({secret!r}).read()",
    "passwords": "open('/etc/passwd').read()",
    "processes": "os.listdir('/proc')",
    "another process": "open('/proc/{pid}/mem', 'rb')",
    "kill": "os.kill({pid}, 9)",
    "trace": "check(ctypes.CDLL(None, use_errno=True).ptrace(0, 0, 0, 0))",
    "namespaces": "check(ctypes.CDLL(None, use_errno=True).unshare(0x10000000))",
    "more memory": "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
    "environment": "os.environ['CARNEGIE_SECRET']",
    "permissions of a device": "os.chmod('/dev/null', 0o666)",
    "times of a device": "os.utime('/dev/null')",
    "owner of a device": "os.chown('/dev/null', -1, -1)",
}
IMPORTS = "import ctypes, mmap, os, resource, socket, subprocess, tempfile, threading, time\n"
CHECK = "def check(result):\n    assert result == 0, 'refused'\n"


@sandboxed
@pytest.mark.parametrize("name", ATTACKS)
def test_attacks_fail(tmp_path, monkeypatch, name):
    """Each attack raises an exception in the bot, which it tells us in place of an answer."""
    secret = bot(tmp_path, "secret", "secret.txt")
    monkeypatch.setenv("CARNEGIE_SECRET", "secret")
    attack = ATTACKS[name].format(secret=str(secret), pid=os.getpid())
    code = f"{IMPORTS}{CHECK}def act(o, l):\n    {attack}\n    return l[0]\n"
    begun = time.monotonic()
    with pytest.raises(sandbox.BotError, match="Error|refused"):
        decide(bot(tmp_path, code), ",seconds=10")
    assert time.monotonic() - begun < 30


def test_a_bot_that_does_not_read_does_not_stop_its_host(tmp_path):
    file = bot(tmp_path, "#!/bin/sh\necho 0\nexec sleep 60\n", "deaf")
    file.chmod(0o755)
    process = sandbox.Process(file, sandbox.Limits(seconds=0.2), trusted=True)
    question = b"0" * (sandbox.LONGEST_LINE - 1)  # a pipe has room for one
    assert process.ask(question) == b"0"
    with pytest.raises(sandbox.BotError, match=r"it took longer than 0.2 s"):
        process.ask(question)


def test_the_start_of_a_bot_counts_for_its_first_decision(tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox, "START", 0.3)
    file = bot(tmp_path, "import time\ndef act(o, l):\n    time.sleep(9)\n")
    process = sandbox.Process(file, sandbox.Limits(seconds=0.001), trusted=True)
    with pytest.raises(sandbox.BotError, match=r"it took longer than 0.301 s"):
        process.ask(b'{"observation": {}, "legal_actions": []}')


@pytest.mark.parametrize(
    ("code", "mode", "why"), [("#!/bin/sh\n", 0o644, "Permission denied"), ("#!/no/shell\n", 0o755, "No such file")]
)
def test_a_file_that_cant_be_executed(tmp_path, code, mode, why):
    file = bot(tmp_path, code, "program")
    file.chmod(mode)
    with pytest.raises(sandbox.BotError, match=f"it can't be executed: {why}"):
        decide(file, ",trusted=yes")


@sandboxed
def test_a_bot_does_not_end_with_the_thread_that_started_it(tmp_path):
    started, question = [], b'{"observation": {}, "legal_actions": [3]}'

    def start():
        started.append(sandbox.Process(bot(tmp_path, FIRST), sandbox.Limits(seconds=20)))
        started[0].ask(question)

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    time.sleep(0.2)  # the kernel would end it a little later
    assert json.loads(started[0].ask(question)) == {"action": 3}


@pytest.mark.skipif(os.name != "posix", reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_bots_start_after_a_fork(tmp_path):
    file = bot(tmp_path, FIRST)
    sandbox.Process(file, sandbox.Limits(), trusted=True).end()
    if (child := os.fork()) == 0:
        signal.alarm(60)
        sandbox.Process(file, sandbox.Limits(), trusted=True).end()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


@sandboxed
def test_a_bot_that_ignores_its_limits_is_killed(tmp_path):
    """Nothing remains of it, also if the parent dies."""
    file = bot(tmp_path, "import time\ndef act(o, l):\n    while True:\n        time.sleep(1)\n")
    program = f"""
        import os, threading
        from carnegie_env.agents.registry import make_agent
        import carnegie_env
        made = make_agent("bot:{file},seconds=60")
        threading.Timer(1.5, lambda: os._exit(0)).start()
        made.act(carnegie_env.games()["carnegie"].position_class.new())
    """
    completed("-c", textwrap.dedent(program))

    def is_there():
        return str(file) in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout

    until = time.monotonic() + 60
    while is_there() and time.monotonic() < until:  # the kernel ends it soon on an idle machine
        time.sleep(0.1)
    assert not is_there()


@sandboxed
def test_hostile_bots_lose_in_the_arena(tmp_path):
    """The others play on; a bot that fails in the middle of a game loses it, and the reason is recorded."""
    bomb = bot(
        tmp_path, f"{IMPORTS}def act(o, l):\n    os.fork() if o['round'] else None\n    return l[0]\n", "bomb.py"
    )
    hang = bot(tmp_path, "def act(o, l):\n    while o['round']: pass\n    return l[0]\n", "hang.py")
    fair = bot(tmp_path, FIRST, "fair.py")
    agents = tuple((file.stem, f"bot:{file}") for file in (bomb, hang)) + (("fair", f"bot:{fair},seconds=20"),)
    played = match.play(match.Match(CARNEGIE, {"num_players": 3}, agents, 1), processes=1)
    lines = played.standings.lines
    assert len(lines) == 6 and {line.fault.agent for line in lines} <= {0, 1}
    assert all("Permission" in line.fault.text or "took longer" in line.fault.text for line in lines)


def test_bots_play_games_of_your_own(tmp_path):
    made = registry.make_agent(f"bot:{bot(tmp_path, FIRST)},trusted=yes,seconds=20")
    assert play.play([made], 2, game=SIXES, num_players=2).decisions > 4
