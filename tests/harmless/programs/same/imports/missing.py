# status: 1
"""The trace of a module that is not there has one frame."""

import a_module_that_is_not_there
