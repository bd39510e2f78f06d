import FirstlightModel
import TestSupport
import Testing
import TraceReader

@Suite("Whatever the bytes are")
struct MutationTests {
  /// Header fields and records; most of the rest is padding.
  private static let offsets = Array(0..<200) + Array(4032..<4040) + Array(4096..<4096 + 8 * 24)
  private static let words: [UInt32] = [0, 1, 7, 8, 9, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff]

  private static func mutate(_ file: inout FileBytes, _ random: inout SplitMix64) {
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let offset = offsets.randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<4, using: &random) {
      case 0 where offset < file.bytes.count:
        file.bytes[offset] ^= UInt8.random(in: 1...255, using: &random)
      case 1 where offset & ~3 + 4 <= file.bytes.count:
        file[offset & ~3, as: UInt32.self] = words.randomElement(using: &random) ?? 0
      case 2 where offset & ~3 + 4 <= file.bytes.count:
        file[offset & ~3, as: UInt32.self] = UInt32(truncatingIfNeeded: random.next())
      default:
        if Int.random(in: 0..<8, using: &random) == 0 {
          file.resize(Int.random(in: 0...5000, using: &random))
        }
      }
    }
  }

  @Test("a segment is refused with its name and offset or keeps its promises", arguments: 0..<100)
  func segment(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    for _ in 0..<100 {
      var file = FileBytes.segment(
        records: (0..<8).map { Record(guardNumber: $0 + 1, sequence: $0) })
      Self.mutate(&file, &random)
      do {
        let segment = try file.parsedAsSegment()
        let slots = Int(min(file[4032, as: UInt32.self], UInt32(segment.image.guardCount)))
        #expect(segment.firstCalls.count + segment.uncommitted + segment.damaged == slots)
        let guards = Set(segment.firstCalls.map(\.guardIndex))
        #expect(guards.count == segment.firstCalls.count)
        #expect(segment.called.guards == guards)
        for call in segment.firstCalls {
          #expect(call.guardIndex < segment.image.guardCount)
          #expect(call.time >= segment.clockBase.monotonic)
          #expect(call.caller >= segment.imageStart)
          #expect(call.caller - segment.imageStart < segment.imageSize)
        }
        #expect((segment.damaged > 0) <= (segment.problem != nil))
      } catch {
        let failure = try #require(error as? Failure)
        #expect(failure.problem.hasPrefix("a.segment: offset "))
      }
    }
  }

  @Test(
    "a process file is refused with its name and offset or keeps its promises", arguments: 0..<100)
  func process(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    for _ in 0..<100 {
      var file = FileBytes.process(
        forkedFrom: (ProcessID(pid: 1, namespace: 0, start: 1, key: 1), 1))
      Self.mutate(&file, &random)
      do {
        let process = try file.parsedAsProcess()
        #expect(process.process.pid != 0)
        #expect(process.lostImages <= process.imageCount)
        #expect(process.ready ?? .max >= process.clockBase.monotonic)
      } catch {
        let failure = try #require(error as? Failure)
        #expect(failure.problem.hasPrefix("a.process: offset "))
      }
    }
  }

  @Test("marks are refused with name and offset or keep their promises", arguments: 0..<100)
  func marks(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    for _ in 0..<100 {
      var file = FileBytes.marks((0..<5).map { Mark(kind: 2, duration: 5, name: "n\($0)") })
      Self.mutate(&file, &random)
      do {
        let page = try file.parsedAsMarks()
        for mark in page.marks {
          guard case .span(let duration) = mark.kind else { continue }
          #expect(mark.time + (duration ?? 0) <= Int64.max)
        }
      } catch {
        let failure = try #require(error as? Failure)
        #expect(failure.problem.hasPrefix("a.marks: offset "))
      }
    }
  }
}

/// Implication.
private func <= (a: Bool, b: Bool) -> Bool { !a || b }
