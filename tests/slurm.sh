#!/bin/sh
# slurm.sh BUILD - a grid as a job array under a real Slurm: slurmctld and slurmd
# on this machine alone, on ports and in folders of their own, 40 runs, one
# worker killed; the same script once more, and all is what it is without Slurm.

set -u
build=$(cd "$1" && pwd)
for program in slurmctld slurmd sbatch squeue scontrol; do
    command -v $program >/dev/null || {
        echo "slurm: skipped: no $program here (Debian: slurmctld slurmd slurm-client)"
        exit 0
    }
done
[ "$(id -u)" -eq 0 ] || {
    echo "slurm: skipped: slurmd wants to be root"
    exit 0
}
work=$(mktemp -d)
stop() {
    timeout 10 scancel -u root 2>/dev/null
    [ -z "${controller:-}" ] || kill "$controller" 2>/dev/null
    [ -z "${node:-}" ] || kill "$node" 2>/dev/null
    sleep 1
    rm -rf "$work"
}
trap stop EXIT
die() {
    echo "slurm: $*" >&2
    tail -n 15 "$work"/*.log 2>/dev/null >&2
    exit 1
}
export SLURM_CONF=$work/slurm.conf PATH=$build:$PATH
host=$(hostname -s)
cores=$(getconf _NPROCESSORS_ONLN)
mkdir "$work/state" "$work/spool" "$work/use"
cat >"$SLURM_CONF" <<END
ClusterName=alone
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
SlurmctldPort=26817
SlurmdPort=26818
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cores RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
slurmctld -D >"$work/controller.log" 2>&1 &
controller=$!
slurmd -D >"$work/node.log" 2>&1 &
node=$!
tries=0
until sinfo -h -o %T 2>/dev/null | grep -q idle; do
    tries=$((tries + 1))
    [ $tries -lt 60 ] || die "the node does not come up"
    sleep 1
done

# Waits until no job is left.
drained() {
    tries=0
    while [ -n "$(squeue -h 2>/dev/null)" ]; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || die "jobs do not end: $(squeue)"
        sleep .5
    done
}
grid() {
    qkv compare -v standard,full-rank,symmetric,fused -t reverse,recall --seeds 5 \
        --steps 600 --test 64 --validate 32 "$@"
}
cd "$work/use" || exit 1
grid -o runs --plan=slurm >array.sh 2>said || die "no plan: $(cat said)"
[ "$(grep -c '^qkv train' array.sh)" -eq 40 ] || die "the plan has not 40 runs"
cat said
sbatch --parsable array.sh >job 2>said || die "sbatch: $(cat said)"
killed=
tries=0
while [ -z "$killed" ] && [ $tries -lt 400 ]; do
    tries=$((tries + 1))
    for process in $(pgrep -x qkv); do
        cat "/proc/$process/cmdline" 2>/dev/null | tr '\0' ' ' |
            grep -q 'train .*--out runs' && kill -9 "$process" && killed=$process
        [ -z "$killed" ] || break
    done
    sleep .1
done
drained
[ -n "$killed" ] || die "no worker could be killed"
first=$(ls -d runs/re*/result.tsv | wc -l)
sbatch --parsable array.sh >job 2>said || die "sbatch again: $(cat said)"
drained
all=$(ls -d runs/re*/result.tsv | wc -l)
[ "$all" -eq 40 ] || die "$all runs of 40 after the second time: $(cat qkv-*.log)"
grid -o here -q --no-figures >table || die "the runs without Slurm"
grid -o runs -q --no-figures >table2 || die "the table of Slurm's runs"
cmp -s table table2 || die "another table"
diff -r -x timing.tsv -x experiment.tsv -x real.tsv here runs >differs || die "other runs: $(cat differs)"
[ -z "$(find runs -name '.*@*')" ] || die "left over: $(ls -A runs)"
echo "slurm: 40 runs as an array, one killed: $first there, then $all, the same bits as without"
