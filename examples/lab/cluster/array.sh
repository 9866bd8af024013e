#!/bin/sh
# Converts captures with the jobs of an array. Each job converts its part; -jobs is the number of its cores.
#   Slurm:       sbatch --array=0-99 --cpus-per-task=2 array.sh INPUT OUTPUT
#   Kubernetes:  an Indexed Job runs array.sh INPUT OUTPUT with COUNT=100, its number of completions
#SBATCH --open-mode=append
set -eu
index=${SLURM_ARRAY_TASK_ID:-$JOB_COMPLETION_INDEX} count=${SLURM_ARRAY_TASK_COUNT:-$COUNT}
ls -d "$1/" > /dev/null # fails if it is missing, unlike the next line
find -L "$1" -type f -print0 | LC_ALL=C sort -z | xargs -0 -r -n 5000 dump -parquet "$2/" -shard "$index/$count"
