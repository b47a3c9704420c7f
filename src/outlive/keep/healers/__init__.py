"""Remedies that need no change of code: one file each, with the causes of death that it serves. Found by looking in this folder.

``SLUGS`` names the causes; ``heal(case)`` gives the change for the next attempt, or nothing when it would not help here.
"""
