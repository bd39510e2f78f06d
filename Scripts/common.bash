# shellcheck shell=bash
# What every script here needs; source it, don't run it.

# shellcheck disable=SC2034  # for the scripts that source this
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
  bold=$'\e[1m' plain=$'\e[0m'
else
  bold='' plain=''
fi

heading() { printf '\n%s== %s%s\n' "$bold" "$*" "$plain"; }

fail() {
  printf '%s: %s\n' "${0##*/}" "$1" >&2
  exit "${2:-1}"
}

# Puts the toolchain's programs on PATH: swift, and clang, lld and llvm-* beside it.
use_toolchain() {
  local candidate swift='' resources
  for candidate in "$(type -P swift || true)" /opt/swift/usr/bin/swift /opt/swift-*/usr/bin/swift \
    /usr/local/swift/usr/bin/swift "${HOME:-/root}/.local/share/swiftly/bin/swift" /usr/share/swift/usr/bin/swift; do
    if [[ -n $candidate && -x $candidate ]]; then
      swift=$candidate
      break
    fi
  done
  if [[ -z $swift ]]; then
    fail "no swift in PATH nor in /opt/swift/usr/bin.
Unpack a Swift 6.3 toolchain for Debian 12 (www.swift.org/install/linux), put its usr/bin on PATH:
  export PATH=/path/to/toolchain/usr/bin:\$PATH
and run this again." 69
  fi
  # `swift` may be a stand-in that starts the real one: the compiler knows where it lies.
  resources=$("${swift}c" -print-target-info 2>/dev/null |
    sed -n 's/.*"runtimeResourcePath" *: *"\(.*\)".*/\1/p') || true
  if [[ -z $resources ]]; then
    "${swift}c" -print-target-info >/dev/null || true
    fail "$swift does not run; is the toolchain made for this system?" 69
  fi
  PATH=$(cd "$resources/../../bin" && pwd):$PATH
  export PATH
}

# SwiftPM writes the compilers' command lines in the order of hashes. That order is fixed here, as with
# another one all our modules would be compiled anew for each product that is built by itself; tests see
# any order.
swift() {
  if [[ ${1:-} == build ]]; then
    SWIFT_DETERMINISTIC_HASHING=1 command swift "$@"
  else
    command swift "$@"
  fi
}

# build_tools: sets FIRSTLIGHT_BIN to a folder with the tools of the build that makes the tests, and the libraries that
# go into users' programs, as users get them. A folder that is set already stays.
build_tools() {
  local built library
  if [[ -n ${FIRSTLIGHT_BIN:-} ]]; then return; fi
  with_log .build-test/tools.log swift build --build-tests
  built=$(swift build --show-bin-path)
  export FIRSTLIGHT_BIN=$project/.build-test/tools
  mkdir -p "$FIRSTLIGHT_BIN"
  ln -f "$built"/{firstlight,firstlight-prune,firstlightd} "$FIRSTLIGHT_BIN"
  for library in firstlight_rt firstlight_prefetch firstlight_conformances; do
    with_log .build-test/libraries.log swift build -c release --product "$library"
    ln -f "$(swift build -c release --show-bin-path)/lib$library.a" "$FIRSTLIGHT_BIN"
  done
}

# start_daemon LOG OPTION...: starts firstlightd on a free port of loopback. Sets `daemon` to its process id and `port`.
start_daemon() {
  local log=$1 tries
  shift
  "$FIRSTLIGHT_BIN/firstlightd" --listen 127.0.0.1:0 "$@" >"$log" 2>&1 &
  daemon=$! port=''
  for ((tries = 0; tries < 300; tries++)); do
    port=$(sed -nE 's/.*[ =]port=([0-9]+).*/\1/p' "$log")
    if [[ -n $port ]] || ! kill -0 "$daemon" 2>/dev/null; then break; fi
    sleep 0.1
  done
  [[ -n $port ]] || fail "firstlightd does not start: $(tail -n 1 "$log")" 69
}

# make_python FOLDER MODULE PACKAGE...: a Python with packages of PyPI, one of which has the module.
make_python() {
  if "$1/bin/python" -c "import $2" 2>/dev/null; then return; fi
  python3 -m venv --clear "$1"
  with_log "$1.log" "$1/bin/pip" install "${@:3}"
}

# tool_version: the version of the tools.
tool_version() { sed -nE 's/.*static let text = "([^"]+)".*/\1/p' "$project/Sources/Base/FirstlightModel/ToolVersion.swift"; }

# unpack_servers FILE PACKAGE...: unpacks packages into .build-fleet/debian unless the file is there, so that
# none of them starts a service.
unpack_servers() {
  local file=$1 directory=$project/.build-fleet
  shift
  if [[ -e $directory/debian/$file ]]; then return; fi
  rm -rf "$directory/package"
  mkdir -p "$directory/package"
  (
    cd "$directory/package" || exit
    # It can always read a directory of its own.
    apt-get download -o APT::Sandbox::User=root "$@" >/dev/null
    for package in *.deb; do dpkg-deb -x "$package" "$directory/debian"; done
  )
}

# unpack_clickhouse, unpack_zookeeper: what Scripts/clickhouse-cluster starts.
unpack_clickhouse() { unpack_servers usr/sbin/clickhouse-server clickhouse-server; }
unpack_zookeeper() {
  unpack_servers usr/share/java/zookeeper.jar libzookeeper-java libslf4j-java libnetty-java \
    libdropwizard-metrics-java libsnappy-java
}

# Debian's own repositories, as this machine's apt has them: URL and release, a line for each.
debian_repositories() {
  # shellcheck disable=SC2016  # apt fills these in
  apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(REPO_URI) $(RELEASE)' \
    'Created-By: Packages' | awk '$1 == "Debian" && $2 == "main" { print $3, $4 }' | sort -u
}

# use_network ROOT: lets a fresh Debian reach what this machine's apt reaches, in the same way. Its own
# source list stays; certificates and names come along.
use_network() {
  apt-config dump | grep -E '^Acquire::(http|https|Check|Retries|ForceIPv)' \
    >"$1/etc/apt/apt.conf.d/90network" || true
  cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
  mkdir -p "$1/etc/ssl/certs" "$1/usr/local/share/ca-certificates"
  if [[ -e /etc/ssl/certs/ca-certificates.crt ]]; then
    cp -L /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/"
  fi
  cp -a /usr/local/share/ca-certificates/. "$1/usr/local/share/ca-certificates/"
}

# package_mirror: the folder on this machine that git is told to fetch Swift packages from, if there is one.
package_mirror() {
  git config --get-regexp '^url\./.*\.insteadof$' | sed -n '1s/^url\.\(.*\)\.insteadof .*/\1/p' || true
}

# copy_git_rules FILE: writes from where git fetches instead into another configuration of git.
copy_git_rules() {
  local key value
  rm -f "$1"
  git config --get-regexp '^url\..*\.insteadof$' | while read -r key value; do
    git config --file "$1" --add "$key" "$value"
  done || true
}

# as_typed COMMAND...: shows a command as one would type it, then runs it.
as_typed() {
  show_typed "$@"
  "$@"
}

# show_typed COMMAND...: shows a command as one would type it.
show_typed() {
  local word line=
  for word in "$@"; do
    [[ $word =~ ^[A-Za-z0-9_./:=,@%+-]+$ ]] || word="'$word'"
    line+=" $word"
  done
  printf '%s$%s%s\n' "$bold" "$line" "$plain"
}

# part NAME: a heading for the next part of a long script. At the script's end, also a failed one, `parts_table` shows
# what each part took: trap 'parts_table $?' EXIT
part() {
  end_part ''
  part_name=$1 part_start=$EPOCHREALTIME part_before=$(children_seconds)
  heading "$1"
}
part_name='' parts=()

# end_part REMARK: notes what the current part took.
end_part() {
  if [[ -z $part_name ]]; then return; fi
  parts+=("$(awk -v a="$part_start" -v b="$EPOCHREALTIME" -v c="$part_before" -v d="$(children_seconds)" \
    -v name="$part_name$1" 'BEGIN { printf "%.0f\t%.0f\t%s", b - a, d - c, name }')")
  part_name=''
}

# CPU seconds of the programs that have ended (proc_pid_stat(5), cutime and cstime).
children_seconds() {
  sed 's/.*) //' "/proc/$$/stat" | awk -v ticks="$(getconf CLK_TCK)" '{ print ($14 + $15) / ticks }'
}

# parts_table STATUS: the parts so far, slowest first; the last one failed unless the status is 0.
parts_table() {
  if (($1 == 0)); then end_part ''; else end_part ' (failed)'; fi
  printf '\n%sWall s   CPU s  Part%s\n' "$bold" "$plain"
  printf '%s\n' "${parts[@]}" | sort -rn | awk -F '\t' '
    { printf "%6d  %6d  %s\n", $1, $2, $3; wall += $1; cpu += $2 }
    END { printf "%6d  %6d  all\n", wall, cpu }'
}

# slowest_tests LOG: the ten slowest tests in a log of swift test.
slowest_tests() {
  printf '\n%sSeconds  Slowest tests%s\n' "$bold" "$plain"
  sed -nE '/ Test run with /d; s/^[✔✘] Test ([A-Za-z_"].*) (passed|failed) after ([0-9.]+) seconds.*/\3\t\1/p' "$1" | sort -rn |
    awk -F '\t' 'NR <= 10 { printf "%7.1f  %s\n", $1, $2 }'
}

# with_log FILE COMMAND...: for a long command. A terminal sees its output; a pipe gets a sign of
# life now and then, and errors and the output's end only if the command fails.
with_log() {
  local log=$1 job status=0 waited=0
  shift
  if [[ -t 1 ]]; then
    "$@"
    return
  fi
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 &
  job=$!
  while kill -0 "$job" 2>/dev/null; do
    sleep 1
    waited=$((waited + 1))
    if ((waited % 20 == 0)); then printf '  %3d s  %s\n' "$waited" "$(tail -n 1 "$log" | cut -c 1-90)"; fi
  done
  wait "$job" || status=$?
  if ((status == 0)); then
    tail -n 1 "$log"
  else
    grep -aE '^✘|error:' "$log" | head -n 20 >&2 || true
    tail -n 20 "$log" >&2
    printf 'The whole output is in %s\n' "$log" >&2
  fi
  return "$status"
}
