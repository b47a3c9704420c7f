# ci
"""sys.path as a program sees it, and what site has."""

import site
import sys

print(sys.path, site.ENABLE_USER_SITE, sys.flags.no_user_site)
