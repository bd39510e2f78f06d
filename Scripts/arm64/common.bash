# shellcheck shell=bash
# What Scripts/test-arm64 and the scripts beside this file share; source it, don't run it.
# shellcheck source=Scripts/common.bash
source "$(dirname "${BASH_SOURCE[0]}")/../common.bash"

target=aarch64-linux-gnu
build=$project/.build-arm64
passed=0
failed=0

# set_up LEVEL: installs what is missing, and builds the runtime for arm64 with clang and with gcc.
set_up() {
  ((EUID == 0)) || fail "mapping users into a namespace takes root" 77
  cd "$project" || exit
  heading "Setting up"
  Scripts/setup "$1"
  use_toolchain
  mkdir -p "$build"
  export QEMU_LD_PREFIX=${QEMU_LD_PREFIX:-/usr/$target}
  unset FIRSTLIGHT_DIR
  heading "Building the runtime for arm64"
  build_runtime gcc "$target-gcc"
  build_runtime clang clang "--target=$target"
}

# build_runtime NAME COMPILER...: with all warnings, which are errors.
build_runtime() {
  local folder=$build/$1 source objects=()
  shift
  mkdir -p "$folder"
  for source in CSupport/FirstlightRuntime/*.c; do
    objects+=("$folder/$(basename "$source" .c).o")
    "$@" -std=gnu11 -O2 -g -fPIC -Wall -Wextra -Werror -I CSupport/FirstlightRuntime/include \
      -I CSupport/FirstlightABI/include -c "$source" -o "${objects[-1]}"
  done
  rm -f "$folder/libfirstlight_rt.a"
  llvm-ar rcs "$folder/libfirstlight_rt.a" "${objects[@]}"
}

# need_emulation: ends the script where programs for arm64 cannot be started.
need_emulation() {
  printf '#include <stdio.h>\nint main(void) { puts("%s"); return 0; }\n' "$target" |
    clang "--target=$target" -fuse-ld=lld -x c - -o "$build/answer"
  # shellcheck disable=SC2310  # its status is what is asked for
  with_emulation "$build/answer" >/dev/null || fail "the kernel does not start programs for arm64, and lets no namespace
register how (Linux 6.7 does). Install Debian's qemu-user-static and binfmt-support, and run this again." 69
}

# Whether the kernel starts programs for arm64.
starts_arm64() { [[ $("$build/answer" 2>/dev/null) == "$target" ]]; }

# Runs a command where the kernel starts arm64 programs with qemu: in a namespace whose own list of formats
# goes with it, so that the machine's stays as it is.
with_emulation() {
  if starts_arm64; then
    "$@"
    return
  fi
  local ready=$build/ready status=0 child
  rm -f "$ready"
  mkfifo "$ready"
  # shellcheck disable=SC2016  # for the shell inside
  unshare --user --mount bash -c '
    read -r _ <"$1"
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc || exit 77
    # The header of a 64-bit executable or shared object for machine 183. P, O, C, F: as argv[0] says, by
    # its open file, with its own rights, with the interpreter opened now (Documentation/admin-guide/
    # binfmt-misc.rst of the kernel).
    magic="\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
    mask="\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
    printf %s ":qemu-aarch64:M::$magic:$mask:$2:POCF" >/proc/sys/fs/binfmt_misc/register || exit 77
    shift 2
    exec "$@"
  ' bash "$ready" "${emulator:-$(type -P qemu-aarch64)}" "$@" &
  child=$!
  # The same users inside as outside.
  until [[ $(readlink "/proc/$child/ns/user") != "$(readlink /proc/self/ns/user)" ]]; do
    kill -0 "$child" 2>/dev/null || break
  done
  printf '0 0 4294967295\n' >"/proc/$child/uid_map"
  printf '0 0 4294967295\n' >"/proc/$child/gid_map"
  printf 'go\n' >"$ready"
  wait "$child" || status=$?
  rm -f "$ready"
  return "$status"
}

# fetch_emulator: qemu's user mode as one file, which runs in a folder that has none of this machine's libraries.
fetch_emulator() {
  emulator=$build/emulator/usr/bin/qemu-aarch64-static
  if [[ -x $emulator ]]; then return; fi
  rm -rf "$build/emulator"
  mkdir -p "$build/emulator"
  (
    cd "$build/emulator"
    apt-get -qq download -o APT::Sandbox::User=root qemu-user-static
    dpkg-deb --fsys-tarfile qemu-user-static_*.deb | tar -x ./usr/bin/qemu-aarch64-static
    rm qemu-user-static_*.deb
  ) || fail "cannot fetch Debian's qemu-user-static" 69
}

# apt_for ARCHITECTURE RELEASE TOOL ARGUMENT...: apt with a source list and caches of its own.
apt_for() {
  local apt=$build/apt-$2-$1 architecture=$1 release=$2 tool=$3
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  shift 3
  if [[ ! -e $apt/status ]]; then
    mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
    debian_repositories | awk -v keyring="$keyring" -v release="$release" \
      '$2 !~ /-/ { print "deb [signed-by=" keyring "] " $1 " " release " main" }' >"$apt/sources.list"
    : >"$apt/status"
  fi
  "$tool" -qq -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=- \
    -o Dir::State="$apt/state" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" \
    -o APT::Sandbox::User=root -o APT::Architecture="$architecture" \
    -o APT::Architectures::="$architecture" "$@"
}

# fetch_debian RELEASE ARCHITECTURE PACKAGE...: that Debian's Swift, these packages and what they depend on, into
# $build/RELEASE-ARCHITECTURE. They are unpacked, and no script of theirs runs: that suffices for compilers and
# libraries. Swift comes without what it depends on, as for another machine it need not run.
fetch_debian() {
  local release=$1 architecture=$2 root=$build/$1-$2 archives=$build/apt-$1-$2/cache/archives folder package
  shift 2
  if [[ -e $root/done ]]; then return; fi
  rm -rf "$root"
  mkdir -p "$root"/{dev,proc,tmp,root,usr/{bin,lib,lib64,sbin}}
  for folder in bin lib lib64 sbin; do ln -s "usr/$folder" "$root/$folder"; done
  apt_for "$architecture" "$release" apt-get update
  {
    apt_for "$architecture" "$release" apt-get install -y --no-install-recommends --download-only "$@" &&
      (cd "$archives" && apt_for "$architecture" "$release" apt-get download swiftlang)
  } >"$root.log" 2>&1 || fail "cannot fetch the Swift of Debian $release for $architecture; see $root.log" 69
  for package in "$archives"/*.deb; do
    # Without debuggers, editors' servers and what embedded systems have.
    dpkg-deb --fsys-tarfile "$package" |
      tar -x -C "$root" --exclude='*lldb*' --exclude='*sourcekit*' --exclude='*/swift*/embedded/*' \
        --exclude='*clangd' --exclude='*libLTO*' --exclude='*/docc' --exclude='*/swift-format' --exclude='*/share/man/*'
  done
  ln -sf bash "$root/usr/bin/sh"
  rm -f "$archives"/*.deb
  touch "$root/done"
}

# same NAME EXPECTED ACTUAL
same() {
  if diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") >"$build/difference" && [[ -n $3 ]]; then
    printf '  %s\n' "$1"
    passed=$((passed + 1))
  else
    printf '  %s: DIFFERS\n' "$1"
    sed 's/^/    /' "$build/difference"
    failed=$((failed + 1))
  fi
}

order_of() { "$FIRSTLIGHT_BIN/firstlight" order "$1" 2>/dev/null | grep -v '^#'; }

# guarded_functions FILE: the functions that call the hook, as the disassembly has them.
guarded_functions() {
  llvm-objdump -d --no-show-raw-insn --no-leading-addr "$1" |
    awk '/^<.*>:$/ { name = substr($0, 2, length($0) - 3) } /<__sanitizer_cov_trace_pc_guard>$/ { print name }' |
    sort -u
}

# never_called FILE.flp KEY: the list, as mangled names (mangledName) or as lines of the source (line).
never_called() {
  "$FIRSTLIGHT_BIN/firstlight" dead "$1" --format json 2>/dev/null | python3 -c 'import json, sys
for function in json.load(sys.stdin)["functions"]: print(function[sys.argv[1]])' "$2" | sort -V
}

# finish: says how the comparisons went; its status is theirs.
finish() {
  printf '%d passed, %d failed\n' "$passed" "$failed"
  ((failed == 0))
}
