# shellcheck shell=bash
# What Scripts/package does for x86-64 alone; source it, don't run it.
# shellcheck disable=SC2034,SC2154  # for Scripts/package, and from it

machine=x86_64
multiarch=usr/lib/x86_64-linux-gnu
# It is linked with the C library of this release, to run there.
oldest="Debian 11"
glibc=2.31
store=$project/.build-packages
sysroot=$store/sysroot
scratch=$store/build
built=$scratch/release
# Where the libraries are that go into the tools, with their licenses.
libraries=''
static_words=(-lbz2 -lz -llzma)
own_words=("$sysroot/$multiarch/newer-libstdc++.o")
swift_license=$(dirname "$(type -P swift)")/../share/swift/LICENSE.txt
own_options=(
  --pkg-config-path "$store/libraries/pkgconfig"
  -Xswiftc -use-ld=lld -Xswiftc -Xclang-linker -Xswiftc "--sysroot=$sysroot"
)

swift_build() { swift build "$@"; }

# make_sysroot: its packages are unpacked, not installed.
make_sysroot() {
  local apt=$store/apt mirror link
  local -a options=(
    -qq -o Dir::State="$apt" -o Dir::State::status=/dev/null -o Dir::Cache="$apt"
    -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=- -o APT::Sandbox::User=root
  )
  mirror=$(debian_repositories | awk '$2 == "bookworm" { print $1; exit }')
  [[ -n $mirror ]] || fail "apt knows no Debian repository here; run 'apt-get update' and try again" 69
  rm -rf "$apt" "$sysroot.part"
  mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/packages"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bullseye main" \
    >"$apt/sources.list"
  apt-get "${options[@]}" update
  (
    cd "$apt/packages" || exit
    apt-get "${options[@]}" download libc6 libc6-dev libgcc-s1 libgcc-10-dev libstdc++-10-dev
  )
  for link in "$apt"/packages/*.deb; do dpkg-deb -x "$link" "$sysroot.part"; done
  # Absolute links would lead out of it.
  find "$sysroot.part" -type l -lname '/*' | while read -r link; do
    ln -sfr "$sysroot.part$(readlink "$link")" "$link"
  done
  # Its libstdc++ goes into the programs: Swift's runtime was built with a newer one and needs one
  # function more.
  rm "$sysroot.part/usr/lib/gcc/x86_64-linux-gnu/10/libstdc++.so"
  clang++ -O2 -fPIC -c -x c++ -o "$sysroot.part/$multiarch/newer-libstdc++.o" - <<'CXX'
#include <new>
namespace std {
void __throw_bad_array_new_length() { throw bad_array_new_length(); }
}
CXX
  mv "$sysroot.part" "$sysroot"
}

# runs COMMAND...: where programs of this architecture start.
runs() { "$@"; }

# record_start: the order in which the tool starts.
record_start() {
  "$tool" record --no-rebuild -o "$store/firstlight.flp" -- "$tool" --help >/dev/null
  "$tool" order "$store/firstlight.flp" -o "$order"
}

# Before dpkg-buildpackage: nothing, as the libraries are installed here.
describe_libraries() { :; }

strip_tool() { strip -o "$2" "$1"; }

# For dpkg-buildpackage.
debian_options=()
