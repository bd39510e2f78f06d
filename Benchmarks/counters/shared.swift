// shared THREADS: nanoseconds of processor time for each turn of a loop that calls two small functions, the worst case for
// counters: nothing but calls, and all threads call the same.
import Foundation

@inline(never) func next(_ x: UInt64) -> UInt64 { x &* 6_364_136_223_846_793_005 &+ 1 }
func small(_ x: UInt64) -> UInt64 { x > 3 ? x &* 31 : x &+ 7 }

func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

let threads = Int(CommandLine.arguments[1])!
let turns: UInt64 = 20_000_000
let before = processorTime()
DispatchQueue.concurrentPerform(iterations: threads) { _ in
  var x: UInt64 = 1
  for turn in 0..<turns { x = next(x) ^ small(turn) }
  if x == 42 { print("never") }
}
print((processorTime() - before) / Double(turns * UInt64(threads)))
