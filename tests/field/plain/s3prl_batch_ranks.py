"""s3prl: DistributedBatchSamplerWrapper does not end where batches cannot be halved any further."""

import subprocess
import sys

CODE = "list(DistributedBatchSamplerWrapper({batches}, 3, 0, allow_duplicates=True))"
CODE = "from s3prl.dataio.sampler import DistributedBatchSamplerWrapper\n" + CODE


def ends(batches):
    command = [sys.executable, "-W", "ignore", "-c", CODE.format(batches=batches)]
    try:
        return subprocess.run(command, check=True, timeout=60).returncode == 0
    except subprocess.TimeoutExpired:
        return False


print("three batches end:", ends([[0], [1], [2]]), "one batch ends within a minute:", (ended := ends([[0]])))
SC002 = not ended
sys.exit(SC002)
