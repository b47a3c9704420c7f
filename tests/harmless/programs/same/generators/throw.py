"""throw and close go to the generator's line."""


def numbers():
    while True:
        try:
            yield 1
        except ValueError as error:
            print("got", error)


kept = numbers()
next(kept)
print(kept.throw(ValueError("thrown")), kept.close(), kept.gi_frame)
