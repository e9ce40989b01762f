"""Texts about what epochs hold, and what is drawn how often; ``_texts.py`` says what lines in them mean."""

EPOCHS = r"""
[ranks_in_turn]
${into} = []
for rank in ${numbers}:
    ${lines}
    ${into}.append(${result})
    shown? print(f"rank {rank}: {${shown}}")
[epoch_begins]
"own_set_epoch" in traits? ${it}.set_epoch(${epoch})
else "epoch" in named? ${"" if is_first else build(it, epoch=epoch, **changes)}
else is_loader? for part in (getattr(${it}, name, None) for name in ("dataset", "sampler", "batch_sampler")):
else is_loader?     if hasattr(part, "set_epoch"):
else is_loader?         part.set_epoch(${epoch})
else "set_epoch" in traits and is_inside? ${it}.sampler.set_epoch(${epoch})
else "set_epoch" in traits? (${it} if hasattr(${it}, "set_epoch") else ${it}.sampler).set_epoch(${epoch})
else not is_first? if hasattr(${it}, "set_epoch"):
else not is_first?     ${it}.set_epoch(${epoch})
[take_epoch] share | passes
${walk("taken", until)}
[take_raw] share | passes
${walk("taken", until, "" if seen.indices else "list(" ~ name ~ ")")}
[take_to_the_cap] share | passes
${walk("taken", until, read(name, cap if endless else cap + 1))}
[take_replicas] replicas | passes
${walk("taken", until)}
[take_epochs] share | passes
${collect("taken", course)}
[take_up_to] share | passes
later? ${collect("taken", until)}
else? ${walk("taken", until)}
[take_many] share | passes
${collect("taken", range(48))}
[walk_late] share | passes
${walk("taken", range(1), many_laps)}
taken = taken[len(taken) // 6 :]  # the first laps are left out: they may be others
[offer_nonsense] one | - | accepted
accepted = []
${offers}
    try:
        ${build(rank="rank", world_size="world_size", batch_size="batch_size")}
        accepted.append(${offered_values})
    except Exception as error:
        print(f"refused: {error}")
[SC001, SC904: take_epoch]
[SC002: take_to_the_cap]
endless? if min(map(len, passes)) < ${cap}
else? if max(map(len, passes)) > ${cap}
endless? say a pass that should never end has ended
else? say still yielding after ${cap} steps
[SC003: offer_nonsense]
if accepted
say these arguments should raise an error and do not: {accepted}
[SC101: take_raw]
strange = [one for one in ${all} if not 0 <= one < ${n} or torch.as_tensor(one).is_floating_point()]
if strange
say in epoch ${epoch} these are no indices of the dataset: {strange}
[SC102: take_epoch; SC102 laps: walk_late; SC401: take_epoch]
seen = Counter(${all})
missing = ${due} - seen
total is none and drops? lost = ${per_group("missing")}
total is none and drops? if max(lost.values(), default=0) > ${wide - 1}
else? if missing.total() > ${losable}
say in epoch ${epoch} samples are missing: {sorted(missing)}
[SC102 cycle: take_up_to]
cycle = [epoch for taken in passes for epoch in taken[-${contract.cycle}:]]
missing = set(range(${n})) - {one for epoch in cycle for one in ${flat("epoch")}}
if len(missing) > ${owed.droppable(contract.cycle)}
say no rank yields the samples {sorted(missing)} in ${contract.cycle} epochs together
[SC102 part: take_up_to]
first, last = [{one for taken in passes for one in ${flat("taken[at]")}} for at in (0, -1)]
if max(len(first - last), len(last - first)) > ${changing}
say epoch 0 holds the samples {sorted(first)}, and epoch ${epoch} {sorted(last)}
[SC103: take_epoch]
not endless? seen = Counter(${all})
else? seen = Counter(chain(*[${flat("taken")}[:${lap}] for taken in passes]))
often = seen - ${each(owed.most or repeats)}
padded_groups? more = ${per_group("often")}
padded_batches? again = ${repeated_batches}
padded_batches? left = often - Counter(chain(*again.elements()))
limits? if ${limits | join(" and ")}
else padded? if often.total() > ${padding}
else? if often
say in epoch ${epoch} samples come too often: {sorted(often)}
[repeated_batches]
batched? (again := Counter(tuple(sorted(one)) for one in chain(*passes))) - Counter({*again})
else? Counter((sample,) for sample in often.elements())
[SC103 sampled: take_epochs]
not later? if any(one == other != one[:1] * len(one) for one, other in itertools.combinations(passes, 2))
else? pairs, later = itertools.permutations(passes, 2), ${epoch}
else? if any(one[:-later] == other[later:] != one[later:] for one, other in pairs)
not later? say two ranks draw the same samples in every epoch: {passes}
else? say one rank draws what another one has drawn {later} epochs before: {passes}
[SC103 laps: walk_late]
contract.coverage == "sampled"? if any(one == other for one, other in itertools.combinations(passes, 2))
contract.coverage == "sampled"? say two ranks draw the same samples in every lap: {passes}
else? walk, starts = list(chain(*zip(*passes))), [(n, at) for n in ${sizes} for at in range(n)]
else? laps = [[walk[k : k + n] for k in range(at, len(walk) - n + 1, n)] for n, at in starts]
else? own = {next((k for k in range(1, len(one) // 2 + 1) if one[k:] == one[:-k]), 0) for one in passes}
else? apart = ${"False" if keeps else "len(own) > 1 and 0 not in own"}
else? if apart or not any(all(len({*lap}) >= min(len(lap), ${n}) for lap in some) for some in laps)
else? say in turn the ranks yield {walk[:${3 * n}]}: samples come again before all ${n} have come
[SC104: take_epoch]
batched? steps = [len(taken) for taken in passes]
samples = [len(${flat("taken")}) for taken in passes]
batched? if max(steps) - min(steps) > ${keeps}
keeps and counts_samples? if -(max(samples) // -${owed.unit}) + min(samples) // -${owed.unit} > 1
fixed and not keeps? if len(set(samples)) > 1
keeps and once and contract.batches == "fixed" and n >= places * owed.unit? if not min(samples)
batched? say in epoch ${epoch} the ranks take {steps} steps with {samples} samples
else? say in epoch ${epoch} the ranks take {samples} samples
[SC105: take_epoch]
seen = Counter(${all})
grouped? more, less = ${per_group("(seen - " ~ due ~ ")")}, ${per_group("(" ~ due ~ " - seen)")}
by_steps? steps, often = sum(map(len, passes)), seen - ${due}
by_steps? again = ${repeated_batches}
counted? if seen.total() != ${total}
grouped? if any(${more}[one] - ${less}[one] not in range(${wide}) for one in more | less)
by_steps? if steps % ${places}
by_steps and not contract.top_up? if seen.total() > ${appearances} and again.total() >= ${places}
counted? say epoch ${epoch} has {seen.total()} samples and should have ${total}
else? say epoch ${epoch} has {seen.total()} samples: some come too often, or not often enough
[SC106: take_many; SC1001 left out if promised is not none: draws]
missing = set(range(${n})) - set(${joined("chain(*passes)")})
if missing
say no epoch yields the samples {sorted(missing)}
[SC107: take_epoch]
seen = Counter(${all})
missing, often = ${due} - seen, seen - ${due}
spread? beyond = [(Counter(${flat("taken")}) - ${each(-(-repeats // places))}).total() for taken in passes]
if missing.total() > ${losable} or often.total() > ${padding}
spread? if sum(beyond) > ${padding}
say in epoch ${epoch} not every sample comes ${repeats} times, on different ranks: {passes}
[SC601: take_epoch]
sizes = [[len(batch) for batch in taken] for taken in passes]
if any(max(row, default=0) > ${size} or ${short} for row in sizes)
say in epoch ${epoch} the batches hold {sizes} samples
[short]
all_full or in_two_laps? any(0 < one < ${size} for one in row)
else groups? sum(0 < one < ${size} for one in row) > ${groups}
else endless? sum(0 < one < ${size} for one in row) > -(-sum(row) // ${max(1, appearances // places)})
else? any(0 < one < ${size} for one in row[:-1])
[SC602: take_epoch]
if any([] in taken for taken in passes)
say epoch ${epoch} has an empty batch: {passes}
[SC603: take_epoch]
sizes = [[len(batch) for batch in taken${"[:-1]" if keeps else ""}] for taken in passes]
unlike = [row for row in itertools.zip_longest(*sizes) if len({*row} - {None}) > 1]
if unlike
say in a step of epoch ${epoch} the batches of the ranks have {unlike[0]} samples
[SC604 if knows_rule: take_epoch]
rule_kind not in ("", "distinct")? values = ${list_of(rule.feature)}
not rule_kind? from ${rule_place[0]} import ${rule_place[2]} as rule
not rule_kind? features = {${rule_features}}
bad = [batch for batch in chain(*passes) if ${against_rule}]
if bad
say in epoch ${epoch} these batches break the batch rule: {bad}
[against_rule]
not rule_kind? batch and not rule(batch, features)
else rule_kind == "distinct"? len({*batch}) < min(len(batch), ${n})
else rule_kind == "homogeneous"? len({values[one] for one in batch}) > 1
else rule_kind == "at_least"? len({values[one] for one in batch}) < min(len(batch), ${enough})
else rule.padded? len(batch) > 1 and len(batch) * max(values[one] for one in batch) > ${most}
else? len(batch) > 1 and sum(values[one] for one in batch) > ${most}
[lengths] one | - | taken} with lengths {said
${seed()}
${build()}
said = [len(${name})]
for epoch in range(${epoch + 1}):
    ${begin("epoch")}
    said = said * (epoch == 0) + [len(${name})]
    taken = ${read()}
    not advances? said.append(len(${name}))
[ask_often] one | - | first} and {second} with lengths {said
${walk("first", until)}
${seed()}
${build()}
len(${name})
for epoch in range(${epoch + 1}):
    ${begin("epoch")}
    said = [len(${name}), len(${name})]
    second = ${read()}
    not advances? said.append(len(${name}))
[SC201: lengths]
if {*said} != {len(taken)}
say len() of rank ${rank_value} is {said} and the pass has {len(taken)} steps
[SC202: ask_often]
if len({*said}) > 1 or first != second
say len() of rank ${rank_value} is {said}, the pass then {second}; without a call of len() it is {first}
[SC203 if contract.reference == "torch": lengths]
if said[-1] != ${torch_length}
say len() is {said[-1]}, and that of torch's DistributedSampler is ${torch_length}
[split] loops | - | -
parts, start = [], 0
for part in ${splitter}(batch_size=${n}, replicas=${world}):  # a size, a slice or positions
    part = range(${n})[part] if isinstance(part, slice) else part
    parts.append(list(part) if numpy.ndim(part) else list(range(start, start + int(part))))
    start += len(parts[-1])
due = [part.tolist() for part in torch.arange(${n}).chunk(${world})]
print(f"parts {parts}")
[SC101 split, SC102 split, SC302 split, SC307 split, SC602 split if splits_as_torch: split]
if parts != due
say the parts are {parts}, and those of torch are {due}
[draws] share | passes | len(taken)} passes, at first {taken[0]
moves? ${collect("taken", course)}
else? taken = []
else? for seed in ${other_seeds}:
else?     ${build(seed="seed")}
else?     taken.append(${read()})
[SC1001 if promised is not none: draws]
drawn = Counter(${joined("chain(*passes)")})
fair = drawn.total() * ${share}
if abs(drawn[${sample}] - fair) > ${deviations} * fair**0.5
say sample ${sample} should come {fair:.0f} times and comes {drawn[${sample}]} times
[SC1001 ahead if promised is not none: draws]
epochs = [list(${joined("one")}) for one in zip(*passes)]
ahead = [one.count(${sample}) - one.count(${fellow}) for one in epochs]
if 0 <= min(ahead) <= max(ahead) != 0
say in {sum(map(bool, ahead))} passes sample ${sample} comes more often than ${fellow}, and in none less
[SC1002: draws]
items = [one for taken in passes[${at}] for one in ${at_place("taken")}]
fair, came = len(items) / ${n}, items.count(${sample})
if abs(came - fair) > ${deviations} * fair**0.5
say sample ${sample} should come {fair:.0f} times ${where} of rank ${rank_value} and comes {came} times
[SC1002 near: draws]
order = ${flat("passes[" ~ at ~ "][0]")}
places = sorted(range(len(order)), key=order.__getitem__)
apart = sum(abs(place - step) for step, place in enumerate(places)) / len(order)
if abs(apart - len(order) / 3) > len(order) / 20
say samples come {apart:.0f} places from where they are in order, which should be {len(order) / 3:.0f}
[SC1002 rising: draws]
orders = [${flat("one")} for one in passes[${at}]]
ups = sorted(sum(one < other for one, other in pairwise(order)) / (len(order) - 1) for order in orders)
off = sorted(abs(share - 0.5) for share in ups)
if off[len(off) // 2] > 3 / len(orders[0]) ** 0.5
say {ups[0]:.0%} to {ups[-1]:.0%} of the steps of an epoch go up, which should be 50% in each
[SC1002 pairs: draws]
orders = [${flat("one")} for one in passes[${at}]]
ahead = sum(sum(one < sample for one in order[:at]) for order in orders for at, sample in enumerate(order))
pairs = sum(len(order) * (len(order) - 1) / 2 for order in orders)
spread = sum(len(order) * (len(order) - 1) * (2 * len(order) + 5) / 72 for order in orders) ** 0.5
if abs(ahead - pairs / 2) > 6 * spread
say {ahead / pairs:.1%} of all pairs of samples come in order, which should be 50%
[SC1002 few: draws]
orders = [repr(together) for together in zip(*passes, strict=True)]
again = len(orders) - len(set(orders))
if again > 2
say {again} of {len(orders)} epochs have the order of an earlier one
[SC1002 successive: draws]
epochs = [[${flat("one")} for one in ranks] for ranks in zip(*passes, strict=True)]
shares = []
for before, after in pairwise(epochs):
    places = {sample: step for order in before for step, sample in enumerate(order)}
    pairs = [pair for order in after for pair in pairwise(order) if places.keys() >= {*pair}]
    shares.append(sum(places[one] < places[other] for one, other in pairs) / max(1, len(pairs)))
odd = [share for share in shares if abs(share - 0.5) > 0.1]
if len(odd) > 2
say in {len(odd)} epochs other than half of all neighbours come in the order of the epoch before: {odd[0]:.0%}
"""
