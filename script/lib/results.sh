# shellcheck shell=bash
# Collects what parts of a test run gave, and closes the run with `N passed, N failed`. Sourced, never run.

result_names=() result_passed=() result_failed=() result_seconds=()
# What failed and how, a line each, said once more at the end: the log above may be long, or cut.
result_failures=()
result_logs=$(mktemp -d "${TMPDIR:-/tmp}/presence-results.XXXXXX")

# record NAME PASSED FAILED SECONDS
record() {
  result_names+=("$1") result_passed+=("$2") result_failed+=("$3") result_seconds+=("$4")
}

# run_part NAME COUNTER COMMAND…: runs the command with its output shown, lets COUNTER read the numbers off that output
# (`counter LOG` prints "passed failed"), and records them. A command that failed without a failed test, or one that ran
# no test at all, counts as one failure.
run_part() {
  local name=$1 counter=$2 began=$SECONDS code=0 passed failed
  local log=$result_logs/${#result_names[@]}.log
  shift 2
  say "$name"
  "$@" 2>&1 | tee "$log" || code=$?
  read -r passed failed < <("$counter" "$log") || true
  passed=${passed:-0} failed=${failed:-0}
  if ((failed == 0 && (code != 0 || passed == 0))); then
    echo "$name: ended with code $code after $passed passed tests" >&2
    failed=1
  fi
  if ((failed > 0)); then
    mapfile -t -O "${#result_failures[@]}" result_failures < <(failures_in "$log" | sed "s|^|$name: |")
  fi
  record "$name" "$passed" "$failed" $((SECONDS - began))
}

# The failed tests of a log, each after what it said: of PHP's run-tests.php the end of the difference, of GoogleTest the
# failed expectations, of programs of ours their lines.
failures_in() {
  local log=$1
  { # No match is no error.
    set +e
    grep -a -B 12 -E '^(FAIL|LEAK|BORK|WARN) ' "$log"
    grep -a -A 5 -E ': Failure$|^(ERROR|WARNING|SUMMARY): [A-Za-z]+Sanitizer' "$log"
    grep -a -E '^[[:space:]]*[0-9]+ - .* \((Failed|Timeout|SEGFAULT|Subprocess aborted|Exit code.*|[A-Z]+)\)$|^FAILED |^SKIP .*reason: |\*\*\*Skipped' "$log"
  } | grep -a -v -E '^--$|^TEST [0-9]|^FAILED TEST SUMMARY' | cut -c 1-200 | head -n 60
}

# What COUNTER can be.

# The command is one check by itself; run_part adds the failure.
count_one() { grep -q ': ok$' "$1" && echo 1 0 || echo 0 0; }

# PHP's run-tests.php. A skipped test counts as failed where it lacked a server, since here all servers are there.
count_phpt() {
  local passed failed lacking
  passed=$(sed -n 's/^Tests passed *: *\([0-9]*\).*/\1/p' "$1" | awk '{ n += $1 } END { print n + 0 }')
  failed=$(sed -n -E 's/^(Tests (failed|borked|leaked|warned)) *: *([0-9]+).*/\3/p' "$1" | awk '{ n += $1 } END { print n + 0 }')
  lacking=$(grep -c -E '^SKIP .*reason: .*(PRESENCE_TEST|MariaDB|MySQL|Redis)' "$1" || true)
  echo "$passed $((failed + lacking))"
}

# ctest, as often as it ran, with the same rule.
count_ctest() {
  sed -n -E 's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+).*/\1 \2/p' "$1" |
    awk -v skipped="$(grep -c -E '\*\*\*Skipped' "$1")" \
      '{ failed += $1; total += $2 } END { print total - failed - skipped, failed + skipped }'
}

# A program of ours that closes its output with `N passed, N failed`. Such a line is this run's to print, so the program's
# own is passed on through label_closing_line.
label_closing_line() { sed 's/^[0-9]* passed, [0-9]* failed$/part: &/'; }
count_closing_line() { sed -n -E 's/^part: ([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$1"; }

# ctest and run-tests.php in one log.
count_ctest_and_phpt() { { count_ctest "$1" && count_phpt "$1"; } | awk '{ p += $1; f += $2 } END { print p + 0, f + 0 }'; }

# Prints the table and the closing line; fails if anything failed or nothing passed.
summary() {
  local i passed=0 failed=0 mark
  rm -rf "$result_logs"
  printf '\n%s%-44s %8s %8s %8s%s\n' "$bold" part passed failed time "$plain"
  for i in "${!result_names[@]}"; do
    mark=$plain
    ((result_failed[i] == 0)) || mark=$red
    printf '%s%-44s %8d %8d %6d s%s\n' "$mark" "${result_names[i]}" "${result_passed[i]}" "${result_failed[i]}" \
      "${result_seconds[i]}" "$plain"
    passed=$((passed + result_passed[i])) failed=$((failed + result_failed[i]))
  done
  if ((${#result_failures[@]} > 0)); then
    printf '\n'
    printf 'failed: %s\n' "${result_failures[@]}"
  fi
  printf '\n%d passed, %d failed\n' "$passed" "$failed"
  ((failed == 0 && passed > 0))
}
