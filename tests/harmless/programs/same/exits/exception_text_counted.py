# ci
# status: 1
"""The text of the exception that ends the program is made once."""


class Odd(Exception):
    asked = 0

    def __str__(self):
        Odd.asked += 1
        print("asked", Odd.asked, flush=True)
        return "odd"


raise Odd
