"""What scripts ask of what the ranks took, as text: lines before it, ``if`` conditions, and what to ``say``.

Read by the table, and filled in like the steps. Of several conditions one is enough. What a contract
tolerates stands in it as a number.
"""

from __future__ import annotations

from samplercheck.storage.scripts._sections import sections

TEXT = r"""
[failure]
[missing]
seen = Counter($all)
missing = $due - seen
by_group? lost = $per_group(missing)
by_group? if max(lost.values(), default=0) > $round_spare
not by_group? if missing.total() > $may_lack
say in epoch $epoch samples are missing: {sorted(missing)}
[repeated]
not endless? seen = Counter($all)
endless? seen = Counter(chain(*[$flat(taken)[:$lap] for taken in passes]))
often = seen - $allowed
padded_groups? more = $per_group(often)
padded_batches? again = $repeated_batches
padded_batches? left = often - Counter(chain(*again.elements()))
if $too_often
say in epoch $epoch samples come too often: {sorted(often)}
[total]
seen = Counter($all)
grouped? more, less = $per_group(surplus), $per_group(lack)
by_steps? steps, often = sum(map(len, passes)), seen - $due
by_steps? again = $repeated_batches
counted? if seen.total() != $total
grouped? if any($more[one] - $less[one] not in range($wide) for one in more | less)
by_steps? if steps % $places
whole? if seen.total() > $appearances and again.total() >= $places
counted? say epoch $epoch has {seen.total()} samples and should have $total
not counted? say epoch $epoch has {seen.total()} samples: some come too often, or not often enough
[strange]
strange = [one for one in $all if not 0 <= one < $n or torch.as_tensor(one).is_floating_point()]
if strange
say in epoch $epoch these are no indices of the dataset: {strange}
[never_seen]
missing = set(range($n)) - set($all_epochs)
if missing
say no epoch yields the samples {sorted(missing)}
[missing_of_cycle]
missing = set(range($n)) - {one for taken in passes for epoch in taken[-$cycle:] for one in $flat(epoch)}
if len(missing) > $cycle_may_drop
say no rank yields the samples {sorted(missing)} in $cycle epochs together
[other_part]
first, last = [{one for taken in passes for one in $flat(taken[at])} for at in (0, -1)]
if first != last
say epoch 0 holds the samples {sorted(first)}, and epoch $epoch {sorted(last)}
[copies]
seen = Counter($all)
missing, often = $due - seen, seen - $due
spread? beyond = [(Counter($flat(taken)) - $most_here).total() for taken in passes]
if missing.total() > $losable or often.total() > $padding
spread? if sum(beyond) > $padding
say in epoch $epoch not every sample comes $repeats times, on different ranks: {passes}
[uneven]
batched? steps = [len(taken) for taken in passes]
samples = [len($flat(taken)) for taken in passes]
batched? if max(steps) - min(steps) > $keeps
fixed? if $uneven_samples
fills_all? if not min(samples)
batched? say in epoch $epoch the ranks take {steps} steps with {samples} samples
not batched? say in epoch $epoch the ranks take {samples} samples
[uneven_steps]
sizes = [[len(batch) for batch in taken$but_last] for taken in passes]
uneven = [row for row in itertools.zip_longest(*sizes) if len({*row} - {None}) > 1]
if uneven
say in a step of epoch $epoch the batches of the ranks have {uneven[0]} samples
[unequal]
members? first = sorted($all_first)
members? second = sorted($all_second)
not as_many? if first != second
as_many? if len(first) != len(second)
members? say all ranks together yield {second} and should yield {first}
not members? say rank $rank_value yields {second} and should yield {first}
[same]
if first == second
say after a pass that was abandoned rank $rank_value yields the order of that pass again: {second}
[ignored]
if all(first == second for first, second in pairs)
say $argument has no effect
[wrong_length]
if {*said} != {len(taken)}
say len() of rank $rank_value is {said} and the pass has {len(taken)} steps
[other_length]
if said[-1] != $torch_length
say len() is {said[-1]}, and that of torch's DistributedSampler is $torch_length
[drifting]
if len({*said}) > 1 or first != second
say len() of rank $rank_value is {said}, the pass then {second}; without a call of len() it is {first}
[still]
orders = {str(epoch) for epoch in zip(*passes)}
recurs? if len(orders) < $course_length
not recurs? if len(orders) == 1
say $course_length epochs should differ in order; different orders: {len(orders)}
[turned]
first, *later = passes[0]
if all(epoch in [first[at:] + first[:at] for at in range(len(first))] for epoch in later)
say every epoch is one order, begun at another place: {passes[0]}
[same_laps]
in_turn? walks = [list(chain(*zip(*passes)))]
not in_turn? walks = [$flat(taken) for taken in passes]
sizes = [range(1, len(walk) // $laps_compared + 1) for walk in walks]
same = [any(walk[n:] == walk[:-n] for n in some) for walk, some in zip(walks, sizes)]
if all(same) and len({*walks[0]}) > 1
say every lap through the dataset has the same order: {walks[0][:$most_shown]}
[same_shares]
shares = [[set($flat(epoch)) for epoch in taken] for taken in passes]
if all(share == one[0] for one in shares for share in one)
say each rank gets the same samples in every epoch
[same_batches]
batches = [sorted(map(sorted, chain(*epoch))) for epoch in zip(*passes)]
if all(one == batches[0] for one in batches)
say the same samples share a batch in every epoch
[same_orders]
if all(order == orders[0] for order in orders)
say other seeds give the same order: {orders[0]}
[disorder]
strays? $count_strays
strays? if strays > $may_stray
unsorted? if any($flat(taken) != sorted($flat(taken)) for taken in passes)
later? if any(taken[0] != taken[-1] for taken in passes)
dealt? orders = [order[:$appearances] for order in ($readings,)]
dealt? if not any($in_order for order in orders)
say epoch $epoch is out of order: {passes}
[inner]
ordered? $count_strays
ordered? if strays > $padding
keeps_epoch? if found != $epoch
changes? if found
ordered? say epoch $epoch changes the order of the inner sampler: the ranks yield its places {passes}
keeps_epoch? say in epoch $epoch the inner sampler is at epoch {found}
changes? say the wrapper has changed the inner sampler
[kept_inside]
if reached != 1
say set_epoch(1) leaves the sampler inside torch's BatchSampler at epoch {reached}
[sizes]
sizes = [[len(batch) for batch in taken] for taken in passes]
if any(max(row, default=0) > $size or $short for row in sizes)
say in epoch $epoch the batches hold {sizes} samples
[empty]
if any([] in taken for taken in passes)
say epoch $epoch has an empty batch: {passes}
[rule]
$rule_values
bad = [batch for batch in chain(*passes) if batch and ($against_rule)]
if bad
say in epoch $epoch these batches break the batch rule: {bad}
[unlike]
if any(taken != passes[0] for taken in passes)
say ranks that should yield the same samples yield {passes}
[same_draws]
not later? if any(one == other != one[:1] * len(one) for one, other in itertools.combinations(passes, 2))
later? if any(one[:-1] == other[1:] != one[1:] for one, other in itertools.permutations(passes, 2))
not later? say two ranks draw the same samples in every epoch: {passes}
later? say one rank draws what another one has drawn an epoch before: {passes}
[moved]
if moved
say the global random generator of $argument has another state than before
[accepted]
if accepted
say these arguments should raise an error and do not: {accepted}
[no_end]
endless? if min(map(len, passes)) < $cap
not endless? if max(map(len, passes)) > $cap
endless? say a pass that should never end has ended
not endless? say still yielding after $cap steps
[rest]
at_once? if rest != whole[$next_epoch]
next? if $size_of(following) != $size_of($due_next)
says? if said != len(following)
other? if $differs
next? say resumed after $after_steps steps the next epoch is {following} and should be {$due_next}
says? say resumed after $after_steps steps len() is {said} in the next epoch, which is {following}
silent? say resumed after $after_steps steps the rest is {rest}, of the whole epoch {$here}
[worlds]
not next? seen = Counter($all_worlds)
not next? missing, again = $due - seen, seen - $due
not next? if missing.total() > $may_lose or again.total() > $may_repeat
next? if first != second
not next? say samples are missing: {sorted(missing)}; samples come again: {sorted(again)}
next? say the next epoch is {second} and should be {first}
[lost_on_the_way]
seen = Counter(one for one in $all_worlds if one < $n)
missing, again = $due - seen, seen - $due
if missing.total() > $may_lose or again.total() > $may_repeat_elsewhere
say samples are missing: {sorted(missing)}; samples come again: {sorted(again)}
[loaded]
if loaded[$epoch] != alone[$epoch]
say epoch $epoch is {loaded[$epoch]} with workers and {alone[$epoch]} without
[frozen]
if loaded[$epoch] == loaded[0] == alone[0] != alone[$epoch]
say with persistent workers epoch $epoch is {loaded[$epoch]}, as epoch 0 was
[shared]
before, after = (Counter(chain(*[$flat(side[0]) for side in column])) for column in zip(*ways))
again, lost = after - (before | $due), (before & $due) - after
if again.total() > $may_pad or lost.total() > $may_drop
several? sizes = [[len(side[0]) for side in column] for column in zip(*ways)]
several? if max(sizes[0]) - min(sizes[0]) <= $may_differ < max(sizes[1]) - min(sizes[1])
say with workers samples come again: {sorted(again)}; samples are missing: {sorted(lost)}
[drawn_alike]
turns = [(side[0][::$workers], side[0][1::$workers]) for _, side in ways]
alike = [one for one, other in turns if len(one) > 1 and one == other]
if alike
say two workers of a rank draw the same samples: {alike}
[delivered]
if done + rest != whole and not done == whole == rest
say with workers {done} and, resumed, {rest} are not the whole epoch {whole}
[shares]
drawn = Counter($all_epochs)
fair = drawn.total() * $share
if abs(drawn[$sample] - fair) > $deviations * fair**0.5
say sample $sample should come {fair:.0f} times and comes {drawn[$sample]} times
[ahead]
ahead = [one.count($sample) - one.count($fellow) for one in $joined_epochs]
if 0 <= min(ahead) <= max(ahead) != 0
say in {sum(one > 0 for one in ahead)} passes sample $sample comes more often than $fellow, and in none less
[places]
items = $items
fair, came = len(items) / $n, items.count($sample)
if abs(came - fair) > $deviations * fair**0.5
say sample $sample should come {fair:.0f} times $where of rank $rank_value and comes {came} times
[near]
order = $first_pass
places = sorted(range(len(order)), key=order.__getitem__)
apart = sum(abs(place - step) for step, place in enumerate(places)) / len(order)
if abs(apart - len(order) / 3) > len(order) / 20
say samples come {apart:.0f} places from where they are in order, which should be {len(order) / 3:.0f}
[pairs]
orders = $every_pass
ahead = sum(sum(one < sample for one in order[:at]) for order in orders for at, sample in enumerate(order))
pairs = sum(len(order) * (len(order) - 1) / 2 for order in orders)
spread = sum(len(order) * (len(order) - 1) * (2 * len(order) + 5) / 72 for order in orders) ** 0.5
if abs(ahead - pairs / 2) > 6 * spread
say {ahead / pairs:.1%} of all pairs of samples come in order, which should be 50%
[elsewhere]
alone = []
for rank in range($world):
    $walk(taken, until)
    alone.append(taken)
if passes != alone
say ranks in processes yield {passes}, and one after another in one process {alone}
[afresh]
if passes != others
say the ranks yield {passes}, and {others} in a second launch
[waiting]
if any(more)
say some ranks have ended the epoch, and others wait for them (more steps: {more})
"""

CHECKS = {name: lines for name, _, lines in sections(TEXT)}
