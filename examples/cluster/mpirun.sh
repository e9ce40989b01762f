#!/bin/bash
# Open MPI starts the ranks in which a target is judged: bash examples/cluster/mpirun.sh
# On several machines, MASTER_ADDR is the one of the first rank. Where a rank is lost, mpirun ends the others
# a second later, which is too soon for the report that names it: the last option gives them ten.
set -euo pipefail
export MASTER_ADDR=${MASTER_ADDR:-127.0.0.1} MASTER_PORT=${MASTER_PORT:-29500}
mpirun -n 4 -x MASTER_ADDR -x MASTER_PORT --mca odls_base_sigkill_timeout 10 \
    samplercheck run mypkg.samplers:BucketSampler --world attached --report out
