"""The text of a wrapper: its methods in their order, which are left out unless what their heading says holds.

Read by ``write_wrapper``; how lines are read says ``storage/templates.py``. Names are those of ``Wrapper``.
"""

METHODS = r'''
[__init__]
def __init__(self, ${head}:
    finds_place? if ${rank} is None:
    finds_place?     ${rank}, ${world} = dist.get_rank(), dist.get_world_size()
    checks_place? if not 0 <= ${rank} < ${world}:
    checks_place?     raise ValueError(f"${rank} {${rank}} is not in 0..{${world} - 1}")
    size and not is_held? if ${size} < 1:
    size and not is_held?     raise ValueError(f"${size} {${size}} is below 1")
    ${kept}
    ${total_of_all}
    walks_alone? self.total = ${length}
    else is_held? ${call("self.sampler = " ~ target.place.attribute)}
    else? ${call("self.build = partial", target.place.attribute)}
    is_guarded? self.saved_for = [${saved_for}]
    is_counted? self.loader = self.build()
    keeps_epoch? self.epoch = 0
    consumes? share = ${count}
    consumes? self.start = 0
    consumes? if share:
    consumes?     done = ${target.name_of("consumed")} // (${step})
    consumes?     ${"self.epoch" if has_epoch else "_"}, self.start = divmod(done, share)
    consumes? self.done = self.start
    is_resumed and not consumes? self.start = self.done = 0
[set_epoch] contract.sets_epochs and not advances
def set_epoch(self, epoch):
    is_resumed? if epoch != self.epoch:
    is_resumed?     self.epoch, self.start, self.done = epoch, 0, 0
    else keeps_epoch? self.epoch = epoch
    else not begin("self.sampler", "epoch")? pass
    is_held? ${begin("self.sampler", "epoch")}
[state_dict] saves
def state_dict(self):
    is_guarded? return {"behind": self.sampler.state_dict(), "saved_for": self.saved_for}
    else not is_resumed? return self.sampler.state_dict()
    else has_epoch? return {"epoch": self.epoch, "done": self.done}
    else? return {"done": self.done}
[load_state_dict] saves
def load_state_dict(self, state):
    is_guarded? if state["saved_for"] != self.saved_for:
    is_guarded?     raise ValueError(f"saved for ${saved_for} = {state['saved_for']}, not {self.saved_for}")
    not is_resumed? self.sampler.load_state_dict(${"state[\"behind\"]" if is_guarded else "state"})
    else has_epoch? self.epoch, self.done = state["epoch"], state["done"]
    else? self.done = state["done"]
    is_resumed? self.start = self.done
[begin] is_resumed and advances
def begin(self):
    if self.done > self.start:  # an earlier pass has begun: this one is the next epoch
        self.epoch, self.start, self.done = self.epoch + 1, 0, 0
[walk] walks_alone
def walk(self):
    """Yield the samples of all ranks, one shuffled pass over the dataset after the other."""
    for lap in count() if self.total else ():
        order = list(range(self.total))
        asks_to_shuffle? if self.${shuffle}:
        asks_to_shuffle?     ${shuffled}
        else may_shuffle? ${shuffled}
        yield from order
[share] not (is_plain or contract.endless or is_counted)
def share(self${", done" if is_elastic else ""}):
    """Return the ${"batches" if target.batched else "samples"} of this rank in the epoch."""
    ${order}
    cuts? order = [sample for batch in order for sample in batch]
    orders and contract.repeats > 1? order.sort()
    else orders? order = sorted(set(order))
    orders and asks_to_shuffle? if self.${shuffle}:
    orders and asks_to_shuffle?     ${shuffled}
    else orders and may_shuffle? ${shuffled}
    deals and not (keeps_tail or length)? ${sum_up("total", left, "self." ~ drop_last)}
    deals and by_blocks and keeps_tail? size = ${left} / self.${world}
    else deals and by_blocks? size = ${total} // self.${world}
    cuts? share = ${dealt}
    cuts? return [share[at : at + self.${size}] for at in range(0, len(share), self.${size})]
    else deals? return ${dealt}
    else orders or is_seeded? return order
[__len__] target.can("__len__")
def __len__(self):
    return ${count}
[on] contract.endless
def __iter__(self):
    deals? return islice(${walk}, self.${rank}, None, self.${world})
    else? return ${walk}
[__iter__] not contract.endless
def __iter__(self):
    is_resumed and advances? self.begin()
    else is_resumed? self.done = self.start
    is_resumed? return self.run()
    else advances? share, self.epoch = ${"self.sampler" if is_plain else "self.share()"}, self.epoch + 1
    else advances? yield from share
    else? return iter(${"self.sampler" if is_plain else "self.share()"})
[run] is_resumed
def run(self):
    advances? self.begin()
    is_counted? self.loader = self.build()
    is_counted? ${begin("self.loader", "self.epoch")}
    start, self.start = self.start, 0
    is_counted? for self.done, item in enumerate(islice(self.loader, start, None), start + 1):
    else is_elastic? for number, item in enumerate(self.share(start), 1):
    else is_elastic?     self.done = start + number * ${step}
    else? for self.done, item in enumerate(self.share()[start:], start + 1):
        yield item
'''
PIECES = r'''
[take]
not is_held? ${begin_inners}
is_begun? sampler = self.build()
is_begun? ${begin("sampler", "self.epoch")}
${"return" if not (deals or orders or is_seeded) else "order ="} list(${source})
[seeded]
generator == "torch"? with torch.random.fork_rng(devices=[]):
generator == "torch"?     torch.default_generator.manual_seed(${seed})
generator == "torch"?     ${lines}
generator == "random"? state = random.getstate()
generator == "random"? random.seed(${seed})
generator == "numpy"? state = np.random.get_state()
generator == "numpy"? np.random.seed(${seed})
generator != "torch"? try:
generator != "torch"?     ${lines}
generator != "torch"? finally:
generator != "torch"?     ${"random.setstate" if generator == "random" else "np.random.set_state"}(state)
[shuffled]
generator = torch.Generator().manual_seed(${seed})
places = torch.randperm(len(order), generator=generator).tolist()
order = [order[place] for place in places]
[total]
contract.tail == "drop" and by_round and not by_batch? unit = self.${world} * (self.${size} if ${flag} else 1)
else by_round? unit = self.${world} * self.${size}
drops_tail? ${total} = ${dropped}
else contract.tail == "auto" and drop_last? if ${flag}:
else contract.tail == "auto" and drop_last?     ${total} = ${dropped}
else contract.tail == "auto" and drop_last? else:
else contract.tail == "auto" and drop_last?     ${total} = ${padded}
else? ${total} = ${padded}
[dealt]
keeps_tail and by_blocks? ${rest}[round(self.${rank} * size) : round((self.${rank} + 1) * size)]
else keeps_tail? ${rest}[self.${rank}::self.${world}]
else by_blocks? list(islice(cycle(order), self.${rank} * size, (self.${rank} + 1) * size))
else? list(islice(cycle(order), ${"done + " if is_elastic}self.${rank}, ${total}, self.${world}))
[Shield]
class Shield:
    """Stands for a sampler: what it yields are copies, and what is set on it stays here."""

    def __init__(self, behind):
        self.behind = behind

    def __getattr__(self, name):
        if name == "behind":  # while it is copied or unpickled
            raise AttributeError(name)
        return getattr(self.behind, name)

    def __iter__(self):
        for item in self.behind:
            yield list(item) if isinstance(item, list) else item

    def __len__(self):
        return len(self.behind)
'''
