"""A job of PyTorch: every step is an all-reduce by gloo."""

import os

import faults
import torch
import torch.distributed

torch.distributed.init_process_group("gloo")
rank = torch.distributed.get_rank()
for step in range(10):
    faults.strike(os.environ["RANK"], step)
    gradient = torch.ones(1000)
    torch.distributed.all_reduce(gradient)  # <- step
torch.distributed.destroy_process_group()
