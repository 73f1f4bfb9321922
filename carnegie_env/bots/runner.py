"""The program inside the sandbox: `runner.py FILE CPU MEMORY` sets its limits, then runs a bot.

A file that ends in .py is loaded, and its function `act(observation, legal_actions)` answers every line. Any other file
is executed in place of this program. The limits can't be raised again. CPU in s and MEMORY in MB; 0: no limit.
"""

import json
import os
import sys
import traceback
from typing import Any


def limit(cpu: int, memory: int) -> None:
    import resource

    wanted = {"RLIMIT_CORE": 0, "RLIMIT_FSIZE": 0, "RLIMIT_NOFILE": 32, "RLIMIT_CPU": cpu, "RLIMIT_AS": memory << 20}
    for name, value in wanted.items():
        resource.setrlimit(getattr(resource, name), (value, value))


def main() -> None:
    """Run the bot until the input ends."""
    file, cpu, memory = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if cpu:
        limit(cpu, memory)
    if not file.endswith(".py"):
        try:
            os.execv(file, [file])
        except OSError as wrong:  # not executable, or without its interpreter
            sys.stdin.readline()
            print(json.dumps({"error": f"it can't be executed: {wrong.strerror}"}))
            return
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the bot prints is not an answer
    found: dict[str, Any] = {"__name__": "bot", "__file__": file}
    error = None
    try:
        with open(file, encoding="utf-8") as opened:
            exec(compile(opened.read(), os.path.basename(file), "exec"), found)
    except BaseException:
        error = traceback.format_exc()
    for line in sys.stdin:
        question = json.loads(line)
        try:
            if error is None:
                answer = {"action": found["act"](question["observation"], question["legal_actions"])}
            else:
                answer = {"error": error[-4000:]}
            text = json.dumps(answer)
        except BaseException:
            text = json.dumps({"error": traceback.format_exc()[-4000:]})
        out.write(text + "\n")
        out.flush()


if __name__ == "__main__":
    main()
