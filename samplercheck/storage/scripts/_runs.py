"""Texts about runs that are resumed.

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
[keep_state] one | - | pickle.loads(before)} and then {state
${take_state}
before = pickle.dumps(state)
endless? next(steps, None)
else? list(steps)
not endless? ${begin("1")}
not endless? next(iter(${name}), None)
[SC707 alive: keep_state]
if pickle.dumps(state) != before
say what state_dict() returned has changed from {pickle.loads(before)} to {state}
[go_on_saving] one | - | came} and then {following
${collect("whole", range(2))}
${start}
steps = itertools.islice(${name}, None)
came = ${read("steps", case.stop or 1)}
${name}.state_dict()
came += ${read("steps")}
${name}.state_dict()
${begin("1")}
following = ${read()}
[SC707 saves: go_on_saving]
if [came, following] != whole
say once states were saved, epochs 0 and 1 are {came} and {following}, and should be {whole}
[ask_a_new_one] one | - | state} and, of a new object, {new
${take_state}
${build()}
${begin("0")}
new = ${name}.state_dict()
[SC707 absent: ask_a_new_one]
if state.keys() - new.keys()
say the state of a new object lacks {state.keys() - new.keys()}
[take_state]
${start}
steps = iter(${name})
list(itertools.islice(steps, ${case.stop or 1}))
state = ${name}.state_dict()
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
else way == "length"? due, seen = ${due}, Counter(one for one in ${joined("[*before, *after]")} if one < ${n})
else? due, seen = ${due}, Counter(${joined("[*before, *after]")})
not next? if (due - seen).total() > ${spare_there[0]} or (seen - due).total() > ${spare_there[1]}
next? say the next epoch is {second} and should be {first}
else? say samples are missing: {sorted(due - seen)}; samples come again: {sorted(seen - due)}
"""
