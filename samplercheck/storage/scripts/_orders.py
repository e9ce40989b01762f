"""Texts about orders, and about what is built, iterated or copied again, or wraps another sampler.

Read by ``_texts.py``, which says what the headings and lines mean.
"""

ORDERS = r"""
[seeds] one | - | orders
orders = []
for seed in ${seeds}:
    ${build(seed="seed")}
    ${collected("taken", few)}
    orders.append(taken)
[change_argument] world | pairs
${collect("first", turns)}
${build(**{argument: case.other_batch_size if argument == "batch_size" else not case[argument]})}
${collected("second", turns)}
[compare_with_torch] one | pairs
${walk("taken", until)}
second = ${flat("taken")}
settings = {"shuffle": ${shuffled}, "seed": ${case.seed}, "drop_last": ${drops}}
reference = DistributedSampler(range(${n}), ${places}, ${own_place}, **settings)
reference.set_epoch(${epoch if sets_epochs else 0})
first = list(reference)
by_batch? first, second = first[: len(second)], second[: len(first)]
cut? first = first if first == second else first[: len(first) // ${size} * ${size}]
[jumps] one | pairs
${walk("first", until)}
${walk("second", jumps)}
[SC301: take_epochs]
orders = {str(epoch) for epoch in zip(*passes)}
recurs? if len(orders) < ${len(course)}
else? if len(orders) == 1
say ${len(course)} epochs should differ in order; different orders: {len(orders)}
[SC301 turned: take_epochs]
first, *later = passes[0]
if all(epoch in [first[at:] + first[:at] for at in range(len(first))] for epoch in later)
say every epoch is one order, begun at another place: {passes[0]}
[SC301 stands: take_epochs]
batched? places = [came for taken in passes for came in zip(*[list(chain(*epoch)) for epoch in taken])]
else? places = [came for taken in passes for came in zip(*taken)]
still = [came[0] for came in places if len({*came}) == 1]
if len(still) >= max(8, len(places) / 3)
say in all of ${len(course)} epochs these samples come at the same places: {still}
[SC301 laps: walk_late]
contract.layout == "strided" and not batched? walks = [list(chain(*zip(*passes)))]
else? walks = [${flat("taken")} for taken in passes]
sizes = [range(1, len(walk) // ${fewest_laps} + 1) for walk in walks]  # there are as many laps at least
same = [any(walk[n:] == walk[:-n] for n in some) for walk, some in zip(walks, sizes)]
if all(same) and len({*walks[0]}) > 1
say every lap through the dataset has the same order: {walks[0][:${3 * n}]}
[SC302: take_up_to; SC302 subset: take_epoch]
as_first and padding? both = [zip(${flat("taken[0]")}, ${flat("taken[-1]")}) for taken in passes]
as_first and padding? if sum(one != other for pairs in both for one, other in pairs) > ${padding}
as_first and padding? if any(len(${flat("taken[0]")}) != len(${flat("taken[-1]")}) for taken in passes)
else as_first? if any(${flat("taken[0]")} != ${flat("taken[-1]")} for taken in passes)
not as_first and len(seen.indices) == 1? orders = [order[:${appearances}] for order in ${readings}]
not as_first and len(seen.indices) == 1? if not any(${orders | join(" or ")} for order in orders)
else not as_first and plain_order? if any(${flat("taken")} != sorted(${flat("taken")}) for taken in passes)
else not as_first? ${count_strays}
else not as_first? if strays > ${"max(" ~ padding ~ ", padded)" if once or padding else 0}
say epoch ${epoch} is out of order: {passes}
[readings]
contract.layout != "strided"? [list(${all})]
else batched? [${in_turns}, list(chain(*chain(*itertools.zip_longest(*passes, fillvalue=[]))))]
else? [${in_turns}]
[in_turns]
[one for row in itertools.zip_longest(*${opened_passes}) for one in row if one is not None]
[opened_passes]
batched? [list(chain(*taken)) for taken in passes]
else? passes
[count_strays]
seen = Counter(${all})
strays, padded = 0, (seen - ${due}).total()
for taken in passes:
    ends, items = [], ${flat("taken") if not ordered or seen.experiment != "wrapped" else "taken"}
    for item in items:
        ends[(place := bisect_right(ends, item)) : place + 1] = [item]
    repeats > 1? falls = sum(b < a for a, b in pairwise(items)) - ${repeats - 1}
    repeats > 1? strays += min(len(items) - len(ends), max(0, falls))
    else? strays += len(items) - len(ends)
[SC303: seeds]
if all(order == orders[0] for order in orders)
say other seeds give the same order: {orders[0]}
[SC305: take_epochs]
shares = [[set(${flat("epoch")}) for epoch in taken] for taken in passes]
if all(share == one[0] for one in shares for share in one)
say each rank gets the same samples in every epoch
[SC306: take_epochs]
batches = [sorted(map(sorted, chain(*epoch))) for epoch in zip(*passes)]
if all(one == batches[0] for one in batches)
say the same samples share a batch in every epoch
[SC309: change_argument]
if all(first == second for first, second in pairs)
say ${argument} has no effect
[build_again] one | pairs
${walk("first", until)}
mentions("\\btime\\.time\\(")? time.time = lambda: 1e9  # a later launch has another time
mentions("\\btime_ns\\(")? time.time_ns = lambda: 10**18  # a later launch has another time
mentions("\\bgetpid\\(")? os.getpid = lambda: 1  # a later launch has another process
${walk("second", until, seed="1000")}
[watch_generator] one | - | moved
before = ${state}
${build()}
not (is_loader and argument == "torch")? ${collected("taken", course)}
moved = ${state} != before
[watch_open_pass] one | - | moved
${build()}
${begin("0")}
before = ${state}
steps = iter(${name})
next(steps, None)
moved = ${state} != before
[watch_saving] one | - | moved
${build()}
before = ${state}
${name}.load_state_dict(copy.deepcopy(${name}.state_dict()))
moved = ${state} != before
[SC403: watch_generator; SC403 inside: watch_open_pass; SC403 saving: watch_saving]
if moved
say the global random generator of ${argument} has another state than before
[again] alike | pairs
${walk("first", range(1))}
second = ${read()}
alike and case.epochs >= MANY_EPOCHS? second = second if second != first else ${read()}
[interleaved] alike | pairs
${walk("first", range(1))}
${build()}
${begin("0")}
one = itertools.islice(${name}, None)
late? second, beside = ${read("one", "1")}, []
else? second, beside = [], []
other = itertools.islice(${name}, None)
for _ in range(2):
    second += ${read("one", "1")}
    beside += ${read("other", "1")}
beside += ${read("other", cap - 2 if endless else "")}
second += ${read("one", cap - 2 if endless else "")}
exact? second = second if second != first else beside
else? first, second = first * 2, second + beside
[beside] alike | pairs
${walk("first", until)}
${build()}
${begin(beside)}
${shorter.build("other")}
${shorter.begin(0, "other")}
others = itertools.islice(other, None)
next(others, None)
steps = itertools.islice(${name}, None)
second = ${read("steps", "1")}
list(others), list(other)
second += ${read("steps")}
epoch > beside? ${begin(epoch)}
epoch > beside? second = ${read()}
[abandoned] alike | pairs
${walk("first", range(1))}
late and gives_up_often and seen.evidence.kind == "begins again"? first = ${read()}
${build()}
${begin("0")}
late? list(${name})  # a whole pass comes first
gives_up_often? for _ in range(${case.epochs - 1}): ${read(name, quarter)}  # a pass that is abandoned
one_walk? second = ${read(name, quarter ~ " - 1")}  # a pass that is abandoned
one_walk? second += ${read()}
one_walk? second = second[: len(first)]
not one_walk and not gives_up_often? ${read(name, quarter)}  # a pass that is abandoned
not one_walk? second = ${read()}
[pickled] alike | pairs
${seed()}
${build()}
${begin(int(sets_epochs and case.epochs > 1))}
parts? first = second = len(pickle.dumps((${name}.dataset, ${name}.collate_fn, ${name}.worker_init_fn)))
else? copied = pickle.loads(pickle.dumps(${name}))
else? second = ${read("copied")}
else? first = ${read()}
[unplaced] one | pairs
${walk("first", range(1))}
${build(rank="None", world_size="None")}
${begin("0")}
second = ${read()}
[counted] one | pairs
first, second = [], []
for asked in (first, second):
    inner = ${inner(wrapped, mixed)}
    ${build_around}
    for epoch in range(${epoch + 1}):
        untold? inner.set_epoch(epoch)
        ${begin("epoch")}
        asked.append(${read()})
        if asked is second:
            len(${name})
[SC202 counted: counted; SC304: jumps; SC307 if contract.reference == "torch": compare_with_torch;
 SC401 again, SC402: build_again; SC501: again; SC502: interleaved; SC502 beside: beside; SC503: abandoned;
 SC504: pickled; SC903: unplaced]
members? first = sorted(${joined("[one for one, _ in pairs]")})
members? second = sorted(${joined("[other for _, other in pairs]")})
members and total != appearances? if len(first) != len(second)
else? if first != second
members? say all ranks together yield {second} and should yield {first}
else? say rank ${rank_value} yields {second} and should yield {first}
[SC501 dry: again]
if first and not second
say rank ${rank_value} yields {len(first)} items in the first pass, and nothing in the second
[SC503 begins again: abandoned]
if first == second
say after a pass that was abandoned rank ${rank_value} yields the order of that pass again: {second}
[wrapped] wrapped | passes
inner = ${inner(wrapped, mixed, is_watched=True)}
changes? before = ${settings}
${build_around}
goes_back? for epoch in (*range(${case.epochs}), 0):  # and back, as a second fit does
else? for epoch in range(${epoch + 1}):
    untold? inner.set_epoch(epoch)
    ${begin("epoch")}
    goes_by_itself? at = ${inside}.epoch
    taken = ${read()}
goes_by_itself? ${inside}.epoch = at
ordered? order = ${flat("list(inner)")}
ordered? taken = [order.index(one) for one in ${flat("taken")}]
keeps_epoch? found = ${inside}.epoch
changes? found = ${settings} != before${or_spoilt}
[wrap_plain] one | - | reached
inner = BatchSampler(${inner("sampler", mixed, is_watched=True)}, ${size}, ${drops})
${build_around}
${begin("1")}
next(iter(${name}), None)
reached = inner.sampler.epoch
[SC505: wrapped]
ordered and not padding and repeats == 1? if taken != sorted(taken)
else ordered? ${count_strays}
else ordered? if strays > ${padding}
keeps_epoch? if found != ${epoch}
changes? if found
ordered? say epoch ${epoch} changes the order of the inner sampler: the ranks yield its places {passes}
keeps_epoch? say in epoch ${epoch} the inner sampler is at epoch {found}
changes? say the wrapper has changed the inner sampler
[SC505 plain: wrap_plain]
if reached != 1
say set_epoch(1) leaves the sampler inside torch's BatchSampler at epoch {reached}
[inner_class]
class Inner(SequentialSampler):
    epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    shuffles? def __iter__(self):
    shuffles and moves_on?     self.epoch += 1
    shuffles?     yield from random.Random(f"${key}").sample(range(len(self)), len(self))
[batches]
class Batches(BatchSampler):
    def set_epoch(self, epoch):
        self.sampler.set_epoch(epoch)

    is_watched or varies? def __iter__(self):
    varies?     order, sizes = iter(self.sampler), itertools.cycle((${size} + 1, 1, ${size}))
    varies?     batches = iter(lambda: list(itertools.islice(order, next(sizes))), [])
    varies and is_watched?     self.batches = list(batches)
    else is_watched?     self.batches = list(super().__iter__())
    is_watched?     return iter(self.batches)
    else varies?     return batches
"""
