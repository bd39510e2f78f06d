#!/usr/bin/env bash
# What the runtime costs a program, against peers built and run here: Benchmarks/runtime.sh
#
# Environment: FIRSTLIGHT (default .build/release/firstlight), with the runtime beside it; ROUNDS
# (default 9), how often each is measured; STARTS (default 201), how often each program is started;
# FIRSTLIGHT_TEST_INPUTS, where the sources of Lua lie (Scripts/inputs lua5.4 fetches them).
#
# Each measure runs in turn with its peers, so that a change of the machine's speed falls on all
# alike. Tables show medians with quartiles.
set -euo pipefail

project=$(cd "$(dirname "$0")/.." && pwd)
sources=$project/Benchmarks/runtime
firstlight=${FIRSTLIGHT:-$project/.build/release/firstlight}
rounds=${ROUNDS:-9}
starts=${STARTS:-201}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir spool
read -ra flags < <("$firstlight" flags clang)
read -ra gated < <("$firstlight" flags clang --gated)
read -ra hooked < <("$firstlight" flags clang --entry-hooks)
read -ra gcc_hooked < <("$firstlight" flags gcc)
read -ra swift_flags < <("$firstlight" flags swiftc)
read -ra swift_gated < <("$firstlight" flags swiftc --gated)

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

# Prints median and quartiles of numbers, one a line.
spread() {
  sort -n | awk '{ v[NR] = $1 }
    END { printf "%s %s %s\n", v[int((NR + 1) / 2)], v[int((NR + 3) / 4)], v[int((3 * NR + 1) / 4)] }'
}

# --- The hook after the first call --------------------------------------------------------------

build_hooks() {
  clang -O2 -c "$sources/call_loop.c" "$sources/enter_exit.c" "$sources/recorder.c"
  build() { # NAME COMPILE-FLAGS -- LINK-FLAGS
    local name=$1 compile=()
    shift
    while [[ $1 != -- ]]; do
      compile+=("$1")
      shift
    done
    shift
    clang -O2 "${compile[@]}" -c "$sources/called.c" -o "$name.o"
    clang -fuse-ld=lld call_loop.o "$name.o" "$@" -o "hook-$name"
  }
  local guards=(-Xclang -fsanitize-coverage-type=1 -Xclang -fsanitize-coverage-trace-pc-guard
    -Xclang -fsanitize-coverage-pc-table)
  build bare --
  build recording "${flags[@]}" -- "${flags[@]}"
  cp hook-recording hook-idle
  build gated "${gated[@]}" -- "${gated[@]}"
  build temporal -fprofile-generate -mllvm -pgo-temporal-instrumentation -- -fprofile-generate
  build counting -fprofile-instr-generate -- -fprofile-instr-generate
  build hooked "${hooked[@]}" -- "${hooked[@]}"
  cp hook-hooked hook-unhooked
  gcc -O2 "${gcc_hooked[@]}" -c "$sources/called.c" -o gcc-hooked.o
  gcc call_loop.o gcc-hooked.o "${gcc_hooked[@]}" -o hook-gcc-hooked
  build entering -finstrument-functions -- enter_exit.o
  build sancov "${guards[@]}" -- -fsanitize=undefined
  build pushing "${guards[@]}" -- recorder.o
}

# Prints ns a call.
time_hook() {
  case $1 in
    recording | hooked | gcc-hooked) FIRSTLIGHT_DIR=$work/spool ./"hook-$1" ;;
    temporal | counting) LLVM_PROFILE_FILE=$work/profile ./"hook-$1" ;;
    sancov) UBSAN_OPTIONS=coverage=1:coverage_dir=$work ./hook-sancov 2>/dev/null ;;
    # It takes memory with each call.
    pushing) ./hook-pushing 1000000 1 ;;
    *) ./"hook-$1" ;;
  esac
}

hooks() {
  local -A title=(
    [bare]='no instrumentation' [recording]='Firstlight, recording' [idle]='Firstlight, not recording'
    [hooked]='entry hooks by clang, recording' [gcc-hooked]='entry hooks by gcc, recording'
    [unhooked]='entry hooks by clang, not recording' [gated]='Firstlight, gated off' [temporal]='LLVM temporal profile'
    [counting]='-fprofile-instr-generate' [entering]='-finstrument-functions, empty hooks'
    [sancov]="sancov's own runtime" [pushing]='malloc and lock-free push')
  local names=(bare recording idle gated hooked gcc-hooked unhooked temporal counting entering sancov pushing) name round
  build_hooks
  for ((round = 0; round < rounds; round++)); do
    for name in "${names[@]}"; do time_hook "$name" >>"hook.$name"; done
  done
  local bare temporal median low high
  read -r bare _ < <(spread <hook.bare)
  read -r temporal _ < <(spread <hook.temporal)
  printf 'A call after the first, ns, %s rounds:\n' "$rounds"
  printf '  %-38s %7s  %-15s %7s  %s\n' '' median quartiles adds 'of temporal profile'
  for name in "${names[@]}"; do
    read -r median low high < <(spread <"hook.$name")
    awk -v title="${title[$name]}" -v m="$median" -v l="$low" -v h="$high" -v b="$bare" \
      -v t="$temporal" 'BEGIN { printf "  %-38s %7.2f  %-15s %7.2f  %.2f\n", title, m,
        sprintf("%.2f to %.2f", l, h), m - b, (m - b) / (t - b) }'
  done
}

# --- First calls --------------------------------------------------------------------------------

first_calls() {
  local count=20000 threads round median low high
  "$sources/functions.sh" "$count" >functions.c
  clang -O1 "${flags[@]}" -c functions.c
  clang -O2 -c "$sources/first_calls.c"
  clang -pthread first_calls.o functions.o "${flags[@]}" -o first_calls
  for ((round = 0; round < rounds; round++)); do
    for threads in 1 2 8 64; do
      rm -f spool/*
      FIRSTLIGHT_DIR=$work/spool ./first_calls "$threads" >>"first.$threads"
      FIRSTLIGHT_DIR=$work/spool ./first_calls "$threads" touched >>"first.$threads.touched"
    done
  done
  rm -f spool/*
  printf '\nA first call, ns of processor time, %s functions, %s rounds:\n' "$count" "$rounds"
  printf '  %-10s %10s  %-15s %14s\n' threads 'no faults' quartiles 'with faults'
  for threads in 1 2 8 64; do
    read -r median low high < <(spread <"first.$threads.touched")
    printf '  %-10s %10.1f  %-15s %14.1f\n' "$threads" "$median" "$low to $high" \
      "$(spread <"first.$threads" | cut -d ' ' -f 1)"
  done
}

# --- Marks ---------------------------------------------------------------------------------------

marks() {
  local round kind place median low high
  clang -O2 -I"$project/CSupport/FirstlightRuntime/include" "$sources/marks.c" "${flags[@]}" -o marks
  for ((round = 0; round < rounds * 5; round++)); do
    rm -f spool/*
    FIRSTLIGHT_DIR=$work/spool ./marks >>marks.recording
    ./marks >>marks.idle
  done
  rm -f spool/*
  printf '\nA mark, ns, with the faults of a file that nobody has touched, %s rounds:\n' $((rounds * 5))
  printf '  %-38s %7s  %s\n' '' median quartiles
  while read -r kind place title; do
    read -r median low high < <(cut -d ' ' -f "$place" "marks.$kind" | spread)
    printf '  %-38s %7.2f  %s\n' "$title" "$median" "$low to $high"
  done <<'ROWS'
recording 1 mark, recording
recording 2 span, recording
recording 3 the clock alone
idle 1 mark, not recording
idle 2 span, not recording
ROWS
}

# --- Start-up and steady work of real programs --------------------------------------------------

# The Swift program of Benchmarks/tracer.sh: what many command line tools do at their start.
build_swift() {
  sed -n "/<<'SWIFT'/,/^SWIFT/p" "$project/Benchmarks/tracer.sh" | sed '1d;$d' >program.swift
  swiftc -O -static-stdlib -use-ld=lld program.swift -o swift-plain
  swiftc -O -static-stdlib program.swift "${swift_flags[@]}" -o swift-guards
  swiftc -O -static-stdlib program.swift "${swift_gated[@]}" -o swift-gated
}

# Lua's interpreter as its authors build it, all of it with guards: the most calls for the least work.
build_lua() {
  local inputs=${FIRSTLIGHT_TEST_INPUTS:-$project/.build-inputs} name
  [[ -d $inputs/lua5.4/src ]] || FIRSTLIGHT_TEST_INPUTS=$inputs "$project/Scripts/inputs" lua5.4 >&2
  for name in plain guards gated; do
    local words=()
    [[ $name == guards ]] && words=("${flags[@]}")
    [[ $name == gated ]] && words=("${gated[@]}")
    mkdir "lua-$name.o"
    local file
    for file in "$inputs"/lua5.4/src/*.c; do
      case $file in */luac.c | */ltests.c) continue ;; esac
      clang -O2 -DLUA_USE_POSIX "${words[@]}" -c "$file" -o "lua-$name.o/$(basename "$file").o" 2>/dev/null
    done
    clang -fuse-ld=lld "lua-$name.o"/*.o -lm -ldl "${words[@]}" -o "lua-$name"
  done
  cat >work.lua <<'LUA'
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local parts = {}
for i = 1, 20000 do parts[#parts + 1] = string.format("%d:%s", i, tostring(i * 1.5)) end
local text = table.concat(parts, ",")
local count = 0
for number in text:gmatch("%d+") do count = count + #number end
table.sort(parts)
print(fib(24), count, parts[1])
LUA
}

# starts_table TITLE ROUNDS NAME COMMAND... -- NAME COMMAND...: the first is what others are set against.
starts_table() {
  local heading=$1 count=$2 names=() words=() word next=1
  shift 2
  for word in "$@"; do
    if ((next)); then
      names+=("$word")
      next=0
    else
      words+=("$word")
      [[ $word == -- ]] && next=1
    fi
  done
  printf '\n%s, %s rounds:\n  %-38s %9s  %-19s %6s  %10s\n' \
    "$heading" "$count" '' 'median us' quartiles ratio 'RSS KiB'
  ./starts "$count" "${words[@]}" >starts.out
  local base='' median low high memory at=0
  while read -r median low high memory; do
    : "${base:=$median}"
    printf '  %-38s %9s  %-19s %6.3f  %10s\n' "${names[at]}" "$median" "$low to $high" \
      "$(awk -v a="$median" -v b="$base" 'BEGIN { print a / b }')" "$memory"
    at=$((at + 1))
  done <starts.out
}

starts() {
  clang -O2 "$sources/starts.c" -o starts
  build_swift
  build_lua
  starts_table 'Start-up of a Swift program with Foundation' "$starts" \
    'no guards' ./swift-plain -- 'guards, gated off' ./swift-gated -- \
    'guards, not recording' ./swift-guards -- \
    'guards, recording' "FIRSTLIGHT_DIR=$work/spool" ./swift-guards
  rm -f spool/*
  starts_table 'Start-up of Lua, which does nothing' "$starts" \
    'no guards' ./lua-plain -e '' -- 'guards, not recording' ./lua-guards -e '' -- \
    'guards, recording' "FIRSTLIGHT_DIR=$work/spool" ./lua-guards -e ''
  rm -f spool/*
  starts_table 'Lua at work' "$((starts / 4))" \
    'no guards' ./lua-plain work.lua -- 'guards, gated off' ./lua-gated work.lua -- \
    'guards, not recording' ./lua-guards work.lua -- \
    'guards, recording' "FIRSTLIGHT_DIR=$work/spool" ./lua-guards work.lua
  layouts
}

# Where a linker happens to put functions moves such times by more than a gate costs, so both are
# linked in eight orders.
layouts() {
  local order name words=()
  for order in 1 2 3 4 5 6 7 8; do
    for name in plain gated; do
      # shellcheck disable=SC2054  # commas are the linker's
      local flags=(-Wl,--shuffle-sections=.text\*="$order")
      [[ $name == gated ]] && flags+=("${gated[@]}")
      # Objects without function sections move as a whole.
      # shellcheck disable=SC2046  # objects are words
      clang -fuse-ld=lld $(printf '%s\n' "lua-$name.o"/*.o | shuf --random-source=<(yes "$order")) \
        -lm -ldl "${flags[@]}" -o "lua-$name-$order"
      words+=("$name in order $order" "./lua-$name-$order" work.lua --)
    done
  done
  unset 'words[-1]'
  starts_table 'Lua at work, linked in eight orders' "$((starts / 8))" "${words[@]}"
  awk '{ sum[NR % 2] += $1 }
    END { printf "  mean of gated off over mean of no guards: %.3f\n", sum[0] / sum[1] }' starts.out
}

memory() {
  local guards text
  guards=$(llvm-readelf -SW lua-guards | awk '/__sancov_guards/ { for (i = 1; i <= NF; i++) if ($i == "PROGBITS") print $(i + 3) }')
  guards=$((16#$guards / 4))
  text=$(($(llvm-size lua-guards | awk 'END { print $1 }') - $(llvm-size lua-plain | awk 'END { print $1 }')))
  printf '\nMemory, bytes for each guard (Lua, %s guards): 4 guard, 16 PC table, 24 segment; code and all %s\n' \
    "$guards" "$((text / guards))"
}

hooks
first_calls
marks
starts
memory
printf '\nInstructions:\n'
FIRSTLIGHT=$firstlight "$sources/instructions.sh"
