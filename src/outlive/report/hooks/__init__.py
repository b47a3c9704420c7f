"""Others that are told of a death: commands, GitHub."""
