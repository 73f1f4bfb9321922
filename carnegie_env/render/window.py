"""A window for `render_mode="human"`. Needs the extra `pictures`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.render.needed import PicturesNotInstalled


class Window:
    """A window that opens with its first picture.

    A process has only one window, because pygame has one. Copies (by ``copy``, ``deepcopy`` or ``pickle``) are closed.

    Args:
        title: the window's title.
        fps: the most pictures per second; :meth:`show` waits accordingly.
    """

    def __init__(self, title: str, fps: float) -> None:
        self._title = title
        self._fps = fps
        self._surface: Any = None
        self._clock: Any = None

    def show(self, frame: NDArray[np.uint8]) -> None:
        """Show a picture, uint8 (height, width, 3), until the next one.

        Raises:
            PicturesNotInstalled: without the extra.
            RuntimeError: no window can be opened on this machine.
        """
        pygame = _pygame()
        size = frame.shape[1], frame.shape[0]
        if self._surface is None or self._surface.get_size() != size:
            try:
                pygame.display.init()
                self._surface = pygame.display.set_mode(size)
            except pygame.error as error:
                wanted = "use render_mode='rgb_array', or set SDL_VIDEODRIVER=dummy"
                raise RuntimeError(f"no window can be opened ({error}); {wanted}") from None
            pygame.display.set_caption(self._title)
            self._clock = pygame.time.Clock()
        self._surface.blit(pygame.surfarray.make_surface(frame.swapaxes(0, 1)), (0, 0))
        pygame.event.pump()
        self._clock.tick(self._fps)
        pygame.display.flip()

    def close(self) -> None:
        """Close the window if it is open."""
        if self._surface is not None:
            _pygame().display.quit()
            self._surface = self._clock = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Window, (self._title, self._fps)


def _pygame() -> Any:
    try:
        import pygame
    except ModuleNotFoundError:
        raise PicturesNotInstalled("pygame") from None
    return pygame
