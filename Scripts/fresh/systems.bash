# shellcheck shell=bash
# Debian systems in folders of $store, which scripts boot or enter; source it, don't run it.
# shellcheck disable=SC2154  # from the script

root='' nspawn='' leader='' boot_options=()

# make_debian RELEASE NAME [PACKAGES]: a new system in $root, with these packages too (a list with commas); from
# $store/NAME.tar, if an earlier run left that.
make_debian() {
  local mirror base=$store/$2.tar
  mkdir -p "$store"
  root=$(mktemp -d "$store/$2.XXXXXX")
  chmod 755 "$root"
  if [[ -e $base ]]; then
    tar -C "$root" -xf "$base"
    return
  fi
  heading "Making a base system of $1"
  mirror=$(debian_repositories | awk '$2 == "bookworm" { print $1; exit }')
  [[ -n $mirror ]] || fail "apt knows no Debian repository here; run 'apt-get update' and try again" 69
  with_log "$store/debootstrap.log" debootstrap --variant=minbase ${3:+"--include=$3"} \
    --keyring=/usr/share/keyrings/debian-archive-keyring.gpg "$1" "$root" "$mirror"
  tar -C "$root" --one-file-system -cf "$base.part" .
  mv "$base.part" "$base"
}

# boot: starts the system in namespaces of its own, without network, and waits until it runs.
boot() {
  systemd-nspawn --quiet --directory="$root" --boot --private-network --keep-unit --register=no --console=pipe \
    "${boot_options[@]}" </dev/null >"$store/boot.log" 2>&1 &
  nspawn=$!
  # Its first child makes the second, which becomes the system's first process.
  until_is systemd sh -c "cat /proc/\$(cut -d ' ' -f 1 /proc/$nspawn/task/$nspawn/children)/comm"
  leader=$(cut -d ' ' -f 1 "/proc/$nspawn/task/$nspawn/children")
  until_is running inside systemctl is-system-running
}

inside() { nsenter --target "$leader" --all -- "$@"; }

# until_is TEXT COMMAND...: waits until a command says just that.
until_is() {
  local expected=$1 tries said=
  shift
  for ((tries = 0; tries < 300; tries++)); do
    said=$("$@" 2>/dev/null) || true
    if [[ $said == "$expected" ]]; then return; fi
    kill -0 "$nspawn" 2>/dev/null || fail "the system has ended: $(tail -n 3 "$store/boot.log")"
    sleep 0.1
  done
  fail "'$*' says '$said', not '$expected'"
}

# shut_down [STATUS]: ends the system; with a status other than 0 shows what its service said.
shut_down() {
  if [[ -n $leader && ${1:-0} != 0 ]]; then inside journalctl --no-pager -n 60 -u firstlightd || true; fi
  # The first process takes all others with it.
  if [[ -n $leader ]]; then kill -KILL "$leader" 2>/dev/null || true; fi
  if [[ -n $nspawn ]]; then
    kill -KILL "$nspawn" 2>/dev/null || true
    wait "$nspawn" 2>/dev/null || true
  fi
  nspawn='' leader=''
}

did() { printf '  %s\n' "$*"; }
