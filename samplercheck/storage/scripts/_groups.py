"""Texts about runs that have workers, or form a process group or groups of replicas.

Read by ``_texts.py``, which says what the headings and lines mean.
"""

GROUPS = r"""
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
[SC404: take_replicas]
if any(taken != passes[0] for taken in passes)
say ranks that should yield the same samples yield {passes}
[SC801: workers]
if loaded[${epoch}] != alone[${epoch}]
say epoch ${epoch} is {loaded[${epoch}]} with workers and {alone[${epoch}]} without
[SC802: workers]
before, after = (Counter(chain(*[${flat("one[" ~ epoch ~ "]")} for one in column])) for column in zip(*ways))
again, lost = after - (before | ${due}), (before & ${due}) - after
if again.total() > ${spare if pads else 0} or lost.total() > ${spare if drops else 0}
steps_together? sizes = [[len(side[${epoch}]) for side in column] for column in zip(*ways)]
steps_together? if max(sizes[0]) - min(sizes[0]) <= ${may_differ} < max(sizes[1]) - min(sizes[1])
say with workers samples come again: {sorted(again)}; samples are missing: {sorted(lost)}
[SC802 grows: workers]
before, after = (Counter(chain(*[${flat("one[" ~ epoch ~ "]")} for one in column])) for column in zip(*ways))
if after.total() > before.total() + ${spare}
say with workers the part of the dataset has {after.total()} samples, and {before.total()} without
[SC802 sampled: workers]
parts = [side[${epoch}][at::${workers}] for _, side in ways for at in range(${workers})]
alike = [one for one, other in itertools.combinations(parts, 2) if len(one) > 1 and one == other]
if alike
say two workers draw the same samples: {alike}
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
