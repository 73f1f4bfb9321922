"""A process with agents whose rules are compiled, for one whose rules are not: see :mod:`carnegie_env.cli.beside`."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import traceback
from typing import IO, Any

from carnegie_env.cli.common import make_agent


def main(questions: IO[bytes], answers: IO[bytes]) -> None:
    """Answer until there are no more questions: what is asked, of which agent (its name, or its number), about what.

    An answer is (True, what came of it), or (False, why not).
    """
    agents: list[Any] = []
    while True:
        try:
            what, which, about = pickle.load(questions)
        except EOFError:
            return
        try:
            if what == "make":
                agents.append(make_agent(which, about))
                answer: Any = True, len(agents) - 1
            elif what == "warm_up":
                answer = True, make_agent(which, 0).act(about)  # another one: what it draws is not this one's
            else:
                answer = True, getattr(agents[which], what)(about)
        except ValueError as error:
            answer = False, str(error)
        except Exception as error:
            traceback.print_exc()
            answer = False, f"{type(error).__name__}: {error}"
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other one says when to end
    private = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what agents print does not get between the answers
    main(sys.stdin.buffer, private)
