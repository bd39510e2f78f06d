// The entry that libFuzzer calls for each input: https://llvm.org/docs/LibFuzzer.html
// Scripts/fuzz builds it alone and runs it; MutatedInputTests runs it on inputs of its own.
import FirstlightModel

@testable import FleetModel

/// Reads one input as a batch of rows, as anybody may send it, and stops the program where what was read
/// cannot be added up or does not travel on unchanged.
#if FUZZING
  @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzzBatch(_ start: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let bytes = UnsafeRawBufferPointer(start: start, count: size)
  guard let batch = try? StateBatch(Array(bytes)) else { return 0 }
  var sums: [StateKey: SeriesState] = [:]
  for place in batch.rows.indices {
    guard let row = try? batch.row(place) else { continue }
    for (index, sum) in row.sums.called {
      precondition(index < row.key.guardCount && sum.runs > 0)
      precondition(FleetDay(of: sum.firstSeen) == row.key.day)
    }
    let again = row.encoded()
    guard let back = again.withUnsafeBytes({ try? SeriesState(decoding: $0) }) else {
      preconditionFailure("what was read cannot be written and read again")
    }
    precondition(back == row)
    sums[row.key, default: SeriesState(key: row.key, name: "", isExecutable: false)].add(row)
  }
  for place in batch.samples.indices {
    guard let trace = try? batch.sample(place) else { continue }
    for call in trace.calls {
      precondition(call.guardIndex < trace.images[Int(call.build)].guardCount)
    }
    let again = StateBatch.encode(sample: trace)
    guard let back = again.withUnsafeBytes({ try? StateBatch.sample($0) }) else {
      preconditionFailure("a trace that was read cannot be written and read again")
    }
    precondition(back == trace)
  }
  return 0
}
