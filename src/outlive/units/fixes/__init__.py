"""Fixes of the user's code that `outlive fix` makes: one file each, found by looking in this folder."""
