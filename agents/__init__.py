"""Players of Carnegie behind one small interface, :class:`agents.base.Agent`, and a program that lets them play."""
