# shellcheck shell=bash
# What Scripts/package does for arm64 alone; source it, don't run it.
# shellcheck disable=SC2034,SC2154  # for Scripts/package, and from it
# shellcheck source=Scripts/arm64/sdk.bash
source "$project/Scripts/arm64/sdk.bash"

machine=aarch64
multiarch=usr/lib/$target
# The Swift that builds for arm64 is unstable's, whose standard library needs a C library this new.
oldest="Debian 13"
glibc=2.41
store=$project/.build-packages/arm64
sysroot=$build/trixie-sysroot
scratch=$build/release
built=$scratch/aarch64-unknown-linux-gnu/release
libraries=$sysroot
static_words=(-lbz2 -lz -llzma -lzstd)
own_words=("$sysroot/$multiarch/elfutils-search.o")
swift_license=$build/sid-arm64/usr/share/doc/swiftlang/copyright
own_options=(--swift-sdks-path "$build/sdk-release" --swift-sdk arm64)

swift_build() { in_sid SWIFT_DETERMINISTIC_HASHING=1 swift build "$@"; }

# make_sysroot: Debian 13's packages, unpacked; and what its libraries ask of the packages that use them.
make_sysroot() {
  local archives=$store/archives folder package
  Scripts/setup arm64-system
  fetch_sid
  mkdir -p "$archives/partial" "$sysroot.part/usr"/{bin,lib,sbin}
  for folder in bin lib sbin; do ln -sfn "usr/$folder" "$sysroot.part/$folder"; done
  apt_for arm64 trixie apt-get update
  apt_for arm64 trixie apt-get install -y --no-install-recommends --download-only -o Dir::Cache::archives="$archives" \
    libbz2-dev libc6-dev libcurl4-openssl-dev libdw-dev libelf-dev libgcc-14-dev liblzma-dev libsqlite3-dev \
    libstdc++-14-dev libzstd-dev zlib1g-dev >"$store/sysroot.log" 2>&1 ||
    fail "cannot fetch the libraries of Debian 13 for arm64; see $store/sysroot.log" 69
  for package in "$archives"/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$sysroot.part" --keep-directory-symlink
    dpkg-deb --info "$package" shlibs 2>/dev/null || true
  done >"$store/shlibs.local"
  # The driver looks for what it links into each program there.
  ln -s "$build/sid-arm64/usr/libexec/swift/lib"/swift{,_static} "$sysroot.part/usr/lib/"
  # Static libstdc++ goes into the programs, as on x86-64.
  rm "$sysroot.part/usr/lib/gcc/$target/14/libstdc++.so"
  # Static libdw and libelf of elfutils 0.192 lack functions of their own, which wrap tsearch(3): a tree begins
  # with its root.
  clang "--target=$target" "--sysroot=$sysroot.part" -O2 -fPIC -c -x c -o "$sysroot.part/$multiarch/elfutils-search.o" - <<'C'
#define _GNU_SOURCE
#include <search.h>
typedef int compare(const void *, const void *);
void *eu_tsearch(const void *key, void **tree, compare *by) { return tsearch(key, tree, by); }
void *eu_tfind(const void *key, void **tree, compare *by) { return tfind(key, tree, by); }
void *eu_tdelete(const void *key, void **tree, compare *by) { return tdelete(key, tree, by); }
void eu_search_tree_init(void **tree) { *tree = 0; }
void eu_search_tree_fini(void **tree, void (*release)(void *)) {
  tdestroy(*tree, release);
  *tree = 0;
}
C
  write_sdk "$build/sdk-release" "$sysroot"
  mv "$sysroot.part" "$sysroot"
}

# runs COMMAND...: where programs of this architecture start: in qemu's user mode.
runs() { QEMU_LD_PREFIX=$sysroot with_emulation "$@"; }

# record_start: qemu's user mode lets no program be traced.
record_start() { printf 'left out: the tools are linked in no order of their own\n'; }

# Before dpkg-buildpackage: the libraries are not installed here, so they are described to it.
describe_libraries() {
  cp "$store/shlibs.local" "$1/debian/"
  export FIRSTLIGHT_LIBRARIES=$sysroot/$multiarch
}

strip_tool() { "$target-strip" -o "$2" "$1"; }

debian_options=(--host-arch arm64)
