# shellcheck shell=bash
# Lua with guards, and an emulated machine that runs programs; source it, don't run it.
# shellcheck source=Scripts/arm64/common.bash
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# build_lua OUTPUT FLAG...: without the seed of its hashes, which would differ between runs.
build_lua() {
  local sources=()
  mapfile -t sources < <(find "$lua" -name '*.c' ! -name luac.c)
  clang "--target=$target" -fuse-ld=lld -O0 -g -DLUA_USE_POSIX '-Dluai_makeseed(L)=0u' \
    "${sources[@]}" "${@:2}" -lm -o "$build/$1"
}

# build_guarded_lua: Lua with guards, as $build/lua-guards. Sets lua to its sources, guards to the flags.
build_guarded_lua() {
  export FIRSTLIGHT_TEST_INPUTS=${FIRSTLIGHT_TEST_INPUTS:-$project/.build-inputs}
  Scripts/inputs lua5.4
  lua=$FIRSTLIGHT_TEST_INPUTS/lua5.4/src
  guards=$("$FIRSTLIGHT_BIN/firstlight" flags clang |
    sed "s#[^ ]*/libfirstlight_rt.a#$build/clang/libfirstlight_rt.a#")
  # shellcheck disable=SC2086  # the flags are words
  build_lua lua-guards $guards
}

# run_guarded_lua: leaves what it records in $build/spool.
run_guarded_lua() {
  rm -rf "$build/spool"
  mkdir "$build/spool"
  (cd Tests/Fixtures/arm64 && FIRSTLIGHT_DIR=$build/spool qemu-aarch64 "$build/lua-guards" script.lua >/dev/null)
}

# fetch_system: the kernel of Debian 13 and a shell for arm64, into $build/kernel and $build/shell.
fetch_system() {
  local image
  if [[ -e $build/kernel/trixie ]]; then return; fi
  rm -rf "$build/kernel" "$build/shell" "$build/debs"
  mkdir -p "$build/debs"
  apt_for arm64 trixie apt-get update
  image=$(apt_for arm64 trixie apt-cache depends linux-image-arm64 | sed -n 's/.*Depends: \(linux-image-.*\)/\1/p')
  (cd "$build/debs" && apt_for arm64 trixie apt-get download "$image" busybox-static) ||
    fail "cannot fetch Debian's kernel for arm64" 69
  dpkg-deb -x "$build/debs/$image"_*.deb "$build/kernel"
  dpkg-deb -x "$build"/debs/busybox-static_*.deb "$build/debs"
  mkdir -p "$build/shell/bin"
  mv "$build/debs/usr/bin/busybox" "$build/shell/bin/"
  rm -rf "$build/debs" "$build/kernel/usr"
  touch "$build/kernel/trixie"
}

# boot FOLDER CONSOLE MEMORY: an emulated machine that has a folder's files. What its /init prints goes into a
# file.
boot() {
  (cd "$1" && find . | cpio --quiet -o -H newc) | gzip -1 >"$1.gz"
  timeout 900 qemu-system-aarch64 -nodefaults -nographic -serial stdio -no-reboot -machine virt \
    -cpu max,pauth-impdef=on -smp 2 -m "$3" -kernel "$build"/kernel/boot/vmlinuz-* \
    -initrd "$1.gz" -append 'console=ttyAMA0 quiet panic=-1' </dev/null >"$2" ||
    fail "the emulated machine did not run to its end; see $2"
  grep -q '^=== end' "$2" || fail "the emulated machine fell silent; see $2"
}

# answer NAME [CONSOLE]: what the emulated machine said of it; without what its C library adds to a program, and its
# shell to a signal.
answer() {
  tr -d '\r' <"${2:-$build/console}" | sed -n "/^=== $1\$/,/^=== /p" | sed '1d; $d' |
    grep -vE '^(call_weak_fn|_start)( |$)|^Illegal instruction$' || true
}

# own_functions: an order without comments, and without what a C library adds to a program.
own_functions() {
  grep -vE '^(#|status )' |
    grep -vxE '_start|_init|_fini|frame_dummy|call_weak_fn|(de)?register_tm_clones|__do_global_dtors_aux'
}

# listed: the names of the functions in a list in JSON.
listed() {
  sed '/^status /d' | python3 -c 'import json, sys
for function in json.load(sys.stdin)["functions"]: print(function["mangledName"])' | sort
}
