"""Object detection over folders, lists and videos, on top of ``keep``. (Not ``detect``: that is a function of ``outlive``.)"""
