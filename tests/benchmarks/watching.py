"""What watching costs: a training loop bare, watched, and watched with its ids.

Prints a table for docs/training.md: python tests/benchmarks/watching.py [SECONDS OF A STEP]
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
import time

import torch
from torch.optim.optimizer import _global_optimizer_post_hooks, _global_optimizer_pre_hooks
from torch.utils.data import DataLoader, dataloader

import samplercheck as sc
from samplercheck.training.watch import Passing

STEPS = 200
ITERATOR = dataloader._BaseDataLoaderIter


class Clock:
    """Adds up the time spent in what watching adds to a loop, without what torch does within it.

    Looking at the time takes time as well: what a function that does nothing is said to take is left out.
    """

    def __init__(self):
        self.nothing = self.measure(lambda: None, 0)
        self.begin()

    def begin(self):
        """Count from here."""
        self.seconds = self.idle = 0.0
        self.calls = self.idle_calls = 0

    @property
    def spent(self):
        """Seconds, without those of the clock."""
        return self.seconds - self.calls * self.idle / max(1, self.idle_calls)

    def time(self, holder, name, sign):
        """Count the time of a function from now on, or leave it out of one that is counted."""
        function = getattr(holder, name)
        setattr(holder, name, self.measure(function, sign))

    def measure(self, function, sign):
        """Return a function that is timed."""
        now = time.thread_time

        def timed(*args, **named):
            began = now()
            try:
                return function(*args, **named)
            finally:
                taken = now() - began
                self.seconds += sign * taken
                self.calls += sign != 0
                self.idle += taken if not sign else 0.0
                self.idle_calls += not sign

        return timed

    def leave_torch_out(self):
        """Time what taps call, before they are placed."""
        for holder, name in PLACES:
            self.time(holder, name, -1)

    def time_taps(self):
        """Time taps that are placed, and what hands out batches."""
        for holder, name in (*PLACES[1:], (Passing, "__next__")):  # within it the first of them
            self.time(holder, name, 1)
        for hooks in (_global_optimizer_pre_hooks, _global_optimizer_post_hooks):
            hooks.update({key: self.measure(hook, 1) for key, hook in hooks.items()})


PLACES = ((ITERATOR, "__next__"), (ITERATOR, "_next_index"), (torch.autograd, "backward"))


def work(seconds):
    """Compute for so long, as a step does."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def measure(task, ways, *asked):
    """Return what a task comes to in each of several ways: the least of four rounds.

    In processes of their own, as one that has watched is bare no more; they take turns, so that what else the
    machine does meets all ways.
    """
    context, best = multiprocessing.get_context("fork"), dict.fromkeys(ways, 1e9)
    for how in [*best] * 4:
        receive, send = context.Pipe(duplex=False)
        one = context.Process(target=lambda how=how, send=send: send.send(task(how, *asked)))
        one.start()
        best[how] = min(best[how], receive.recv() * 1e6)
        one.join()
    return best.values()


def time_pass(how, batch_size, workers, seconds, begin=lambda: None, after=lambda: None):
    """Train for two passes; return the seconds of a step of the second on the processor.

    Without what begins a pass; the first also sets things up.
    """
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.arange(float(batch_size * STEPS))
    loader = DataLoader(data, batch_size=batch_size, shuffle=True, num_workers=workers)
    with tempfile.TemporaryDirectory() as folder:
        loader = loader if how == "bare" else sc.watch(loader, folder, exact=how == "exact")
        for _ in range(2):
            began = None
            for batch in loader:
                if began is None:
                    began = time.process_time()
                    begin()
                model(batch[:1].reshape(-1, 1)).sum().backward()
                optimizer.step()
                after()
                work(seconds)
        return (time.process_time() - began) / (STEPS - 1)


def time_taps(how, batch_size, workers, seconds):
    """Return the seconds of a step that are spent in what watching adds to a loop, within the loop."""
    clock, passes = Clock(), []
    clock.leave_torch_out()

    def begin():
        passes.append(1)
        if len(passes) == 1:
            clock.time_taps()
        clock.begin()

    time_pass(how, batch_size, workers, seconds, begin, clock.nothing)
    return clock.spent / (STEPS - 1)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 0.005
    torch.set_num_threads(1)
    print(f"{os.cpu_count()} cores, of which {os.getloadavg()[0]:.1f} were busy before", flush=True)
    print("| batch | workers | bare | watched | with ids |\n| --- | --- | --- | --- | --- |", flush=True)
    sizes = [(size, workers) for workers in (0, 4) for size in (1, 32, 256)]
    for size, workers in sizes:
        bare, watched, exact = measure(time_pass, ("bare", "watched", "exact"), size, workers, seconds)
        rows = [f"{one:,.0f} us ({one - bare:+,.0f}, {one / bare - 1:+.1%})" for one in (watched, exact)]
        print(f"| {size} | {workers} | {bare:,.0f} us | {rows[0]} | {rows[1]} |", flush=True)
    print("Of this, in what watching adds:", flush=True)
    print("| batch | workers | watched | with ids |\n| --- | --- | --- | --- |", flush=True)
    for size, workers in sizes:
        rows = [f"{one:,.0f} us" for one in measure(time_taps, ("watched", "exact"), size, workers, seconds)]
        print(f"| {size} | {workers} | {' | '.join(rows)} |", flush=True)


if __name__ == "__main__":
    main()
