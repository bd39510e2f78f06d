# shellcheck shell=bash
# Swift for arm64 from this machine: unstable's compiler with unstable's standard library for arm64; source it,
# don't run it. Modules are read by the compiler's own version alone: that is why this machine's Swift does not
# build for arm64.
# shellcheck source=Scripts/arm64/common.bash
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# fetch_sid: the compiler, with what fetching packages takes, and the libraries.
fetch_sid() {
  fetch_debian sid amd64 swiftlang bash coreutils git grep libc6-dev sed
  fetch_debian sid arm64 libswiftlang libc6-dev libstdc++-15-dev libelf-dev libdw-dev libsqlite3-dev zlib1g-dev \
    liblzma-dev libcurl4-openssl-dev
}

# in_sid COMMAND...: in unstable's root for this machine, which has the project under the same name, and git
# and its packages as here.
in_sid() {
  local root=$build/sid-amd64 mirror
  mirror=$(package_mirror)
  mkdir -p "$root$project" "$root/etc/apt/apt.conf.d" ${mirror:+"$root$mirror"}
  use_network "$root"
  copy_git_rules "$root/root/.gitconfig"
  # shellcheck disable=SC2016  # for the shell inside
  unshare --mount bash -c '
    mount --rbind /dev "$1/dev" && mount --rbind /proc "$1/proc" && mount --bind "$2" "$1$2" || exit
    if [[ -n $3 ]]; then mount --bind -o ro "$3" "$1$3" || exit; fi
    root=$1 project=$2
    shift 3
    exec chroot "$root" /usr/bin/env --chdir="$project" PATH=/usr/libexec/swift/bin:/usr/bin HOME=/root TMPDIR=/tmp "$@"
  ' bash "$root" "$project" "$mirror" "$@"
}

# write_sdk FOLDER SYSROOT: a folder of Swift SDKs for `swift build`, with one whose C library and libraries are
# those of SYSROOT.
write_sdk() {
  local sdk=$1/arm64.artifactbundle/arm64 swift=$build/sid-arm64/usr/libexec/swift/lib
  mkdir -p "$sdk"
  cat >"$sdk/../info.json" <<'JSON'
{
  "schemaVersion": "1.0",
  "artifacts": {"arm64": {"type": "swiftSDK", "version": "1.0", "variants": [{"path": "arm64"}]}}
}
JSON
  cat >"$sdk/swift-sdk.json" <<JSON
{
  "schemaVersion": "4.0",
  "targetTriples": {
    "aarch64-unknown-linux-gnu": {
      "sdkRootPath": "$2",
      "swiftResourcesPath": "$swift/swift",
      "swiftStaticResourcesPath": "$swift/swift_static",
      "toolsetPaths": ["toolset.json"]
    }
  }
}
JSON
  printf '{"schemaVersion": "1.0", "swiftCompiler": {"extraCLIOptions": ["-use-ld=lld"]}}\n' >"$sdk/toolset.json"
}
