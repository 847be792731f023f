#!/bin/sh
# Checks the specifications that a list names: types, tests, and a simulation with a fixed seed.
#
#   sh check.sh [--only typecheck|test|run] [CHECKS]       CHECKS: default checks.txt
#
# File names in the list are relative to the list. Exit code:
#   0  everything is as the list expects
#   1  a specification fails: a type error, a failing test or none at all, an unexpected verdict of
#      the simulation, or a witness that no trace reached
#   2  nothing can be said: no quint, no list, a malformed line, a missing file
#
# Environment:
#   QUINT    the command, default "quint"; for example "npx quint"
#   SEED     default 1; `SEED=random` lets quint choose, for a nightly job
#   SAMPLES  traces per simulation, and attempts per test with choices; default 1000
#   STEPS    longest trace, default 20
#   TRACES   a folder for the traces of unexpected violations, in ITF; default: not kept

set -u

quint=${QUINT:-quint}
seed=${SEED:-1}
samples=${SAMPLES:-1000}
steps=${STEPS:-20}
traces=${TRACES:-}
only=
failures=0
checked=0

broken() {
  echo "check: $1" >&2
  exit 2
}

failed() {
  echo "FAIL $1"
  failures=$((failures + 1))
  if [ -s "$output" ]; then
    sed 's/^/     /' "$output"
  fi
}

passed() {
  echo "ok   $1"
}

wanted() {
  [ -z "$only" ] || [ "$only" = "$1" ]
}

# Options that `quint run` and `quint test` have in common. The default backend would be downloaded.
simulator() {
  command=$1
  shift
  if [ "$seed" = random ]; then
    $quint "$command" --backend=typescript --max-samples="$samples" "$@"
  else
    $quint "$command" --backend=typescript --max-samples="$samples" --seed="$seed" "$@"
  fi
}

check_types() {
  if $quint typecheck "$1" >"$output" 2>&1; then
    passed "typecheck $1"
  else
    failed "typecheck $1"
  fi
}

# Exit code 0 is also given when there is no test, so they are counted.
check_tests() {
  simulator test --verbosity=1 "$1" >"$output" 2>&1
  status=$?
  count=$(sed -n 's/^ *\([0-9][0-9]*\) passing.*/\1/p' "$output")
  if [ "$status" -ne 0 ]; then
    failed "test $1"
  elif [ "${count:-0}" -eq 0 ]; then
    failed "test $1: no test has run"
  else
    passed "test $1: $count"
  fi
}

# $1 file, $2 expected verdict, $3 invariants, $4 witnesses. The exit code cannot tell a violation
# from a broken command, so the verdict is read from the output.
check_simulation() {
  file=$1
  expected=$2
  invariants=$(list "$3")
  witnesses=$(list "$4")
  set -- --max-steps="$steps" --out-itf="$trace"
  rm -f "$trace"
  # Another option has to end the lists, or the last one would take the file for a name.
  # shellcheck disable=SC2086
  simulator run ${invariants:+--invariants $invariants} ${witnesses:+--witnesses $witnesses} \
    "$@" "$file" >"$output" 2>&1
  verdict=$(sed -n 's/^\[\(ok\|violation\)\].*/\1/p' "$output")
  if [ "$verdict" != "$expected" ]; then
    failed "run $file: expected $expected, got ${verdict:-an error}"
    keep_trace "$file"
    return
  fi
  unreached=
  for name in $witnesses; do
    if ! grep -q "^$name was witnessed in [1-9]" "$output"; then
      unreached="$unreached $name"
    fi
  done
  if [ -n "$unreached" ]; then
    failed "run $file: not reached:$unreached"
  else
    passed "run $file: $expected"
  fi
}

keep_trace() {
  if [ -n "$traces" ] && [ -s "$trace" ]; then
    mkdir -p "$traces"
    cp "$trace" "$traces/$(basename "$1" .qnt).itf.json"
  fi
}

# "a,b" as "a b", "-" as nothing.
list() {
  [ "$1" = "-" ] || echo "$1" | tr ',' ' '
}

if [ "${1:-}" = "--only" ]; then
  only=${2:-}
  case $only in
    typecheck | test | run) shift 2 ;;
    *) broken "--only takes typecheck, test or run, not '$only'" ;;
  esac
fi
checks=${1:-checks.txt}
[ -r "$checks" ] || broken "there is no list $checks"
# shellcheck disable=SC2086
$quint --version >/dev/null 2>&1 || broken "the command '$quint' does not work"
checks=$(cd "$(dirname "$checks")" && pwd)/$(basename "$checks")
cd "$(dirname "$checks")" || exit 2

scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
output=$scratch/output
trace=$scratch/trace.itf.json

while read -r file expected invariants witnesses rest; do
  case $file in
    '' | '#'*) continue ;;
  esac
  [ -n "$witnesses" ] && [ -z "$rest" ] || broken "a line needs four columns: $file"
  case $expected in
    ok | violation) ;;
    *) broken "$file: expected must be ok or violation, not '$expected'" ;;
  esac
  [ -r "$file" ] || broken "there is no file $file"
  # The commands must not read the list, which is the input of this loop.
  if wanted typecheck; then check_types "$file" </dev/null; fi
  if wanted test; then check_tests "$file" </dev/null; fi
  if wanted run; then check_simulation "$file" "$expected" "$invariants" "$witnesses" </dev/null; fi
  checked=$((checked + 1))
done <"$checks"

[ "$checked" -gt 0 ] || broken "$checks names no specification"
echo "$checked specifications, $failures failures"
[ "$failures" -eq 0 ]
