"""What ranks do in scripts that are resumed, have workers or form a group, as text like that of the steps."""

from __future__ import annotations

RUNS = r"""
[resume] one | - | done} and then {rest
one_epoch? $walk(whole, until)
not one_epoch? $collect(whole, whole)
$start
steps = iter($name)
done = $read(steps, $stop)
at_end? next(steps, None)  # reaches the end of the pass
$save
saved_again? for _ in range(2):  # loads, and saves again before the first step
saved_again?     $seed(77_000)
saved_again?     $build(epoch=$epoch_told)
saved_again?     $name.load_state_dict(state)
saved_again?     state = copy.deepcopy($name.state_dict())
disturbed? $build(other)
disturbed? $begin(0, other)
disturbed? list(other), other.state_dict()
afresh? $define(go_on)
afresh? rest = multiprocessing.get_context("spawn").Pool(1).apply(go_on, ($rank, state))
not afresh? $load
asks_length? len($name)
not afresh? rest = $read($name, $left)
needs_next? $go_to_next
needs_next? following = $read
says? said = len($name)
[resume_often] one | - | done} and then {rest
one_epoch? $walk(whole, until)
not one_epoch? $collect(whole, whole)
$start
done = []
for stop in $stops:
    steps = iter($name)
    done += $read(steps, stop - len(done))
    $save
    $load
rest = $read($name, $left)
[change_world] loops | - | -
$stop_all
for rank in range($new_world):
    consumes? $build(rank=rank, world_size=$new_world, consumed=states[rank % $world])
    not consumes? $build(rank=rank, world_size=$new_world, epoch=$epoch_told)
    not consumes? $name.load_state_dict(states[rank % $world])
    not by_argument? $begin($epoch)
    after.append($read)
    next? $begin($next_epoch, rank=rank, world_size=$new_world)
    next? second.append($read)
    next? $build(rank=rank, world_size=$new_world)
    next? skips? for _ in range($next_epoch):
    next? skips?     list($name)
    next? $begin($next_epoch, rank=rank, world_size=$new_world)
    next? first.append($read)
print(f"$world ranks took {before} and then $new_world ranks {after}")
[move_state] loops | - | -
$stop_all
warnings.simplefilter("error", UserWarning)  # a warning counts as a refusal
try:
    for rank in range($new_world):
        $elsewhere
        $name.load_state_dict(states[$saved_by])
        $begin($epoch)
        after.append($read)
except Exception as error:
    sys.exit(print(f"refused: {error}"))
print(f"$world ranks took {before} and, with the state loaded elsewhere, {after}")
[use_workers] joined | ways | alone} and with workers {loaded | (alone, loaded)
$alone
$collected(alone, loaded)
$with_workers
loaded = []
for epoch in range($loaded_epochs):
    $begin(epoch)
    loaded.append($read($opened))
[resume_loader] one | - | done} and then {rest
$with_workers
$begin(0)
whole = $read(loader)
$with_workers
$begin(0)
steps = iter(loader)
done = $read(steps, $first_stop)
state = copy.deepcopy(loader.state_dict())
$with_workers
loader.load_state_dict(state)
$begin(0)
rest = $read(loader)
[draw] share | passes | len(taken)} passes, at first {taken[0]
moves? $collect(taken, course)
not moves? taken = []
not moves? for seed in $other_seeds:
not moves?     $build(seed=seed)
not moves?     taken.append($read)
[step_together] one | - | more
$seed
$build
for epoch in range($next_epoch):
    $begin(epoch)
    steps, more = iter($name), [True]
    while all(more):
        more = [torch.zeros(1) for _ in range($world)]
        torch.distributed.all_gather(more, torch.tensor([float(next(steps, None) is not None)]))
[leave_out_place] one | pairs
$walk(first, zero)
$build(rank=None, world_size=None)
$begin(0)
second = $read
[stop_all]
next? before, states, after, first, second = [], [], [], [], []
not next? before, states, after = [], [], []
for rank in range($world):
    $start
    steps = iter($name)
    before.append($read(steps, $step))
    consumes? states.append($consumed(before[-1]))
    not consumes? states.append(copy.deepcopy($name.state_dict()))
[start]
$seed
$build(epoch=$epoch_told)
skips? for _ in range($epoch):
skips?     list($name)
not by_argument? $begin($epoch)
looked_at? next(iter($name), None)  # a look at the first step; this pass is given up
looked_at? not by_argument? $begin($epoch)
[save]
consumes? state = $consumed(done)
plain_state? state = copy.deepcopy($name.state_dict())
saved? torch.save($name.state_dict(), file := io.BytesIO())
saved? state = torch.load(io.BytesIO(file.getvalue()), weights_only=True)
[load]
$seed(77_000)
counts_epochs? epoch = $epoch + (done == whole[$epoch] != [])
consumes? $build(consumed=state, epoch=$epoch_told)
not consumes? $build(epoch=$epoch_told)
epoch_first? $begin($epoch)
counted_first? len($name)
not consumes? $name.load_state_dict(state)
twice? $name.load_state_dict(state)
counts_epochs? not by_argument? $begin(epoch)
not counts_epochs? not by_argument? $begin($target_epoch)
[go_to_next]
by_argument? $build(epoch=$next_epoch)
not by_argument? $begin($next_epoch)
[alone]
$seed
$build(num_workers=0)
torch_loader? vars(loader).update(num_workers=0, prefetch_factor=None, persistent_workers=False)
[with_workers]
$seed
$build(num_workers=$workers)
torch_loader? vars(loader).update($how)
hidden_loader? for part in vars(loader).values():
hidden_loader?     if isinstance(part, DataLoader) and part.num_workers:
hidden_loader?         vars(part)["num_workers"] = $workers
streams? loader = DataLoader($name, batch_size=None, $how)
wraps_batches? loader = DataLoader(range($n), batch_sampler=$name, collate_fn=list, $how)
loads_samples? loader = DataLoader(range($n), batch_size=2, sampler=$name, collate_fn=list, $how)
[go_on]
def go_on(rank, state):
    $load
    return $read
"""
