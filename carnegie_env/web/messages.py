"""Requests and responses as pydantic models, from which OpenAPI is generated. docs/server.md explains them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

LARGEST_SEED = 2**64 - 1
MOST_SEATS = 16
LONGEST_VARIATION = 300
LONGEST_ACTION = 200  # characters
LONGEST_NAME = 60
LONGEST_RECORD = 400_000  # characters: several times the longest game's

# No control characters, and none that change the direction of the text around them.
Name = Annotated[
    str, Field(max_length=LONGEST_NAME, pattern=r"^[^\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]*$")
]
Theme = Literal["light", "dark"]
AgentName = Annotated[str, Field(max_length=LONGEST_NAME, description="with its budget: `search:ms=500`")]
DecisionsSeen = Annotated[int, Field(ge=0, description="decisions you have seen; refused if there are others by now")]


class Question(BaseModel):
    """Base of requests: no additional keys, and no conversion of values."""

    model_config = ConfigDict(extra="forbid", strict=True)


# ---------------------------------------------------------------- requests
class NewSeat(Question):
    """A seat of a new table."""

    kind: Annotated[
        Literal["here", "invited", "agent"],
        Field(description="here: at this screen; invited: for an invitation; agent: the agent called `name`"),
    ]
    name: Annotated[Name, Field(description="of the agent, with its budget: `search:ms=500`; or of the person")] = ""


class NewTable(Question):
    """A new table, from options, a record, or a position."""

    game: Annotated[str | None, Field(max_length=40, description="its name; a record or a position has its own")] = None
    options: Annotated[dict[str, Any] | None, Field(description="of the game; the others have their defaults")] = None
    seed: Annotated[int | None, Field(ge=0, le=LARGEST_SEED, description="of the deal; null: random")] = None
    record: Annotated[str | None, Field(max_length=LONGEST_RECORD, description="text of a game record")] = None
    position: Annotated[dict[str, Any] | None, Field(description="as returned by `Position.to_dict`")] = None
    seats: Annotated[list[NewSeat], Field(min_length=1, max_length=MOST_SEATS)]
    undo: Annotated[bool, Field(description="whether a single person at the table may undo decisions")] = True


class Guest(Question):
    """A person who takes a seat."""

    name: Annotated[Name, Field(description="shown to the others; empty: the host's name for the seat")] = ""


class Decision(Question):
    """A decision of the seat to play."""

    decisions: DecisionsSeen
    action: Annotated[
        int | Annotated[str, Field(max_length=LONGEST_ACTION)], Field(description="number or text of a legal action")
    ]


class Undo(Question):
    """Undo a decision."""

    decisions: DecisionsSeen


class Moves(Question):
    """A position of a game, and actions that might follow."""

    at: Annotated[int, Field(ge=0, description="number of decisions before them")]
    variation: Annotated[
        list[Annotated[int, Field(ge=0)]], Field(max_length=LONGEST_VARIATION, description="numbers of actions")
    ] = []


class Analyse(Moves):
    """Ask an agent for its values of the legal actions."""

    agent: AgentName


class Reviewing(Question):
    """Review the whole game."""

    budget: Literal["quick", "thorough"] = "quick"


class Vary(Moves):
    """Look at a possible continuation."""

    theme: Theme = "light"


# ---------------------------------------------------------------- responses
class Answer(BaseModel):
    """Base of responses."""

    model_config = ConfigDict(extra="forbid")


class Error(Answer):
    """An error."""

    error: Annotated[str, Field(description="what is wrong, and how to correct it")]


class Option(Answer):
    """An option of a game."""

    name: str
    kind: Annotated[
        Literal["flag", "number", "choice", "names"],
        Field(description="true or false; a whole number; one of `choices` or null; a list of names from `choices`"),
    ]
    choices: list[str]
    default: bool | int | str | list[str] | None
    solo_only: Annotated[bool, Field(description="only available for one player")]
    not_solo: Annotated[list[str], Field(description="the `choices` not available for one player")]
    help: str


class AboutGame(Answer):
    """A game."""

    name: str
    title: str
    seats: Annotated[list[int], Field(description="minimum and maximum number of players")]
    opponent: Annotated[str | None, Field(description="the automatic opponent of a solo player")]
    point: Annotated[str, Field(description="unit of the score")]
    options: list[Option]


class AboutAgent(Answer):
    """An agent that can play and analyse."""

    name: Annotated[str, Field(description="how to ask for it, as in `search[:ms=N]`")]
    help: str


class About(Answer):
    """The games and agents of this server."""

    version: str
    games: list[AboutGame]
    agents: list[AboutAgent]


class Topic(Answer):
    """A help topic."""

    title: str
    text: str
    source: str


class Seat(Answer):
    """A seat."""

    seat: int
    kind: Literal["here", "invited", "agent"]
    name: str
    taken: Annotated[bool, Field(description="false: the invitation has not been used yet")]


class Invitation(Answer):
    """An unused invitation."""

    seat: int
    code: str


class Summary(Answer):
    """A table as its host sees it."""

    table: str
    game: str
    title: str
    options: dict[str, Any]
    seats: list[Seat]
    round: int
    state: Literal["running", "over", "stopped", "unreadable"]
    stopped: Annotated[str | None, Field(description="why it is stopped or unreadable")]
    to_play: int | None
    decisions: int
    created: Annotated[float, Field(description="seconds since 1970")]
    updated: float
    key: Annotated[str | None, Field(description="of the seats `here`")]
    watch: Annotated[str | None, Field(description="key for watching")]
    invitations: list[Invitation]


class Tables(Answer):
    """Some tables, newest first."""

    tables: list[Summary]
    more: bool


class Taken(Answer):
    """A seat that you have taken."""

    table: str
    key: str
    seat: int


class ViewSeat(Seat):
    """A seat in a view."""

    yours: bool


class Action(Answer):
    """A legal action."""

    action: int
    text: str
    words: Annotated[str, Field(description="the action for people, with the names of spaces at that moment")]
    short: str
    note: str


class Told(Answer):
    """A line of the log."""

    decisions: Annotated[int, Field(description="number of the decision that caused it, from 1")]
    who: Annotated[str, Field(description="name of a side; empty: none")]
    text: str
    forced: Annotated[bool, Field(description="the action was forced and played automatically")]


class Score(Answer):
    """The score of a side if the game ended now."""

    side: str
    low: int
    high: Annotated[int, Field(description="more than `low` if it depends on hidden information")]
    categories: Annotated[dict[str, int], Field(description="the lowest possible value of each")]


class View(Answer):
    """A table as you see it."""

    table: str
    game: str
    title: str
    version: Annotated[int, Field(description="changes with every change of the table")]
    seats: list[ViewSeat]
    options: dict[str, Any]
    hides: Annotated[bool, Field(description="whether seats have secrets, so that a shared screen is passed on")]
    last: Annotated[int, Field(description="decisions taken in the game so far")]
    decisions: Annotated[int, Field(description="decisions that led to the position shown")]
    round: int
    phase: str
    is_over: bool
    to_play: int | None
    your_turn: bool
    thinking: str | None
    stopped: str | None
    legal: list[Action]
    told: list[Told]
    since: Annotated[int, Field(description="lines of `told` with this number of decisions or more are new")]
    scores: list[Score]
    places: Annotated[list[int] | None, Field(description="of the sides, from 0; null until the game is over")]
    can_undo: bool


class Variation(View):
    """A possible continuation."""

    picture: Annotated[str, Field(description="SVG")]


class Round(Answer):
    """The scores as if the game had ended after a round."""

    round: int
    decisions: int
    scores: Annotated[list[dict[str, int]], Field(description="points by column, for each side")]


class Scores(Answer):
    """The scores over the rounds."""

    sides: list[str]
    columns: list[str]
    rounds: list[Round]


class Value(Answer):
    """An agent's value of an action."""

    action: int
    text: str
    words: str
    value: Annotated[float, Field(description="expected lead over the best other side at the end, in points")]


class Analysis(Answer):
    """An agent's values of the legal actions, best first."""

    agent: str
    seat: Annotated[int, Field(description="the seat to play, to which the values refer")]
    point: str
    values: list[Value]
