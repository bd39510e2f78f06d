# shellcheck shell=bash
# The parts of Scripts/test-fresh, and how each went; source it, don't run it. All run in one system, which stays.
# shellcheck disable=SC2154  # from Scripts/common.bash and Scripts/test-fresh

# Builds take most of the time: the tests' own tools do here, for one build instead of two.
debug="FIRSTLIGHT_TEST_TOOLS=debug"

# part_names: in the order in which they run. Integration tests have a part for each of their folders.
part_names() {
  local folder
  printf '%s\n' setup build unit
  for folder in "$project"/Tests/IntegrationTests/*/; do
    folder=$(basename "$folder")
    if [[ $folder != Support ]]; then printf '%s\n' "${folder,,}"; fi
  done
  printf '%s\n' truth demo
}

# part_commands NAME: what it runs in the system, a line for bash.
part_commands() {
  local folder files
  case $1 in
    setup) printf 'Scripts/setup test && Scripts/inputs lua5.4' ;;
    build) printf '%s bash -c ". Scripts/common.bash; use_toolchain; build_tools"' "$debug" ;;
    unit) printf '%s Scripts/test --skip IntegrationTests' "$debug" ;;
    # With the release's own compilers.
    truth)
      # shellcheck disable=SC2016  # for the shell inside
      printf '%s && PATH=${PATH#*:} %s' 'apt-get -qq install -y --no-install-recommends clang lld >/root/clang.log' \
        'Scripts/truth --programs 4 .build-test/tools/firstlight .build-test/truth'
      ;;
    demo) printf 'Scripts/demo' ;;
    *)
      folder=("$project"/Tests/IntegrationTests/*/)
      for folder in "${folder[@]}"; do
        [[ $(basename "${folder,,}") == "$1" ]] || continue
        files=$(cd "$folder" && printf '%s|' *.swift)
        files=${files//.swift/}
        printf "%s Scripts/test --filter '^IntegrationTests\\..*/(%s)\\.swift:'" "$debug" "${files%|}"
      done
      ;;
  esac
}

# part_state NAME: the line of its last run: name, commit, passed or failed, seconds, tests, load; with tabs.
part_state() { awk -F '\t' -v name="$1" '$1 == name' "$state" 2>/dev/null || true; }

# has_passed NAME: for this commit.
has_passed() { [[ $(part_state "$1" | cut -f 2,3) == "$commit"$'\t'passed ]]; }

# keep_state NAME RESULT SECONDS LOG
keep_state() {
  local tests load
  # What `swift test` says at its end, and Scripts/truth in its last row.
  tests=$(awk '/Test run with [0-9]+ test/ { sub(/.*Test run with /, ""); print $1 " tests" }
    $1 == "all" && NF == 9 { print $2 " programs, " $5 " rows, " $6 " wrong" }' "$4" | tail -n 1)
  read -r _ _ load _ </proc/loadavg
  {
    awk -F '\t' -v name="$1" '$1 != name' "$state" 2>/dev/null || true
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$commit" "$2" "$3" "${tests:--}" "$load"
  } >"$state.new"
  mv "$state.new" "$state"
}

# show_parts: each with its state, and the average load of the 15 minutes before its end.
show_parts() {
  local name of result seconds tests load
  printf '%-10s  %-8s  %-12s  %10s  %6s  %s\n' part state commit time load tests
  for name in $(part_names); do
    IFS=$'\t' read -r _ of result seconds tests load < <(part_state "$name") || result='not run' of=- seconds='' tests='' load=''
    printf '%-10s  %-8s  %-12.12s  %10s  %6s  %s\n' "$name" "$result" "$of" \
      "${seconds:+$((seconds / 60)) min $((seconds % 60)) s}" "$load" "$tests"
  done
}

# run_part NAME: keeps its output and its state.
run_part() {
  local name=$1 status=0 log=$parts/$1.log result=passed
  heading "$suite, $name: $(part_commands "$name")"
  SECONDS=0
  # shellcheck disable=SC2310  # its status is what is asked for
  run_inside "$(part_commands "$name")" > >(tee "$log") 2>&1 || status=$?
  ((status == 0)) || result=failed
  keep_state "$name" "$result" "$SECONDS" "$log"
  heading "$suite, $name: $result after $((SECONDS / 60)) min $((SECONDS % 60)) s"
  return "$status"
}

# run_parts NAME: that part, or all, but for those that have passed. What they stand on comes first.
run_parts() {
  local name status=0
  for name in $(part_names); do
    case $1:$name in
      "all:$name" | "$name:$name") if [[ -z $again ]] && has_passed "$name"; then continue; fi ;;
      setup:* | build:build) continue ;;
      *:setup | *:build) if has_passed "$name"; then continue; fi ;;
      *) continue ;;
    esac
    # shellcheck disable=SC2310  # its status is what is asked for
    run_part "$name" || status=1
    if ((status != 0)) && [[ $name == setup || $name == build ]]; then break; fi
  done
  show_parts
  return "$status"
}
