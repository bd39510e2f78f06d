#!/usr/bin/env bash
# What breakpoints cost a program: Benchmarks/tracer.sh [PROGRAM [ARG...]]
#
#   PROGRAM     any program with symbols that ends by itself; by default a statically linked Swift
#               program with Foundation, built here
# Environment: FIRSTLIGHT (default .build/release/firstlight), RUNS (default 15).
#
# Prints medians: the program bare, the same under `record --no-rebuild` from its start to its end as
# the profile has it, and the whole command, which then makes the function table and writes the file.
# Goal: at most 0.20 s more for a program with 88,000 functions of which 4,200 are hit: what is built
# here has 82,657 and 4,292.
set -euo pipefail

firstlight=${FIRSTLIGHT:-.build/release/firstlight}
runs=${RUNS:-15}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# As Scripts/bench gives us the server, which never ends by itself: take our own program.
if [[ ${1-} == */WebService ]]; then shift; fi
if (($# == 0)); then
  cat >"$work/hello.swift" <<'SWIFT'
import Foundation
struct Note: Codable, Hashable { var number: Int; var text: String; var date: Date; var url: URL; var tags: [String: Double] }
let note = Note(number: 1, text: "one", date: Date(timeIntervalSince1970: 0), url: URL(string: "https://a.b/c?d=e#f")!, tags: ["x": 1.5])
let encoder = JSONEncoder(); encoder.outputFormatting = [.prettyPrinted, .sortedKeys]; encoder.dateEncodingStrategy = .iso8601
let data = try encoder.encode([note])
let decoder = JSONDecoder(); decoder.dateDecodingStrategy = .iso8601
let notes = try decoder.decode([Note].self, from: data)
let plist = try PropertyListEncoder().encode(notes)
print(try PropertyListDecoder().decode([Note].self, from: plist) == notes, Set(notes).count)
var calendar = Calendar(identifier: .gregorian); calendar.timeZone = TimeZone(identifier: "Europe/Paris")!
print(calendar.dateComponents([.year, .month, .day, .hour, .weekday], from: Date(timeIntervalSince1970: 1e9)))
print(calendar.date(byAdding: .month, value: 3, to: Date(timeIntervalSince1970: 1e9))!)
let formatter = DateFormatter(); formatter.locale = Locale(identifier: "de_DE"); formatter.dateStyle = .full; formatter.timeStyle = .long
print(formatter.string(from: Date(timeIntervalSince1970: 1e9)))
let numbers = NumberFormatter(); numbers.numberStyle = .currency; numbers.locale = Locale(identifier: "fr_FR"); print(numbers.string(from: 1234.5)!)
var parts = URLComponents(string: "https://u:p@host:80/path?x=1&y=2")!; parts.queryItems?.append(URLQueryItem(name: "z", value: "ä")); print(parts.url!)
print("key = value 12".matches(of: try! Regex("[a-z]+|[0-9]+")).count, try! NSRegularExpression(pattern: "\\w+").numberOfMatches(in: "a b c", range: NSRange(location: 0, length: 5)))
print("a,b".components(separatedBy: ","), " x ".trimmingCharacters(in: .whitespaces), "Straße".uppercased(), "abc".range(of: "B", options: .caseInsensitive) as Any)
print(FileManager.default.fileExists(atPath: "/tmp"), ProcessInfo.processInfo.processName, UUID().uuidString.count, Data("x".utf8).base64EncodedString())
let queue = DispatchQueue(label: "q"); queue.sync { print("q") }
func slow() async -> Int { await withTaskGroup(of: Int.self) { g in for i in 0..<4 { g.addTask { i } }; return await g.reduce(0, +) } }
actor A { var n = 0; func add() -> Int { n += 1; return n } }
print(await slow(), await A().add(), 1234567.formatted(), Date(timeIntervalSince1970: 0).formatted(.iso8601), Measurement(value: 3, unit: UnitLength.meters).converted(to: .feet).value)
print([3, 1, 2].sorted().map(String.init).joined(), String(format: "%.3f %@", 1.5, "s" as NSString), NSAttributedString(string: "x").length, Decimal(string: "1.25")! * 3)
SWIFT
  swiftc -O -static-stdlib -use-ld=lld "$work/hello.swift" -o "$work/hello" 2>/dev/null
  set -- "$work/hello"
fi

# Prints the microseconds a command takes.
time_of() {
  local begin
  begin=$(date +%s%N)
  "$@" >"$work/output" 2>"$work/errors" || true
  echo $((($(date +%s%N) - begin) / 1000))
}

# Microseconds from the program's start to its end, as the profile has them.
observed() {
  "$firstlight" info --format json "$1" |
    awk -F'[:,]' '/"secondsObserved"/ { printf "%d\n", $2 * 1e6 }'
}

median() { sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }
milliseconds() { awk -v us="$1" 'BEGIN { printf "%.1f ms", us / 1000 }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

# Interleaved, so that a change of the machine's speed falls on all alike. The first round warms up.
for ((run = 0; run <= runs; run++)); do
  bare=$(time_of "$@")
  whole=$(time_of "$firstlight" record --no-rebuild -o "$work/p.flp" -- "$@")
  watched=$(observed "$work/p.flp")
  ((run == 0)) && continue
  for kind in bare watched whole; do echo "${!kind}" >>"$work/$kind"; done
done
for kind in bare watched whole; do declare "$kind=$(median <"$work/$kind")"; done

printf '%s, %s runs, medians:\n' "$(basename "$1")" "$runs"
sed -n 's/.*recorded \(.*\), to .*/  \1/p' "$work/errors"
printf '  %-38s %10s\n' \
  'bare' "$(milliseconds "$bare")" \
  'under breakpoints' "$(milliseconds "$watched")  $(ratio "$watched" "$bare") of bare" \
  '  so breakpoints add' "$(milliseconds $((watched - bare)))" \
  'the whole record command' "$(milliseconds "$whole")  $(ratio "$whole" "$bare") of bare"
