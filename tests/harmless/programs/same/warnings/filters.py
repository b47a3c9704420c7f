"""The filters at the start."""

import warnings

print(warnings.filters, warnings.showwarning.__name__)
