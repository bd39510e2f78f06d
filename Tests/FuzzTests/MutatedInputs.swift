import Foundation
import TestSupport

/// Inputs for a reader: the seeds of Scripts/fuzz, each as it is and with random changes, the same in each run.
enum MutatedInputs {
  /// Numbers that readers compare with limits, or add to others.
  private static let numbers: [UInt64] = [
    0, 1, 7, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 1 << 40, .max >> 1, .max,
  ]

  /// Reads all inputs. A reader that breaks ends the process, and the input stays in `.build/mutated`.
  static func run(
    _ seeds: String, _ changed: Int, _ read: (UnsafePointer<UInt8>, Int) -> CInt
  ) throws {
    let folder = Toolchain.project.appending(path: "Tests/Fixtures/\(seeds)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    let contents = try names.map { [UInt8](try Data(contentsOf: folder.appending(path: $0))) }
    let kept = Toolchain.project.appending(path: ".build/mutated")
    try FileManager.default.createDirectory(at: kept, withIntermediateDirectories: true)
    let file = kept.appending(path: seeds)
    var random = SplitMix64(state: 1)
    for seed in contents {
      for round in 0...changed {
        var input = seed
        for _ in 0..<(round == 0 ? 0 : 1 + Int(random.next() % 4)) {
          change(&input, others: contents, &random)
        }
        try Data(input).write(to: file)
        // A pointer to no bytes may be nil.
        input.append(0)
        _ = input.withUnsafeBufferPointer { read($0.baseAddress!, $0.count - 1) }
      }
    }
    try FileManager.default.removeItem(at: file)
  }

  private static func change(
    _ input: inout [UInt8], others: [[UInt8]], _ random: inout SplitMix64
  ) {
    guard !input.isEmpty else { return }
    // Headers say the most: half of the changes are near the start.
    let near = random.next() % 2 == 0 ? min(input.count, 256) : input.count
    let place = Int(random.next() % UInt64(near))
    switch random.next() % 6 {
    case 0: input[place] ^= 1 << UInt8(random.next() % 8)
    case 1: input[place] = UInt8(truncatingIfNeeded: random.next())
    case 2: input.removeSubrange(place...)
    case 3:
      let other = others[Int(random.next() % UInt64(others.count))]
      input = Array(input[..<place] + other.dropFirst(place))
    default:
      let number = numbers[Int(random.next() % UInt64(numbers.count))]
      let size = [1, 2, 4, 8][Int(random.next() % 4)]
      for byte in 0..<size where place + byte < input.count {
        input[place + byte] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(byte)))
      }
    }
  }
}
