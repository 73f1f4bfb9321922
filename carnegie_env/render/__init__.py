"""Pictures of a position: as text for a terminal (:mod:`carnegie_env.carnegie.board`)."""
