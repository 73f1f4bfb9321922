"""OpenEnv: a server, and its generic client for two players. `pip install openenv`"""

import random
import threading

import uvicorn
from openenv.core.generic_client import GenericEnvClient

from carnegie_env.text.for_openenv import make_app

app = make_app(options={"num_players": 2}, seats="all", style="compact")
threading.Thread(target=uvicorn.run, args=(app,), kwargs={"port": 8765, "log_level": "error"}, daemon=True).start()
with GenericEnvClient(base_url="http://127.0.0.1:8765").sync() as env:
    found = env.reset(seed=3)
    while not found.done:
        legal = found.observation["text"].split("Your legal actions:\n")[1].split("\n\n")[0]
        answer = random.choice(legal.replace(" | ", "\n").splitlines())  # a model's answer to the text
        found = env.step({"text": f"Action: {answer}"})
    print(found.observation["rewards"])
