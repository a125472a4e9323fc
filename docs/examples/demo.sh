#!/usr/bin/env bash
# The demo: the main job, then five famous bugs, each found with its fix.
# Usage: demo.sh [path of the shardlang command]
set -u
shardlang=${1:-shardlang}
shown=$shardlang
case "$shardlang" in */*) shardlang=$(cd "$(dirname "$shardlang")" && pwd)/$(basename "$shardlang") ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2
export PYTHONUTF8=1

title() { printf '\n━━ %s\n\n' "$1"; }

title "The main job: one line of a plan, checked, lowered, priced, with its crossover"
printf "\$ shardlang explain 'In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]' --hw tpu-v5p\n\n"
"$shardlang" explain 'In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]' --hw tpu-v5p || exit 1

# Each bug must be found: `check` ends with status 1.
bug() {
    title "$1"
    nl -b a -w 5 -s '  ' "bugs/$2.shard"
    printf '\n$ shardlang check bugs/%s.shard\n\n' "$2"
    "$shardlang" check "bugs/$2.shard"
    [ $? -eq 1 ] || { echo "the demo expected a finding here" >&2; exit 1; }
}

bug "Bug 1: a missing AllReduce" missing-allreduce
bug "Bug 2: a double reduction" double-reduction
bug "Bug 3: an axis used twice" axis-twice
bug "Bug 4: XY against YX on the contracted dimension" order-of-axes
bug "Bug 5: a stray letter" stray-letter
printf '\nAll five found. To try lines of your own: %s check -e "A[I, J_X] · B[J_X, K] -> C[I, K]"\n' "$shown"
