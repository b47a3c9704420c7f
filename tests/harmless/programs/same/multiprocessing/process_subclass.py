"""A class below Process with its own run."""

import multiprocessing

context = multiprocessing.get_context("fork")


class Worker(context.Process):
    def run(self):
        print("running", self.name, flush=True)
        super().run()


if __name__ == "__main__":
    worker = Worker(target=print, args=("target",), kwargs={"flush": True}, name="own")
    worker.start()
    worker.join()
    print(worker.exitcode, Worker.__mro__[1].__name__)
