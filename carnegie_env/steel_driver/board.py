"""x"""
from typing import Any
def board(position: Any, width: int) -> str:
    return position.to_json()
