"""`outlive fix`: the remedy of a verdict as a patch of the user's code, run again in a copy before it is offered."""
