"""epoll tells of what is ready and of nothing else."""

import os
import select

read_end, write_end = os.pipe()
poll = select.epoll()
poll.register(read_end, select.EPOLLIN)
print(poll.poll(0.3))
os.write(write_end, b"x")
print([(number == read_end, event) for number, event in poll.poll(5)])
