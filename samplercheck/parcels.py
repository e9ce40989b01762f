"""Provisional, to be replaced by the real one."""
import pickle

import cloudpickle

from samplercheck.targets import Target


def packed(binding):
    return cloudpickle.dumps((binding.factory, binding.contract, binding.axes, binding.name))


def unpacked(parcel):
    f, c, a, n = pickle.loads(parcel)
    return Target(factory=f, contract=c, axes=a, name=n).bind()
