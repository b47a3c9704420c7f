"""Remedies of `outlive run --heal` that need no change of code: one file each, found by looking in this folder."""
