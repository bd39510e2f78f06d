#!/usr/bin/env bash
# What an order is worth to real programs, and what else moves their start-up: Benchmarks/orders.sh
#
# Runs `firstlight optimize` on Examples/web-service (static standard library), lua5.4 and redis (both
# as Debian has their sources), then links the web service with one more flag at a time and compares
# each with the order alone; last it scores orders of many runs by --evaluate.
#
# As root it works on a disk of its own in a file, with a readahead of 128 KiB: orders are worth less
# where a disk reads further ahead. Else it works where it is and says so.
# Environment: FIRSTLIGHT (default .build/release/firstlight), RUNS (default 15),
# FIRSTLIGHT_TEST_INPUTS (as Scripts/inputs has it).
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
firstlight=$(realpath "${FIRSTLIGHT:-$root/.build/release/firstlight}")
runs=${RUNS:-15}
inputs=${FIRSTLIGHT_TEST_INPUTS:-$root/.build-inputs}
work=$root/.build-bench/orders
mkdir -p "$work/tools"
# A copy: somebody may build the tools anew meanwhile.
cp "$(dirname "$firstlight")"/{firstlight,libfirstlight_prefetch.a,libfirstlight_conformances.a} "$work/tools"
firstlight=$work/tools/firstlight

make_disk() {
  local disk=$work/disk device
  mkdir -p "$disk.mounted"
  rm -f "$disk.image"
  truncate -s 8G "$disk.image"
  mkfs.ext4 -q "$disk.image"
  device=$(losetup --find --show --direct-io=on "$disk.image") || return 1
  trap 'umount "$work/disk.mounted" 2>/dev/null; losetup -d '"$device"' 2>/dev/null; rm -f "$work/disk.image"' EXIT
  mount "$device" "$disk.mounted" || return 1
  echo 128 >"/sys/block/${device#/dev/}/queue/read_ahead_kb"
}

if ((EUID == 0)) && make_disk 2>/dev/null; then
  place=$work/disk.mounted
  echo "On a disk of its own, readahead 128 KiB."
else
  place=$work/here
  mkdir -p "$place"
  echo "On this disk as it is: no rights to make one with a readahead of 128 KiB."
fi
"$root/Scripts/inputs" lua5.4 redis >/dev/null
cp -r "$inputs/lua5.4" "$place/lua"
cp -r "$inputs/redis" "$place/redis"
cd "$place"

# optimize NAME WORD...: shows the table alone; the whole report stays in NAME/.
optimize() {
  local name=$1
  shift
  printf '\n-- %s\n' "$name"
  "$firstlight" optimize --runs "$runs" -o "$place/$name" "$@" >"$name.report"
  sed -n '/^Metric/,/^$/p; /^Changes/,/^$/p' "$name.report"
}

service=$root/Examples/web-service
scratch=$place/plain
build="swift build -c release --static-swift-stdlib --package-path $service --scratch-path $scratch"
optimize web-service --binary "$scratch/release/WebService" --build "$build" \
  --until http:8137/notes -- --port 8137
printf 'local t = {} for i = 1, 100 do t[#t + 1] = string.format("%%d", i) end print(table.concat(t, ","))\n' >hello.lua
optimize lua --binary lua/src/lua \
  --build 'make -C lua/src clean && make -C lua/src linux MYCFLAGS="{cflags}" MYLDFLAGS="{flags}"' \
  -- "$place/hello.lua"
optimize redis --binary redis/src/redis-server --until port:7391 \
  --build 'make -C redis/src -j2 MALLOC=libc REDIS_CFLAGS="{cflags}" REDIS_LDFLAGS="{flags}" redis-server' \
  -- --port 7391 --save ''

# link NAME WORD...: the web service with own sections and these words of `swift build`.
link() {
  local name=$1 product=$place/web-service/build/release/WebService
  shift
  rm -f "$product"
  swift build -c release --static-swift-stdlib --package-path "$service" \
    --scratch-path "$place/web-service/build" -Xswiftc -use-ld=lld -Xswiftc -Xfrontend \
    -Xswiftc -function-sections -Xcc -ffunction-sections -Xlinker --no-warn-symbol-ordering \
    "$@" >"$name.log" 2>&1
  cp "$product" "$name"
}

# against A B: the change of each measure from A to B, on one line.
against() {
  "$firstlight" compare "$1" "$2" --runs "$runs" --until http:8137/notes -- --port 8137 |
    awk -v name="$2" '
      /^(time to ready|major faults|minor faults|RSS \()/ {
        for (i = 1; i <= NF; i++) if ($i ~ /%$|^-$/ && !change) change = $i
        same = /not significant/ ? " (no difference)" : ""
        line = line sprintf("  %s %s%s;", $1 == "RSS" || $1 == "time" ? $1 : $1 " " $2, change, same); change = ""
      }
      END { printf "%-34s%s\n", name, line }'
}

printf '\n-- web-service, one thing at a time\n'
order=$place/web-service/WebService.order
first=(-Xlinker "--symbol-ordering-file=$order")
packed=(-Xlinker -z -Xlinker pack-relative-relocs)
balanced=$place/balanced.order
"$firstlight" order web-service/WebService.flp --strategy balanced -o "$balanced"
mkdir -p static-libstdcxx
ln -sf "$(gcc -print-file-name=libstdc++.a)" static-libstdcxx/libstdc++.a

cp web-service/before/WebService plain-build
link sections
link order "${first[@]}"
link order-packed "${first[@]}" "${packed[@]}"
printf 'against the plain build:\n'
for name in sections order order-packed; do against plain-build $name; done
printf 'against order-packed:\n'
link balanced-packed -Xlinker "--symbol-ordering-file=$balanced" "${packed[@]}"
link no-export-dynamic "${first[@]}" "${packed[@]}" -Xlinker --no-export-dynamic
link no-pie "${first[@]}" "${packed[@]}" -Xswiftc -Xclang-linker -Xswiftc -no-pie
link static-libstdcxx-linked "${first[@]}" "${packed[@]}" -Xswiftc "-L$place/static-libstdcxx"
link icf-all "${first[@]}" "${packed[@]}" -Xlinker --icf=all
link no-rosegment "${first[@]}" "${packed[@]}" -Xlinker --no-rosegment
link separate-loadable-segments "${first[@]}" "${packed[@]}" -Xlinker -z -Xlinker separate-loadable-segments
link bind-now "${first[@]}" "${packed[@]}" -Xlinker -z -Xlinker now
cp web-service/after/WebService prefetch
for name in balanced-packed no-export-dynamic no-pie static-libstdcxx-linked icf-all no-rosegment \
  separate-loadable-segments bind-now prefetch; do against order-packed $name; done

printf '\n-- orders of many runs, every fifth held out\n'
# Each file of Lua, compiled at one of four levels.
number=0
for file in lua/src/l*.c; do
  number=$((number + 1))
  "$firstlight" record --no-rebuild -o "clang-$number.flp" -- \
    "$(dirname "$(type -P swift)")/clang" "-O$((number % 4))" -Ilua/src -c "$file" -o /dev/null 2>/dev/null
done
"$firstlight" merge clang-*.flp -o clang.flp 2>/dev/null
printf 'clang, %d runs\n' "$number"
"$firstlight" order clang.flp --image '*clang*' --evaluate
