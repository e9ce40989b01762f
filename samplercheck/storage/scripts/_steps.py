"""What ranks do in scripts, as text: the lines of one rank, with ``$names`` that a case fills in.

Filled in by ``Filling``; ``_values.py`` says what stands for a name. A line that begins with ``name?`` or
``not name?`` is there only if that holds. All other names are variables of the script. A heading says
which ranks take the lines, in which list a script finds what each took (``pairs``: the passes ``first`` and
``second``), what is printed and what each took. What has a bare heading is a piece of others.
"""

from __future__ import annotations

from samplercheck.storage.scripts._runs import RUNS
from samplercheck.storage.scripts._sections import read_steps, sections

TEXT = r"""
[take_epoch] share | passes
$walk(taken, until)
[take_raw] share | passes
$walk(taken, until, $raw)
[take_to_the_cap] share | passes
$walk(taken, until, $capped)
[take_everywhere] world | passes
$walk(taken, until)
[take_replicas] replicas | passes
$walk(taken, until)
[take_epochs] share | passes
$collect(taken, course)
[take_up_to] share | passes
later? $collect(taken, until)
not later? $walk(taken, until)
[take_many] share | passes
$collect(taken, many)
[walk_on] share | passes
$seed
$build
$begin(0)
taken = $read($name, $many_laps)
[walk_late] share | passes
$seed
$build
$begin(0)
taken = $read($name, $many_laps)
taken = taken[len(taken) // 6 :]  # what gets lost has come in the first laps
[build_again] one | pairs
$walk(first, until)
$launch
$seed(1000)
$unseeded(second, until)
[take_twice] alike | pairs
$walk(first, zero)
second = $read
three_times? second = second if second != first else $read
[interleave] alike | pairs
$walk(first, zero)
$build
$begin(0)
one = iter($name)
late? second, beside = $read(one, 1), []
not late? second, beside = [], []
other = iter($name)
for _ in range(2):
    second += $read(one, 1)
    beside += $read(other, 1)
beside += $read(other, $open_left)
second += $read(one, $open_left)
exact? second = second if second != first else beside
not exact? first, second = first * 2, second + beside
[stand_beside] alike | pairs
$walk(first, until)
$build
$begin($beside)
$shorter
steps = iter($name)
second = $read(steps, 1)
list(other)
second += $read(steps)
goes_further? $begin($set_epoch)
goes_further? second = $read
[give_up] alike | pairs
$walk(first, zero)
begins_later? first = $read
$build
$begin(0)
late? list($name)  # a whole pass comes first
gives_up_often? for _ in range($given_up): $read($name, $quarter)  # a pass that is abandoned
one_walk? second = $read($name, $quarter - 1)  # a pass that is abandoned
one_walk? second += $read
one_walk? second = second[: len(first)]
not one_walk? not gives_up_often? $read($name, $quarter)  # a pass that is abandoned
not one_walk? second = $read
[pickle] alike | pairs
$seed
$build
$begin($copied_in)
parts? first = second = len(pickle.dumps(($name.dataset, $name.collate_fn, $name.worker_init_fn)))
not parts? copied = pickle.loads(pickle.dumps($name))
not parts? second = $read(copied)
not parts? first = $read
[jump] one | pairs
$walk(first, until)
$walk(second, jumps)
[compare_with_torch] one | pairs
$walk(taken, until)
second = $flat(taken)
settings = {"shuffle": $shuffled, "seed": $seed_value, "drop_last": $drops}
reference = DistributedSampler(range($n), $places, $own_place, **settings)
reference.set_epoch($set_epoch)
first = list(reference)
by_batch? first, second = first[: len(second)], second[: len(first)]
cut? first = first if first == second else first[: len(first) // $size * $size]
[ask_length] one | - | taken} with lengths {said
$seed
$build
said = [len($name)]
for epoch in range($next_epoch):
    $begin(epoch)
    said = said * (epoch == 0) + [len($name)]
    taken = $read
    not advances? said.append(len($name))
[ask_often] one | - | first} and {second} with lengths {said
$walk(first, until)
$seed
$build
len($name)
for epoch in range($next_epoch):
    $begin(epoch)
    said = [len($name), len($name)]
    second = $read
    not advances? said.append(len($name))
[change_seed] one | - | orders
orders = []
for seed in $seeds:
    $build(seed=seed)
    $collected(taken, few)
    orders.append(taken)
[change_argument] world | pairs
$collect(first, turns)
$turned
$collected(second, turns)
[watch_generator] one | - | moved
before = $state
$build
not drawn? $collected(taken, course)
moved = $state != before
[watch_open_pass] one | - | moved
$build
$begin(0)
before = $state
steps = iter($name)
next(steps, None)
moved = $state != before
[wrap] wrapped | passes
inner = $watched
before = $settings
$build_around
for epoch in range($next_epoch):
    untold? inner.set_epoch(epoch)
    $begin(epoch)
    goes_by_itself? at = $inside.epoch
    taken = $read
goes_by_itself? $inside.epoch = at
ordered? order = $flat(list(inner))
ordered? taken = [order.index(one) for one in $flat(taken)]
keeps_epoch? found = $inside.epoch
changes? found = $settings != before$or_spoilt
[wrap_plain] one | - | reached
inner = BatchSampler($inner_alone, $size, $drops)
$build_around
$begin(1)
next(iter($name), None)
reached = inner.sampler.epoch
[count_inner] one | pairs
first, second = [], []
for asked in (first, second):
    inner = $watched
    $build_around
    for epoch in range($next_epoch):
        untold? inner.set_epoch(epoch)
        $begin(epoch)
        asked.append($read)
        if asked is second:
            len($name)
[offer_nonsense] one | - | accepted
accepted = []
$offers
    try:
        $offered
        accepted.append($offered_values)
    except Exception as error:
        print(f"refused: {error}")
[count_strays]
seen = Counter($all)
strays, padded = 0, (seen - $due).total()
for taken in passes:
    ends, items = [], $opened_pass
    for item in items:
        ends[(place := bisect_right(ends, item)) : place + 1] = [item]
    again_in_laps? strays += min(len(items) - len(ends), max(0, $falls))
    not again_in_laps? strays += len(items) - len(ends)
"""

STEPS = {name: read_steps(heading, lines) for name, heading, lines in sections(TEXT + RUNS) if heading}
PIECES = {name: lines for name, heading, lines in sections(TEXT + RUNS) if not heading}
