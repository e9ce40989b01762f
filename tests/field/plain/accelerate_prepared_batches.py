"""accelerate: the set_epoch of a prepared loader does not reach a batch sampler's own on two processes."""

import sys

import torch
from accelerate.data_loader import prepare_data_loader
from torch.utils.data import DataLoader


class Own:
    batch_size, drop_last, epoch = 2, False, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return 4

    def __iter__(self):
        order = torch.randperm(8, generator=torch.Generator().manual_seed(self.epoch))
        return iter(order.view(4, 2).tolist())


loader = prepare_data_loader(DataLoader(range(8), batch_sampler=Own()), num_processes=2, process_index=0)
orders = []
for epoch in range(4):
    loader.set_epoch(epoch)
    orders.append([batch.tolist() for batch in loader])
print("four epochs:", *orders)
SC301 = orders.count(orders[0]) == 4
sys.exit(SC301)
