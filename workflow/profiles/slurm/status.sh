#!/bin/sh
# status.sh JOB: prints running, success or failed, as Snakemake asks of each job in turn.
# One question to Slurm answers for all jobs of a few seconds. Where Slurm gives no answer
# the job counts as running; one that it knows no more is asked of its accounts, and
# without those counts as failed: it is submitted again, which costs time, never a result.
set -u
readonly KEEP_SECONDS=4
states=.snakemake/slurm-states.$(id -u)

fresh() {
    [ -e "$states" ] && [ $(($(date +%s) - $(stat -c %Y "$states"))) -lt "$KEEP_SECONDS" ]
}

ask_all() {
    squeue --me --noheader --states=all --format='%A %T' >"$states.$$" 2>/dev/null &&
        mv "$states.$$" "$states" && return
    rm -f "$states.$$"
    echo running
    exit
}

state_of() { awk -v job="$1" '$1 == job { state = $2 } END { print state }' "$states"; }

fresh || ask_all
state=$(state_of "$1")
[ -n "$state" ] || { ask_all; state=$(state_of "$1"); }
[ -n "$state" ] ||
    state=$(sacct --noheader --parsable2 --allocations --format=State --jobs="$1" 2>/dev/null)
case $state in
    COMPLETED) echo success ;;
    PENDING | CONFIGURING | RUNNING | COMPLETING | SUSPENDED | STOPPED | SIGNALING | STAGE_OUT | \
        REQUEUE* | RESIZING | SPECIAL_EXIT) echo running ;;
    *) echo failed ;;
esac
