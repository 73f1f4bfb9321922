"""Steel Driver: its referee, and the tests of the game itself."""
