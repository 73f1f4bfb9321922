"""What requests and answers look like: pydantic's models, of which OpenAPI is made. docs/web.md explains them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

LARGEST_SEED = 2**64 - 1
MOST_SEATS = 16
LONGEST_VARIATION = 300
LONGEST_ACTION = 200  # characters
LONGEST_NAME = 60
LONGEST_RECORD = 400_000  # characters, several times the longest game's

Name = Annotated[str, Field(max_length=LONGEST_NAME, pattern=r"^[^\x00-\x1f\x7f]*$")]
Theme = Literal["light", "dark"]


class Question(BaseModel):
    """What every request keeps to: no other keys, values of the right type."""

    model_config = ConfigDict(extra="forbid", strict=True)


# ---------------------------------------------------------------- requests
class NewSeat(Question):
    """Who is to play a seat."""

    kind: Annotated[
        Literal["here", "invited", "agent"],
        Field(description="here: at this screen; invited: for an invitation; agent: the agent called `name`"),
    ]
    name: Annotated[Name, Field(description="of the agent, with its budget: `search:ms=500`; or of the person")] = ""


class NewTable(Question):
    """A new table: of new options, a record, or a position."""

    game: Annotated[str | None, Field(max_length=40, description="its name; a record or a position has its own")] = None
    options: Annotated[dict[str, Any] | None, Field(description="of the game; the others have their defaults")] = None
    seed: Annotated[int | None, Field(ge=0, le=LARGEST_SEED, description="of the deal; null: drawn")] = None
    record: Annotated[str | None, Field(max_length=LONGEST_RECORD, description="text of a game record")] = None
    position: Annotated[dict[str, Any] | None, Field(description="as `Position.to_dict` makes it")] = None
    seats: Annotated[list[NewSeat], Field(min_length=1, max_length=MOST_SEATS)]
    undo: Annotated[bool, Field(description="whether one person at a table may take back")] = True


class Guest(Question):
    """Who takes a seat."""

    name: Annotated[Name, Field(description="what others see; empty: as the host has called the seat")] = ""


class Decision(Question):
    """A decision of the seat that is to play."""

    decisions: Annotated[int, Field(ge=0, description="how many you have seen: if there are more, it is refused")]
    action: Annotated[
        int | Annotated[str, Field(max_length=LONGEST_ACTION)], Field(description="number or text of a legal action")
    ]


class Undo(Question):
    """Taking back."""

    decisions: Annotated[int, Field(ge=0, description="how many you have seen")]


class Moves(Question):
    """A position of a game, and decisions that might follow it."""

    at: Annotated[int, Field(ge=0, description="after this number of decisions")]
    variation: Annotated[
        list[Annotated[int, Field(ge=0)]],
        Field(max_length=LONGEST_VARIATION, description="numbers of actions, one after the other"),
    ] = []


class Analyse(Moves):
    """Ask an agent what it thinks of the legal actions."""

    agent: Annotated[str, Field(max_length=LONGEST_NAME, description="its name, with its budget: `search:ms=500`")]


class Vary(Moves):
    """Look at a position that might come."""

    theme: Theme = "light"


# ---------------------------------------------------------------- answers
class Answer(BaseModel):
    """What every answer keeps to."""

    model_config = ConfigDict(extra="forbid")


class Error(Answer):
    """What is wrong."""

    error: Annotated[str, Field(description="what is wrong, and what would be right")]


class Option(Answer):
    """An option of a game."""

    name: str
    kind: Annotated[
        Literal["flag", "number", "choice", "names"],
        Field(description="true or false; a whole number; one of `choices` (or null); names of `choices`, as a list"),
    ]
    choices: list[str]
    default: bool | int | str | list[str] | None
    solo_only: Annotated[bool, Field(description="only tables of one have it")]
    not_solo: Annotated[list[str], Field(description="those of `choices` that tables of one don't have")]
    help: str


class AboutGame(Answer):
    """A game that can be played."""

    name: str
    title: str
    seats: Annotated[list[int], Field(description="least and most players")]
    opponent: Annotated[str | None, Field(description="the automatic opponent of a player alone")]
    point: Annotated[str, Field(description="unit of the score")]
    options: list[Option]


class AboutAgent(Answer):
    """An agent that can be asked to play, or what it thinks."""

    name: Annotated[str, Field(description="how it is asked for, as in `search[:ms=N]`")]
    help: str


class About(Answer):
    """What this server offers."""

    version: str
    games: list[AboutGame]
    agents: list[AboutAgent]


class Topic(Answer):
    """Help on a thing on the board."""

    title: str
    text: str
    source: str


class Seat(Answer):
    """A seat."""

    seat: int
    kind: Literal["here", "invited", "agent"]
    name: str
    taken: Annotated[bool, Field(description="false: the invitation has not been opened yet")]


class Invitation(Answer):
    """An invitation that has not been used."""

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
    stopped: Annotated[str | None, Field(description="why it stands still, or can't be read")]
    to_play: int | None
    decisions: int
    created: Annotated[float, Field(description="seconds since 1970")]
    updated: float
    key: Annotated[str | None, Field(description="of the seats `here`")]
    watch: Annotated[str | None, Field(description="for those who only watch")]
    invitations: list[Invitation]


class Tables(Answer):
    """Some tables, the newest first."""

    tables: list[Summary]
    more: bool


class Taken(Answer):
    """A seat that is yours now."""

    table: str
    key: str
    seat: int


class ViewSeat(Seat):
    """A seat as one of the others sees it."""

    yours: bool


class Action(Answer):
    """A legal action."""

    action: int
    text: str
    short: str
    note: str


class Told(Answer):
    """Something that happened."""

    decisions: Annotated[int, Field(description="by which decision, from 1")]
    who: Annotated[str, Field(description="name of a side, empty: nobody's")]
    text: str
    forced: Annotated[bool, Field(description="the action was forced and played automatically")]


class Score(Answer):
    """The score of a side as if the game ended now."""

    side: str
    low: int
    high: Annotated[int, Field(description="more than `low` where it depends on hidden information")]
    categories: Annotated[dict[str, int], Field(description="of each the least that it may be")]


class View(Answer):
    """A table as you see it."""

    table: str
    game: str
    title: str
    version: Annotated[int, Field(description="changes with everything that happens")]
    seats: list[ViewSeat]
    options: dict[str, Any]
    hides: Annotated[bool, Field(description="whether seats of such games have secrets: a shared screen is passed on")]
    last: Annotated[int, Field(description="decisions taken in the game so far")]
    decisions: Annotated[int, Field(description="decisions that led to what is shown")]
    round: int
    phase: str
    is_over: bool
    to_play: int | None
    your_turn: bool
    thinking: str | None
    stopped: str | None
    legal: list[Action]
    told: list[Told]
    since: Annotated[int, Field(description="what was told with this number of decisions, or more, is new")]
    scores: list[Score]
    places: Annotated[list[int] | None, Field(description="of the sides, 0 is the first; null: it is not over")]
    can_undo: bool


class Variation(View):
    """A position that might come."""

    picture: Annotated[str, Field(description="SVG")]


class Round(Answer):
    """The scores as if the game had ended with a round."""

    round: int
    decisions: int
    scores: Annotated[list[dict[str, int]], Field(description="of each side, points by column")]


class Scores(Answer):
    """The scores over the rounds."""

    sides: list[str]
    columns: list[str]
    rounds: list[Round]


class Value(Answer):
    """What an agent expects of an action."""

    action: int
    text: str
    value: Annotated[float, Field(description="points ahead of the best other side at the end")]


class Analysis(Answer):
    """What an agent expects of the legal actions, best first."""

    agent: str
    seat: Annotated[int, Field(description="the seat to play there, whose values these are")]
    point: str
    values: list[Value]
