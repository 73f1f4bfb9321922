"""The arguments after the colon of an agent's name, such as `search:ms=50,threads=2`."""

from __future__ import annotations

import math


class Arguments:
    """The arguments of one agent. Read each of them once, then call :meth:`check_all_known`.

    Args:
        agent: the agent's name, for messages.
        text: comma-separated pairs `name=value`. A part without `=` is the value of ``unnamed``.
        unnamed: the name of such a part.

    Raises:
        ValueError: malformed text, or a name given twice.
    """

    def __init__(self, agent: str, text: str, unnamed: str = "network") -> None:
        self.agent = agent
        self._known: list[str] = []
        self._given: dict[str, str] = {}
        for part in text.split(",") if text else []:
            name, equals, value = part.partition("=")
            if not equals:
                name, value = unnamed, part
            name = name.strip()
            if name in self._given or not value.strip():
                wrong = "is given twice" if name in self._given else "needs a value"
                raise ValueError(f"{agent}:{text}: {name!r} {wrong}; write {agent}:name=value,name=value")
            self._given[name] = value.strip()

    def text(self, name: str) -> str | None:
        """A text; None if it was not given."""
        self._known.append(name)
        return self._given.get(name)

    def number(self, name: str, least: float, most: float = math.inf) -> float | None:
        """A finite number; None if it was not given."""
        given = self.text(name)
        if given is None:
            return None
        try:
            value = float(given)
        except ValueError:
            value = math.nan
        if not least <= value <= most or value == math.inf:
            to = f"of {least:g} or more" if most == math.inf else f"from {least:g} to {most:g}"
            raise ValueError(f"{self.agent}: {name} must be a number {to}, not {given[:80]!r}")
        return value

    def whole(self, name: str, most: int = 2**62, least: int = 1) -> int | None:
        """A whole number of ``least`` or more; None if it was not given."""
        given = self.text(name)
        if given is None:
            return None
        if not (given.isascii() and given.isdecimal() and len(given) < 20) or not least <= int(given) <= most:
            to = f"of {least} or more" if most == 2**62 else f"from {least} to {most}"
            raise ValueError(f"{self.agent}: {name} must be a whole number {to}, not {given[:80]!r}")
        return int(given)

    def check_all_known(self) -> None:
        """Raise a ValueError for an argument that was never read."""
        for name in self._given:
            if name not in self._known:
                raise ValueError(
                    f"{self.agent} has no argument {name[:80]!r}; its arguments are {', '.join(self._known)}"
                )
