#!/usr/bin/env bash
# Builds wordstat into a folder: build.sh [FOLDER]
# CC, AR, CFLAGS and LDFLAGS are used as make would use them. EXE_LDFLAGS and LIB_LDFLAGS go to the
# link of the program and of the shared library alone: each has its own symbol order.
set -euo pipefail
cd "$(dirname "$0")"

out=${1:-.build}
cc=${CC:-clang}
ar=${AR:-llvm-ar}
# Flags are words that need no quoting, as in a Makefile.
read -ra cflags <<<"${CFLAGS:--O2 -g}"
read -ra exe_ldflags <<<"${LDFLAGS:-} ${EXE_LDFLAGS:-}"
read -ra lib_ldflags <<<"${LDFLAGS:-} ${LIB_LDFLAGS:-}"
cflags+=(-std=c11 -Wall -Wextra -D_POSIX_C_SOURCE=200809L -fPIC)

compile() {
  local source
  for source in "$@"; do
    "$cc" "${cflags[@]}" -c "$source" -o "$out/$(basename "$source" .c).o"
  done
}

mkdir -p "$out"
compile hash/fnv.c hash/table.c format/registry.c format/text.c format/json.c format/csv.c \
  src/main.c src/options.c src/count.c
rm -f "$out/libhash.a"
"$ar" rcs "$out/libhash.a" "$out/fnv.o" "$out/table.o"
"$cc" "${cflags[@]}" "${lib_ldflags[@]}" -shared -Wl,-soname,libformat.so \
  "$out/registry.o" "$out/text.o" "$out/json.o" "$out/csv.o" -o "$out/libformat.so"
"$cc" "${cflags[@]}" "${exe_ldflags[@]}" "$out/main.o" "$out/options.o" "$out/count.o" \
  "$out/libhash.a" -L"$out" -lformat "-Wl,-rpath,\$ORIGIN" -o "$out/wordstat"
echo "$out/wordstat"
