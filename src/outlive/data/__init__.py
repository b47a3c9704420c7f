"""Files of data: their formats, their faults, and the scan of whole sets."""
