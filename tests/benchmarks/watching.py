"""What watching costs: a training loop bare, watched, and watched with its ids.

Prints a table for docs/training.md: python tests/benchmarks/watching.py [SECONDS OF A STEP]
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
import time
from pathlib import Path

import torch
from torch.utils.data import DataLoader

import samplercheck as sc
from samplercheck.training.ids import ids_of_index
from samplercheck.training.recorder import Recorder
from samplercheck.training.taps import choose_parameters, weigh
from samplercheck.training.watch import traits_of

STEPS = 200


def work(seconds):
    """Compute for so long, as a step does."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def measure(batch_size, workers, seconds):
    """Return the seconds of a step on the processor, bare, watched and with ids, without what begins a pass.

    Each is the best of four passes, in processes of their own, as one that has watched is bare no more; they
    take turns, so that what else the machine does meets all three.
    """
    context, best = multiprocessing.get_context("fork"), dict.fromkeys(("bare", "watched", "exact"), 1e9)
    for how in [*best] * 4:
        receive, send = context.Pipe(duplex=False)
        one = context.Process(target=take_pass, args=(send, how, batch_size, workers, seconds))
        one.start()
        best[how] = min(best[how], receive.recv())
        one.join()
    return best.values()


def take_pass(send, how, batch_size, workers, seconds):
    """Train for two passes, and send the seconds of a step of the second: the first also sets things up."""
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.arange(float(batch_size * STEPS))
    loader = DataLoader(data, batch_size=batch_size, shuffle=True, num_workers=workers)
    with tempfile.TemporaryDirectory() as folder:
        loader = loader if how == "bare" else sc.watch(loader, folder, exact=how == "exact")
        for _ in range(2):
            began = None
            for batch in loader:
                began = began or time.process_time()
                model(batch[:1].reshape(-1, 1)).sum().backward()
                optimizer.step()
                work(seconds)
        send.send((time.process_time() - began) / (STEPS - 1))


def measure_alone(batch_size, *, exact):
    """Return the seconds of what is done for one step, without loader and model: the best of seven rounds."""
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    model(torch.ones(1, 1)).backward()
    chosen, index = choose_parameters(optimizer), torch.randperm(10**6)[:batch_size].tolist()
    traits = {**traits_of(DataLoader(range(4))), "ids": "sampler"}
    best = float("inf")
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(Path(folder), "alone", exact=exact, traits=traits)
        recorder.begin(0, None)
        for _ in range(7):
            began = time.process_time()
            for _ in range(1000):
                recorder.deliver(ids_of_index(index))
                recorder.hear_backward()
                recorder.hear_step(weigh(chosen))
            best = min(best, (time.process_time() - began) / 1000)
        recorder.end(1, STEPS, is_whole=True)
    return best


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 0.005
    torch.set_num_threads(1)
    print(f"{os.cpu_count()} cores, of which {os.getloadavg()[0]:.1f} were busy before", flush=True)
    print("| batch | workers | bare | watched | with ids |\n| --- | --- | --- | --- | --- |", flush=True)
    for workers in (0, 4):
        for size in (1, 32, 256):
            bare, watched, exact = (one * 1e6 for one in measure(size, workers, seconds))
            rows = [f"{one:,.0f} us ({one - bare:+,.0f}, {one / bare - 1:+.1%})" for one in (watched, exact)]
            print(f"| {size} | {workers} | {bare:,.0f} us | {rows[0]} | {rows[1]} |", flush=True)
    # Last, as a process that has computed gradients must not be forked.
    print("| batch | watched | with ids |\n| --- | --- | --- |")
    for size in (1, 32, 256):
        alone = [f"{measure_alone(size, exact=exact) * 1e6:,.0f} us" for exact in (False, True)]
        print(f"| {size} | {' | '.join(alone)} |", flush=True)


if __name__ == "__main__":
    main()
