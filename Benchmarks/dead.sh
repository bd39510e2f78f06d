#!/usr/bin/env bash
# What never-called lists are worth and what they cost: Benchmarks/dead.sh SERVER
#
#   SERVER      not used; every benchmark gets it
# Environment: FIRSTLIGHT (default .build/release/firstlight), FIRSTLIGHT_TEST_INPUTS.
#
# First the truth: the own tests of packages and of C and C++ projects, built for a recording and with source
# coverage and run alike, each function's verdict against the count of llvm-cov or gcov. C and C++ are built by
# their own compiler with their own options, once with the entry hooks of `firstlight test`, and once for
# `record --no-rebuild`. Then the speed: a made-up profile of
# 100,000 functions and 10,000 runs, and the memory at 100 and at 10,000 runs.
set -euo pipefail

firstlight=$(realpath "${FIRSTLIGHT:-.build/release/firstlight}")
here=$(realpath "$(dirname "$0")")
inputs=${FIRSTLIGHT_TEST_INPUTS:-$here/../.build-inputs}
mkdir -p "$inputs"
inputs=$(realpath "$inputs")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# Prints the table of a package, a configuration and words for `firstlight flags`.
compare() {
  local name=$1 version=$2 configuration=$3 more=$4 package=$inputs/$1
  shift 4
  [[ -d $package ]] ||
    git -c advice.detachedHead=false clone -q --depth 1 --branch "$version" \
      "https://github.com/apple/$name" "$package"
  local -a options=(-c "$configuration" --package-path "$package" "$@") flags
  # shellcheck disable=SC2086  # words, or none
  read -ra flags < <("$firstlight" flags swiftpm $more)
  local guarded=(--scratch-path "$package/.build-guards$more" "${options[@]}" "${flags[@]}")
  local covered=(--scratch-path "$package/.build-coverage" "${options[@]}" --enable-code-coverage)
  swift build --build-tests "${guarded[@]}" >"$work/log" 2>&1
  swift build --build-tests "${covered[@]}" >"$work/log" 2>&1
  "$firstlight" record -o "$work/p.flp" -- swift test --skip-build "${guarded[@]}" >"$work/log" 2>&1
  swift test --skip-build "${covered[@]}" >"$work/log" 2>&1
  local bin=$package/.build-coverage/$configuration
  llvm-profdata merge -sparse "$bin"/codecov/*.profraw -o "$work/data"
  local -a objects=()
  local file
  while IFS= read -r file; do
    objects+=(-object "$file")
  done < <(find "$bin/" -maxdepth 1 -type f -executable ! -name '*.so' ! -name '*-tool')
  llvm-cov export --format=text --instr-profile "$work/data" "${objects[@]}" >"$work/coverage.json" 2>/dev/null
  "$firstlight" dead "$work/p.flp" --all --format json --path "$package/*" -o "$work/verdicts.json"
  printf '%s %s, tests of its own, %s build %s\n' "$name" "$version" "$configuration" "$more"
  local -a binaries
  mapfile -t binaries < <(recorded "$work/p.flp")
  python3 "$here/dead_oracle.py" "$work/verdicts.json" "$work/coverage.json" "$package/Sources" \
    "${binaries[@]}" || failed=1
  echo
}

# The files of a profile's builds.
recorded() {
  "$firstlight" info "$1" --format json | python3 -c '
import json, os, sys
builds = json.load(sys.stdin)["builds"]
print("\n".join(sorted({build["path"] for build in builds if os.path.exists(build["path"])})))'
}

# Prints the shares of a C or C++ project: its name, address, and the commands that build it and run its tests.
compare_c() {
  local name=$1 address=$2 build=$3 tests=$4 source=$inputs/$1 copy compiler
  local own='^(?!(.*/)?(tests?|examples?|fuzzing|CMakeFiles|googletest.*)/)'
  [[ -d $source ]] || git clone -q --depth 1 "$address" "$source"
  printf '%s, gcc, its own options\n' "$name"
  for copy in truth hooks plain; do
    rm -rf "${work:?}/$copy" "$work/wrap"
    mkdir "$work/$copy" "$work/wrap"
    cp -r "$source" "$work/$copy/$name"
    local extra=-g
    [[ $copy == truth ]] && extra='--coverage -fprofile-abs-path -O0 -g'
    for compiler in cc gcc c++ g++; do
      printf '#!/bin/sh\nexec %s "$@" %s\n' "$(type -P "$compiler")" "$extra" >"$work/wrap/$compiler"
      chmod +x "$work/wrap/$compiler"
    done
    (
      cd "$work/$copy/$name"
      case $copy in
        hooks) "$firstlight" test --build "$build" --run "$tests" --profile "$work/hooks.flp" -o "$work/list" ;;
        plain)
          PATH=$work/wrap:$PATH sh -c "$build"
          "$firstlight" record --no-rebuild -o "$work/plain.flp" -- sh -c "$tests"
          ;;
        truth)
          PATH=$work/wrap:$PATH sh -c "$build"
          # A build may run a program that it made.
          find . -name '*.gcda' -delete
          sh -c "$tests"
          find . -name '*.gcno' -execdir gcov --json-format --stdout '{}' ';' >"$work/coverage.json"
          ;;
      esac
    ) >"$work/log" 2>&1 || true
    [[ $copy != truth ]] || continue
    (cd "$work/$copy/$name" && "$firstlight" dead "$work/$copy.flp" --all --format json -o "$work/verdicts.json") \
      >"$work/log" 2>&1 || true
    local -a binaries
    mapfile -t binaries < <(recorded "$work/$copy.flp" | grep "^$work/")
    printf '  %s: ' "$copy"
    python3 "$here/dead_oracle.py" "$work/verdicts.json" "$work/coverage.json" "$own" "${binaries[@]}" ||
      failed=1
  done
}

# A profile of so many functions, each called by some of so many runs.
made_up() {
  local functions=$1 runs=$2 file=$3
  printf 'int main(void) { return 0; }\n' >"$work/main.c"
  local -a flags
  read -ra flags < <("$firstlight" flags clang)
  clang -g "$work/main.c" -o "$work/main" "${flags[@]}"
  "$firstlight" record -o "$file" -- "$work/main" 2>/dev/null
  sqlite3 "$file" "
    PRAGMA journal_mode = OFF;
    BEGIN;
    DELETE FROM function; DELETE FROM coverage; DELETE FROM file; DELETE FROM name; DELETE FROM module;
    INSERT INTO module VALUES (0, 'Module');
    UPDATE build SET guards = $functions, runs = $runs;
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
      INSERT INTO file SELECT i, '/src/Module/File' || i || '.swift' FROM n;
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < $functions - 1)
      INSERT INTO name SELECT i,
        '\$s6Module8Function' || i / 2 || CASE i % 2 WHEN 0 THEN 'F' ELSE 'FyycfU_' END, 0 FROM n;
    INSERT INTO function SELECT 0, id, 0, id, 4096 + id * 64, 64, id % 1000, id / 1000 + 1, 0, 0 FROM name;
    INSERT INTO coverage SELECT 0, id, 1 + id % $runs, 1e9, 1.1e9 FROM function WHERE id % 3 = 0;
    CREATE TEMP TABLE one AS SELECT * FROM run; CREATE TEMP TABLE p AS SELECT * FROM process;
    DELETE FROM run; DELETE FROM process;
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < $runs - 1)
      INSERT INTO run SELECT 'run' || i, command, 'host' || i % 40, kernel, architecture, processor,
        cores, started_at + i, ended_at + i, exit_status, signal, ending, problems, attachment
        FROM n, one;
    INSERT INTO process SELECT run.id, p.id, pid, parent_pid, forked_from, path, arguments,
      run.started_at, ready_after, drops, uncommitted, lost_images, unreadable_segments,
      unrecorded_processes, running_processes, left_out, 1, x'', returns, launch
      FROM run, p;
    COMMIT;" >/dev/null
  python3 - "$file" "$functions" <<'PYTHON'
import sqlite3, sys, zlib
store, functions = sqlite3.connect(sys.argv[1]), int(sys.argv[2])
store.execute("DELETE FROM demangled")
for start in range(0, functions, 4096):
    names = b""
    for i in range(start, min(functions, start + 4096)):
        name = (("closure #1 (Swift.Int) -> () in " if i % 2 else "") + f"Module.Type{i % 997}.function{i // 2}"
            "(first: Swift.Int, second: Swift.Array<Swift.String>) throws -> Swift.Optional<Swift.Int>").encode()
        names += bytes([len(name) & 127 | 128, len(name) >> 7] if len(name) > 127 else [len(name)]) + name
    store.execute("INSERT INTO demangled VALUES (?, ?, ?)",
        (start // 4096, len(names), zlib.compress(names)))
store.commit()
PYTHON
}

# Prints the milliseconds and the KiB at most that a command took.
cost() {
  python3 - "$@" <<'PYTHON'
import resource, subprocess, sys, time
best = None
for _ in range(5):
    start = time.monotonic()
    subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
    best = min(best or 1e9, time.monotonic() - start)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(f"{best * 1000:.0f} ms, {peak} KiB at most")
PYTHON
}

for runs in 100 10000; do
  made_up 100000 "$runs" "$work/made-up.flp"
  printf '100,000 functions, %s runs: list %s\n' "$runs" "$(cost "$firstlight" dead "$work/made-up.flp")"
  printf '  reading alone (info): %s\n' "$(cost "$firstlight" info "$work/made-up.flp" --format json)"
  printf '  page: %s\n' "$(cost "$firstlight" dead "$work/made-up.flp" --format html)"
done
echo
compare swift-algorithms 1.2.1 debug ''
compare swift-argument-parser 1.8.2 debug ''
compare swift-collections 1.6.0 debug ''
compare swift-http-types 1.8.0 debug ''
compare swift-numerics 1.1.1 debug ''
compare swift-system 1.8.1 debug ''
for words in '' --no-inlining; do
  for package in 'swift-algorithms 1.2.1' 'swift-argument-parser 1.8.2' 'swift-http-types 1.8.0' \
    'swift-numerics 1.1.1' 'swift-system 1.8.1'; do
    # shellcheck disable=SC2086  # name and version
    compare $package release "$words" -Xswiftc -enable-testing
  done
done

cmake='cmake -S . -B b -DCMAKE_BUILD_TYPE=Release'
compare_c lua https://github.com/lua/lua 'make clean; make -j2' 'cd testes && ../lua -e"_U=true" all.lua'
# shellcheck disable=SC2016  # the run's own PATH
compare_c awk https://github.com/onetrueawk/awk 'make clean; make HOSTCC=gcc' \
  'cd testdir; PATH=.:$PATH oldawk=../a.out sh ./REGRESS'
compare_c cJSON https://github.com/DaveGamble/cJSON \
  "$cmake -DBUILD_SHARED_LIBS=OFF -DENABLE_CJSON_UTILS=ON && make -C b -j2" 'cd b && ctest'
compare_c zlib https://github.com/madler/zlib './configure --static && make -j2' 'make check'
compare_c jansson https://github.com/akheron/jansson \
  "$cmake -DJANSSON_BUILD_DOCS=OFF && make -C b -j2" 'cd b && ctest'
compare_c inih https://github.com/benhoyt/inih \
  'cd tests && gcc -O2 ../ini.c unittest.c -o unit && gcc -O2 -DINI_USE_STACK=0 ../ini.c unittest.c -o heap' \
  'cd tests && ./unit && ./heap'
compare_c libexpat https://github.com/libexpat/libexpat \
  "cd expat && $cmake -DEXPAT_SHARED_LIBS=OFF -DEXPAT_BUILD_DOCS=OFF && make -C b -j2" \
  'cd expat/b/tests && ./runtests'
compare_c pugixml https://github.com/zeux/pugixml 'make clean; make -j2 config=release all' \
  'make test config=release'
compare_c lz4 https://github.com/lz4/lz4 'make -C programs clean lz4 && make -C tests frametest fuzzer' \
  'cd tests && ./fuzzer -i1 -s1 && ./frametest -i1 -s1 && ../programs/lz4 -b1 fuzzer'
exit "$failed"
