// A start on Dispatch's threads: parts are made by concurrentPerform, then joined on a serial queue.
import Dispatch

@inline(never) func part(_ seed: Int) -> [String: Int] {
  var counts: [String: Int] = [:]
  for number in 0..<2000 { counts["key \((number &* 31 &+ seed) % 997)", default: 0] += number }
  return counts
}

@inline(never) func join(_ parts: [[String: Int]]) -> Int {
  parts.reduce(0) { $0 + $1.values.reduce(0, &+) }
}

@inline(never) func run() {
  let queue = DispatchQueue(label: "parts")
  nonisolated(unsafe) var parts: [[String: Int]] = []
  DispatchQueue.concurrentPerform(iterations: 8) { seed in
    let made = part(seed)
    queue.sync { parts.append(made) }
  }
  print(join(parts))
}
run()
