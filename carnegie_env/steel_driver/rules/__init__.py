"""The rules of Steel Driver, a module for each chapter of the rulebook."""
