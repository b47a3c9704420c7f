"""The crash-proof executor: work in a child that may die, a journal of what is done, a verdict on each death."""
