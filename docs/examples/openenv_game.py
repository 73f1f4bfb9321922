"""OpenEnv: a server, and its generic client for two players. `pip install openenv`"""

import random
import threading
import time

import uvicorn
from openenv.core.generic_client import GenericEnvClient

from carnegie_env.text.for_openenv import make_app

app = make_app(options={"num_players": 2}, seats="all", style="compact")
server = uvicorn.Server(uvicorn.Config(app, port=8765, log_level="error"))
threading.Thread(target=server.run, daemon=True).start()
while not server.started:
    time.sleep(0.1)
with GenericEnvClient(base_url="http://127.0.0.1:8765").sync() as env:
    found = env.reset(seed=3)
    while not found.done:
        legal = found.observation["text"].split("Your legal actions:\n")[1].split("\n\n")[0]
        answer = random.choice(legal.replace(" | ", "\n").splitlines())  # a model's answer to the text
        found = env.step({"text": f"Action: {answer}"})
    print(found.observation["rewards"])
