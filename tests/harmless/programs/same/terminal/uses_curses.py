# terminal: leader
"""curses draws its screen."""

import curses


def main(screen):
    screen.addstr(2, 3, "on the screen")
    screen.refresh()
    return screen.getmaxyx()


try:
    print(curses.wrapper(main))
except curses.error as error:
    print(error)
