"""Pictures of positions: SVG, PNG, films, windows."""
