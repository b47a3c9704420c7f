"""A module that is not there is not there."""

for name in (
    "sitecustomize",
    "usercustomize",
    "notes",
    "agent",
    "hooks",
    "inside",
    "journal",
):
    try:
        __import__(name)
        print(name, "is there")
    except ImportError as error:
        print(error, error.name)
