"""Texts about runs that are resumed, have workers or form a process group.

Read by ``_texts.py``, which says what the headings and lines mean.
"""

RUNS = r"""
[resume] one | - | done} and then {rest
one_epoch? ${walk("whole", until)}
else? ${collect("whole", range(whole_epochs))}
${start}
chain? done = []
chain? for stop in ${stops}:
chain?     steps = itertools.islice(${name}, None)
chain?     done += ${read("steps", "stop - len(done)")}
chain?     ${save}
chain?     ${load}
else? steps = itertools.islice(${name}, None)
else? done = ${read("steps", stop)}
way == "end seen"? next(steps, None)  # reaches the end of the pass
not chain? ${save}
way == "saved again"? for _ in range(2):  # loads, and saves again before the first step
way == "saved again"?     ${seed("77_000")}
way == "saved again"?     ${build(epoch=epoch_told)}
way == "saved again"?     ${name}.load_state_dict(state)
way == "saved again"?     state = copy.deepcopy(${name}.state_dict())
way == "disturbed"? ${build("other")}
way == "disturbed"? ${begin("0", "other")}
way == "disturbed"? list(other), other.state_dict()
way == "afresh"? ${define("go_on")}
way == "afresh"? rest = multiprocessing.get_context("spawn").Pool(1).apply(go_on, (${rank}, state))
else not chain? ${load}
way in ("plain", "end seen") and not seen.indices and "len" in traits? len(${name})
way != "afresh"? rest = ${read(name, left)}
needs_next and by_argument? ${build(epoch=epoch_after)}
needs_next and not by_argument? ${begin(epoch_after)}
needs_next? following = ${read()}
says? said = len(${name})
[SC701, SC702, SC703, SC704: resume; SC707 if seen.evidence.stops: resume]
at_once? if rest != whole[${epoch + 1}]
next? if ${size_of("following")} != ${size_of(due_next)}
says? if said != len(following)
silent and not at_once? if ${differs}
next? say resumed after ${after_steps} steps the next epoch is {following} and should be {${due_next}}
says? say resumed after ${after_steps} steps len() is {said} in the next epoch, which is {following}
silent? say resumed after ${after_steps} steps the rest is {rest}, of the whole epoch {${here}}
[differs]
one_walk? any(one != due for one, due in zip(done + rest, ${from_here})) or (${here}[${stop}:] and not rest)
else not goes_on? done + rest != ${here}
else names_next? rest != (${here}[${stop}:] or whole[${epoch + 1}])
else? done + rest not in (${here}, ${here} + whole[${epoch + 1}])${or_first}
[due_next]
one_walk? ${from_here}[len(done + rest):][:len(following)]
else not goes_on? whole[${epoch + 1}]
else names_next? whole[${epoch + 1} + (${stop} == len(${here}) > 0)]
else? whole[${epoch + 1} if rest == whole[${epoch}][${stop}:] else ${epoch + 2 if stop else epoch}]
[start]
${seed()}
${build(epoch=epoch_told)}
skips? for _ in range(${epoch}):
skips?     list(${name})
not by_argument? ${begin(epoch)}
way == "looked at"? next(iter(${name}), None)  # a look at the first step; this pass is given up
way == "looked at" and not by_argument? ${begin(epoch)}
[save]
consumes? state = ${consumed("done")}
not consumes and not saved? state = copy.deepcopy(${name}.state_dict())
saved? torch.save(${name}.state_dict(), file := io.BytesIO())
saved? state = torch.load(io.BytesIO(file.getvalue()), weights_only=True)
counts_epochs? epoch = ${epoch} + (done == whole[${epoch}] != [])
[load]
${seed("77_000")}
${build(consumed="state", epoch="epoch" if counts_epochs else epoch_told)}
way == "epoch first" and not by_argument? ${begin(epoch)}
way == "counted first" and "len" in traits? len(${name})
not consumes? ${name}.load_state_dict(state)
way == "twice"? ${name}.load_state_dict(state)
way == "rolled back" and not by_argument? ${begin(epoch)}
way == "rolled back"? steps = iter(${name})
way == "rolled back"? next(steps, None)  # one more step, and back to the state
way == "rolled back"? ${name}.load_state_dict(state)
way == "rolled back"? del steps
not by_argument and way != "epoch first"? ${begin("epoch" if counts_epochs else epoch + at_once)}
[go_on]
def go_on(rank, state):
    ${load}
    return ${read()}
[change_world] loops | - | -
${stop_all}
for rank in range(${new_world}):
    ${go_on_there}
    next? ${begin(epoch + 1, rank="rank", world_size=new_world)}
    next? second.append(${read()})
    next? ${build(rank="rank", world_size=new_world)}
    next and skips? for _ in range(${epoch + 1}):
    next and skips?     list(${name})
    next? ${begin(epoch + 1, rank="rank", world_size=new_world)}
    next? first.append(${read()})
print(f"${world} ranks took {before} and then ${new_world} ranks {after}")
[move_state] loops | - | -
${stop_all}
warnings.simplefilter("error", UserWarning)  # a warning counts as a refusal
try:
    for rank in range(${new_world}):
        ${go_on_there}
except Exception as error:
    way == "rank" and contract.foreign_state == "rank_0"? raise  # the state of rank 0 is for all ranks
    else? sys.exit(print(f"refused: {error}"))
print(f"${world} ranks took {before} and, with the state loaded elsewhere, {after}")
[stop_all]
next? before, states, after, first, second = [], [], [], [], []
else? before, states, after = [], [], []
for rank in range(${world}):
    ${start}
    steps = itertools.islice(${name}, None)
    before.append(${read("steps", seen.step)})
    consumes? states.append(${consumed("before[-1]")})
    else? states.append(copy.deepcopy(${name}.state_dict()))
[go_on_there]
${build_there}
not consumes? ${name}.load_state_dict(states[${0 if way == "rank" else "rank % " ~ world}])
not by_argument? ${begin(epoch)}
after.append(${read()})
[SC705: change_world; SC706 if not by_argument: move_state]
next? if first != second
else way == "length"? seen = Counter(one for one in ${joined("[*before, *after]")} if one < ${n})
else? seen = Counter(${joined("[*before, *after]")})
not next? missing, again = ${due} - seen, seen - ${due}
not next? if missing.total() > ${spare_there[0]} or again.total() > ${spare_there[1]}
next? say the next epoch is {second} and should be {first}
else? say samples are missing: {sorted(missing)}; samples come again: {sorted(again)}
[workers] joined | ways | alone} and with workers {loaded | (alone, loaded)
multiprocessing.set_start_method("fork", force=True)  # workers are copies of this process
${seed()}
${build(num_workers="0")}
torch_loader? vars(loader).update(num_workers=0, prefetch_factor=None, persistent_workers=False)
${collected("alone", range(loaded_epochs))}
${with_workers}
loaded = []
for epoch in range(${loaded_epochs}):
    ${begin("epoch")}
    loaded.append(${read("chain(*loader)" if loads_samples else "loader")})
[resume_loader] one | - | done} and then {rest
multiprocessing.set_start_method("fork", force=True)  # workers are copies of this process
${with_workers}
${begin("0")}
whole = ${read("loader")}
${with_workers}
${begin("0")}
steps = itertools.islice(loader, None)
done = ${read("steps", case.stop or 1)}
state = copy.deepcopy(loader.state_dict())
${with_workers}
loader.load_state_dict(state)
${begin("0")}
rest = ${read("loader")}
[with_workers]
${seed()}
${build(num_workers=workers)}
torch_loader? vars(loader).update(${how})
else is_loader and "num_workers" not in named? for part in vars(loader).values():
else is_loader and "num_workers" not in named?     if isinstance(part, DataLoader) and part.num_workers:
else is_loader and "num_workers" not in named?         vars(part)["num_workers"] = ${workers}
else is_stream and not is_loader? loader = DataLoader(${name}, batch_size=None, ${how})
else loads_samples? loader = DataLoader(range(${n}), batch_size=2, sampler=${name}, collate_fn=list, ${how})
else not is_loader? loader = DataLoader(range(${n}), batch_sampler=${name}, collate_fn=list, ${how})
[how]
way == "spawned"? num_workers=1, prefetch_factor=2, persistent_workers=False, multiprocessing_context="spawn"
else? num_workers=${workers}, prefetch_factor=${ahead}, persistent_workers=${way == "kept"}
[SC801: workers]
if loaded[${epoch}] != alone[${epoch}]
say epoch ${epoch} is {loaded[${epoch}]} with workers and {alone[${epoch}]} without
[SC802: workers]
before, after = (Counter(chain(*[${flat("side[0]")} for side in column])) for column in zip(*ways))
again, lost = after - (before | ${due}), (before & ${due}) - after
if again.total() > ${spare if pads else 0} or lost.total() > ${spare if drops else 0}
steps_together? sizes = [[len(side[0]) for side in column] for column in zip(*ways)]
steps_together? if max(sizes[0]) - min(sizes[0]) <= ${may_differ} < max(sizes[1]) - min(sizes[1])
say with workers samples come again: {sorted(again)}; samples are missing: {sorted(lost)}
[SC802 sampled: workers]
turns = [(side[0][::${workers}], side[0][1::${workers}]) for _, side in ways]
alike = [one for one, other in turns if len(one) > 1 and one == other]
if alike
say two workers of a rank draw the same samples: {alike}
[SC803: workers]
if loaded[${epoch}] == loaded[0] == alone[0] != alone[${epoch}]
say with persistent workers epoch ${epoch} is {loaded[${epoch}]}, as epoch 0 was
[SC804: resume_loader]
if done + rest != whole and not done == whole == rest
say with workers {done} and, resumed, {rest} are not the whole epoch {whole}
[take_everywhere] world | passes
${walk("taken", until)}
[in_step] world | waiting | 'waits for others' if more[rank] else 'has left the epoch' | more[rank]
${seed()}
${build()}
for epoch in range(${epoch + 1}):
    ${begin("epoch")}
    steps, more = iter(${name}), [True]
    while all(more):
        more = [None] * ${world}
        torch.distributed.all_gather_object(more, next(steps, None) is not None)
[SC402 groups: take_everywhere]
if passes != others
say the ranks yield {passes}, and {others} in a second launch
[SC901 if is_placed and not provenance.collectives: take_everywhere]
alone = []
for rank in range(${world}):
    ${walk("taken", until)}
    alone.append(taken)
if passes != alone
say ranks in processes yield {passes}, and one after another in one process {alone}
[SC902: in_step]
if any(waiting)
say {waiting.count(True)} of ${world} ranks wait in a step that the others no longer take
[process_group]

def run(rank, folder):
    ${set_place(node)}
    limit = timedelta(seconds=20)
    torch.distributed.init_process_group("gloo", f"file://{folder}/store", limit, ${world}, rank)
    twice? if os.environ["PYTHONHASHSEED"] == "1":  # a second launch may list in another order
    twice?     listdir = os.listdir
    twice?     os.listdir = lambda *path: listdir(*path)[::-1]
    number? found = []
    ${inside}
    number? torch.save(found, f"{folder}/{rank}")
    torch.distributed.barrier()


if __name__ == "__main__":
    twice? runs = []
    twice? for os.environ["PYTHONHASHSEED"] in "01":
    twice?     with tempfile.TemporaryDirectory() as folder:
    twice?         torch.multiprocessing.spawn(run, (folder,), nprocs=${world})
    twice?         runs.append(${what_ranks_found})
    twice? ranks = runs[0]
    else? with tempfile.TemporaryDirectory() as folder:
    else?     torch.multiprocessing.spawn(run, (folder,), nprocs=${world})
    not twice and number?     ranks = ${what_ranks_found}
    ${after}
[what_ranks_found]
[torch.load(f"{folder}/{rank}", weights_only=False) for rank in range(${world})]
[indices]
def indices(item):  # the indices of a batch
    if isinstance(item, dict):
        return indices(next(item[name] for name in ("index", "idx", "id", *item) if name in item))
    return indices(${first}) if isinstance(item, tuple) else torch.as_tensor(item).tolist()
"""
