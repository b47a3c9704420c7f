"""Ask the rules of many files, and mend what can be mended."""
