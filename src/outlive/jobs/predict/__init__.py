"""Any model or function over many inputs, in a worker that may die: ``outlive.predict``."""
