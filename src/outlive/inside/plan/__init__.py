"""`outlive plan`: what a program's pipelines or a model would take, found out in a child of the user's Python."""
