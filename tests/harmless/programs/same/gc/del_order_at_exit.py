"""Module globals are destroyed in the usual order at the end."""


class Named:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name, flush=True)


b, a, _private = Named("b"), Named("a"), Named("_private")
