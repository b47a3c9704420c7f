"""A class below Popen with its own methods."""

import subprocess


class Mine(subprocess.Popen):
    def wait(self, timeout=None):
        print("waiting")
        return super().wait(timeout)

    def send_signal(self, number):
        print("sending", number)
        return super().send_signal(number)


child = Mine(["sleep", "60"])
child.terminate()
print(child.wait())
