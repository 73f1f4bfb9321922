"""Valid and invalid actions, options and seeds, passed to positions, batches and environments."""

import functools
import random
from typing import Any

import gymnasium
import numpy as np

from carnegie_env import Batch, Options, Position, carnegie_v0
from carnegie_env.carnegie import actions
from carnegie_env.carnegie.invariants import INVARIANTS
from carnegie_env.carnegie.options import MODULES
from tests import players
from tests.fuzz.answers import Wrong, answer, refused
from tests.fuzz.texts import scramble
from tests.spoiling import JUNK


class Number(int):
    """A subclass of int."""


class Awkward:
    """An object whose repr fails."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


def junk(rng: random.Random) -> Any:
    """A value that someone might pass by mistake or on purpose."""
    others = (
        np.int64(3), np.int8(-1), np.uint64(2**64 - 1), np.float32(1), np.bool_(True), np.array(5), np.array([1, 2]),
        np.array(["pass"]), np.array([None]), Number(5), Awkward(), [1, 2], "PASS", " pass", "pass ", "pass\n", b"pass",
        "build industry in", "build industry in chicago space", "recover -1", "recover 1.0", "donate", 1 + 2j, range(3),
        "side housing a; pass", "__import__('os').system('true')", -(10**30), 10**30, lambda: 0, actions.NUM_ACTIONS,
    )  # fmt: skip
    match rng.randrange(6):
        case 0:
            return rng.choice(actions.TEXTS)
        case 1:
            return rng.randrange(-3, actions.NUM_ACTIONS + 3)
        case 2:
            return scramble(rng.choice(actions.TEXTS), rng, "x " * 50)[:30_000]
        case 3:
            return rng.choice(others)
    return rng.choice(JUNK)


def spot(rng: random.Random, mode: dict | None = None) -> Position:
    """A position anywhere in a game of a mode, or of any mode; few enough games to be cached."""
    seed = rng.randrange(2)
    mode = mode or rng.choice((*players.MODES, *players.ALL_ON))
    game = players.whole_game(mode, seed, ("patient", "busy")[seed], rng.random() < 0.5)
    return game.position(rng.randrange(len(game) + (rng.random() < 0.1)))


def action_case(rng: random.Random) -> str:
    """Position.apply with texts, numbers and other objects."""
    position, given = spot(rng), junk(rng)
    legal = position.legal_actions()
    if legal and rng.random() < 0.2:
        given = rng.choice(legal)
        given = given.partition(" space ")[0] if rng.random() < 0.5 else actions.NUMBERS[given]
    before = players.mark(position.games)
    found = answer(lambda: position.apply(given))
    if refused(found):
        if players.mark(position.games) != before:
            raise Wrong(f"refused {given!r:.200}, but something has changed")
        if legal and not any(text in str(found) for text in legal):
            raise Wrong(f"the message names no legal action: {found}")
        return "refused"
    name = given if isinstance(given, str) else actions.TEXTS[given]
    if name not in legal and not any(text.startswith(f"{name} space ") for text in legal):
        raise Wrong(f"took {given!r} for a legal action")
    if isinstance(given, bool | float):
        raise Wrong(f"took {given!r} for a number")
    return "accepted"


@functools.cache
def environments() -> list[Any]:
    solo = functools.partial(gymnasium.make, "Carnegie/Solo-v0")
    vector = functools.partial(gymnasium.make_vec, "Carnegie/Solo-v0", vectorization_mode="vector_entry_point",
                               num_threads=1)  # fmt: skip
    modules = {"new_start": True, "new_departments": True, "diverse_setup": True}
    single = [solo(difficulty="beginner"), solo(difficulty="expert", on_illegal="raise"), solo(**modules)]
    return [
        *(env.unwrapped for env in single),
        vector(num_envs=3), vector(num_envs=2, on_illegal="raise"), vector(num_envs=2, **modules),
        *(carnegie_v0.env(**mode) for mode in (*players.MODES[4:], *players.ALL_ON[1:])),
    ]  # fmt: skip


def environment_case(rng: random.Random) -> str:
    """An illegal action loses or is refused, anything else is a ValueError, and the game continues."""
    env = rng.choice(environments())
    return aec_case(env, rng) if hasattr(env, "possible_agents") else gym_case(env, rng)


def aec_case(env: Any, rng: random.Random) -> str:
    env.reset(seed=rng.randrange(1000))
    generator = np.random.default_rng(rng.randrange(2**31))
    for _ in range(rng.randrange(60)):
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(players.choose(mask[None], np.ones(len(mask)), generator)[0]))
    mask = env.observe(env.agent_selection)["action_mask"]
    given = junk(rng)
    core = env.unwrapped
    before, agent = players.mark(core._batch.games), env.agent_selection
    found = answer(lambda: env.step(given))
    if refused(found):
        if players.mark(core._batch.games) != before or env.agent_selection != agent:
            raise Wrong(f"refused {given!r:.200}, but something has changed")
        env.step(int(mask.argmax()))
        return "refused"
    if not mask[int(given)]:
        raise Wrong(f"took {given!r:.200} for a legal action")
    return "accepted"


def gym_case(env: Any, rng: random.Random) -> str:
    env.reset(seed=rng.randrange(1000))
    vector = hasattr(env, "num_envs")
    n = env.num_envs if vector else 1
    generator = np.random.default_rng(rng.randrange(2**31))
    for _ in range(rng.randrange(40)):
        chosen = players.choose(env.action_masks().reshape(n, -1), players.weights("patient"), generator)
        if env.step(chosen if vector else chosen[0])[2] is True:
            env.reset()
    masks = env.action_masks().reshape(n, -1)
    given: Any = junk(rng)
    if vector and rng.random() < 0.8:
        given = [int(mask.argmax()) for mask in masks]
        given[rng.randrange(n)] = junk(rng)
    before = players.mark(env._games.batch.games)
    found = answer(lambda: env.step(given))
    if refused(found):
        if players.mark(env._games.batch.games) != before:
            raise Wrong(f"refused {given!r:.200}, but something has changed")
        return "refused"
    _, reward, terminated, truncated, info = found
    taken = np.asarray(given).reshape(n).tolist()
    legal = [0 <= a < masks.shape[1] and bool(masks[k][a]) for k, a in enumerate(taken)]
    if not env.action_masks().reshape(n, -1).any(axis=1).all() or np.any(truncated):
        raise Wrong(f"no action, or truncated, after {given!r:.200}")
    for k, right in enumerate(legal):
        if not right and not (np.ravel(terminated)[k] and np.ravel(reward)[k] == -1):
            raise Wrong(f"took {given!r:.200} for legal actions")
    if all(legal) and "illegal_action" in str(info):
        raise Wrong(f"{given!r:.200} is legal, but {info}")
    return "accepted" if all(legal) else "lost by an illegal action"


def option_case(rng: random.Random) -> str:
    """Options and seeds."""
    names = ["num_players", "difficulty", "timeline_tiles", "show_forced", "seed", "x", "", "num_games", "__class__"]
    names += [*MODULES, *MODULES, "modules", "new_donation"]
    values = [1, 2, 3, 4, 5, 0, True, False, "normal", "expert", "rows", "columns", "Normal", None]
    values = values * 3 + list(JUNK)
    options: dict = {rng.choice(names): rng.choice(values) for _ in range(rng.randrange(4))}
    if rng.random() < 0.1:
        options = rng.choice(JUNK)
    seed = rng.choice((0, 1, 2**64 - 1, 2**64, -1, *JUNK))
    found = answer(lambda: Position.new(options, seed))
    if refused(found):
        if isinstance(options, dict) and all(type(key) is str for key in options):
            if not refused(answer(lambda: Options.from_dict(options))):
                batch = Batch(1, num_threads=1, **options)
                before = players.mark(batch.games)
                if not refused(answer(lambda: batch.reset(seed))) and not isinstance(seed, list | tuple | type(None)):
                    raise Wrong(f"a batch takes the seed {seed!r:.100}, a position does not")
                if seed is not None and not isinstance(seed, list) and players.mark(batch.games) != before:
                    raise Wrong(f"refused the seed {seed!r:.100}, but something has changed")
        return "refused"
    if found.to_play is None or INVARIANTS.verify(found.record):
        raise Wrong(f"made a wrong game of {options!r:.200}, {seed!r}")
    return "accepted"
