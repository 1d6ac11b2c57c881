#!/usr/bin/env bash
# The command under mpirun: any number of ranks gives the result of one, errors are said once and end all, a killed rank ends
# all, and two hosts (network namespaces, where we are root) are as good as one.
#   tests/mpi/run.sh [build folder]
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${1:-build}")
assay=$build/assay
if ! command -v mpirun >/dev/null || [ ! -e "$build/libassay_mpi.so" ]; then
  echo "mpi: skipped, no mpirun or no plug-in (make mpi)"
  exit 0
fi
work=$(mktemp -d)
namespaces=()
clean_up() {
  for name in "${namespaces[@]}"; do ip netns delete "$name" 2>/dev/null || true; done
  rm -rf "$work"
}
trap clean_up EXIT
fail() { echo "mpi: FAILED: $*" >&2; exit 1; }

export OMPI_MCA_mpi_yield_when_idle=1
[ "$(id -u)" -ne 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpi() {  # mpi RANKS OPTIONS... (of mpirun, then the command)
  mpirun --oversubscribe --bind-to none -n "$@"
}

# Four models of 240 rows, each seeing three classes less sharply than the one before.
hub=$work/hub
mkdir "$hub"
for model in 1 2 3 4; do
  awk -v spread="$model" 'BEGIN {
    srand(spread); for (i = 0; i < 240; ++i) { line = ""
      for (d = 0; d < 8; ++d) line = line (d ? "," : "") ((d == i % 3) + spread * (rand() + rand() + rand() - 1.5))
      print line } }' >"$hub/m$model.csv"
done
models=("$hub"/m[1-4].csv)
awk 'BEGIN { print "label"; for (i = 0; i < 240; ++i) print i % 3 }' >"$work/labels.csv"

# Everything but the times and where it came from.
timeless() { sed -e '/"provenance"/,$d' -e '/"seconds"/d' "$1"; }
same() {  # same NAME COMMAND...
  local name=$1
  shift
  "$assay" "$@" --json "$work/one.json" >"$work/one.txt" 2>"$work/one.err" || fail "$name alone"
  for ranks in 1 2 3; do
    rm -f "$work/all.json"
    mpi "$ranks" "$assay" "$@" --json "$work/all.json" >"$work/all.txt" 2>"$work/all.err" ||
      fail "$name on $ranks ranks: $(cat "$work/all.err")"
    diff <(timeless "$work/one.json") <(timeless "$work/all.json") >/dev/null || fail "$name: $ranks ranks give another result"
    [ "$(wc -l <"$work/one.txt")" -eq "$(wc -l <"$work/all.txt")" ] || fail "$name: $ranks ranks print something else"
  done
  echo "mpi: $name: 1 = 2 = 3 ranks"
}
same rank rank "${models[@]}" --labels "$work/labels.csv"
same "rank --controls" rank "${models[@]}" --labels "$work/labels.csv" --controls --metric logme,knn
same truth truth "${models[@]}" --labels "$work/labels.csv" --runs 2
same curve curve "${models[@]}" --labels "$work/labels.csv" --no-journal --seeds 2 --sizes 20,60
same "prior score" prior score "${models[@]}" --prior "$hub/m1.csv"
same metrics metrics  # has no shares: rank 0 does it

# An error is said once, and its code is everybody's.
said() { grep -c '^assay: error' "$1" || true; }
code=0
mpi 3 "$assay" rank "${models[@]}" --labels "$work/nothing.csv" >/dev/null 2>"$work/error.txt" || code=$?
[ "$code" -eq 2 ] || fail "an error gave exit code $code"
[ "$(said "$work/error.txt")" -eq 1 ] || fail "an error was said $(said "$work/error.txt") times"
code=0
mpi 3 "$assay" rank "${models[@]}" --no-such-option >/dev/null 2>"$work/error.txt" || code=$?
[ "$code" -eq 2 ] && [ "$(said "$work/error.txt")" -le 1 ] || fail "usage: exit code $code, said $(said "$work/error.txt") times"
echo no array >"$hub/m0.npy"
code=0
mpi 2 "$assay" rank "$hub/m0.npy" "${models[@]}" --labels "$work/labels.csv" >/dev/null 2>"$work/error.txt" || code=$?
[ "$code" -eq 1 ] && [ "$(said "$work/error.txt")" -eq 1 ] || fail "a model that fails: exit code $code"
rm "$hub/m0.npy"
echo "mpi: errors are said once, and their exit codes kept"

# A rank that is killed ends all.
mpi 3 "$assay" truth "${models[@]}" --labels "$work/labels.csv" --runs 1000 --json "$work/killed.json" >/dev/null 2>&1 &
job=$!
victim=
for _ in $(seq 100); do
  sleep 0.1
  launcher=$(pgrep -P "$job" | head -n 1) && victim=$(pgrep -P "$launcher" | tail -n 1) && [ -n "$victim" ] && break
done
sleep 0.5
kill -9 "$victim" || fail "no rank to kill"
started=$SECONDS
code=0
wait "$job" || code=$?
[ "$code" -ne 0 ] || fail "a killed rank went unnoticed"
[ $((SECONDS - started)) -le 10 ] || fail "a killed rank was noticed after $((SECONDS - started)) s"
[ ! -e "$work/killed.json" ] || fail "a killed run left a result"
echo "mpi: a killed rank ends all, and leaves nothing"

# Two hosts: this machine and a network namespace of it, one mpirun.
if [ "$(id -u)" -ne 0 ] || ! ip netns add assay-a 2>/dev/null; then
  echo "mpi: two hosts: skipped, needs root and network namespaces"
  exit 0
fi
namespaces=(assay-a assay-b)
ip netns add assay-b
ip link add assay-a0 netns assay-a type veth peer name assay-b0 netns assay-b
ip netns exec assay-a sh -c 'ip address add 10.77.0.1/24 dev assay-a0; ip link set assay-a0 up; ip link set lo up'
ip netns exec assay-b sh -c 'ip address add 10.77.0.2/24 dev assay-b0; ip link set assay-b0 up; ip link set lo up'
# In place of ssh: HOST COMMAND..., where the host's address says the namespace.
cat >"$work/agent" <<'END'
#!/bin/sh
case $1 in 10.77.0.2) host=assay-b ;; *) host=assay-a ;; esac
shift
exec ip netns exec "$host" sh -c "$*"
END
chmod +x "$work/agent"
ip netns exec assay-a mpirun --oversubscribe --bind-to none --host 10.77.0.1:1,10.77.0.2:2 -n 3 \
  --mca plm_rsh_agent "$work/agent" --mca oob_tcp_if_include 10.77.0.0/24 --mca btl tcp,self \
  --mca btl_tcp_if_include 10.77.0.0/24 -x OMPI_MCA_mpi_yield_when_idle \
  "$assay" rank "${models[@]}" --labels "$work/labels.csv" --json "$work/hosts.json" >/dev/null 2>"$work/hosts.err" ||
  fail "two hosts: $(cat "$work/hosts.err")"
"$assay" rank "${models[@]}" --labels "$work/labels.csv" --json "$work/one.json" >/dev/null
diff <(timeless "$work/one.json") <(timeless "$work/hosts.json") >/dev/null || fail "two hosts give another result"
echo "mpi: two hosts: the same result"
