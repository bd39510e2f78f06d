// The entry that libFuzzer calls for each input: https://llvm.org/docs/LibFuzzer.html
// Built and run by Scripts/fuzz; no target of the package.
import FirstlightModel

@testable import FleetModel

/// Reads one input as a batch of traces, as anybody may send it, and stops the program where what was
/// read cannot be summed up or does not travel on unchanged.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBatch(_ start: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let bytes = UnsafeRawBufferPointer(start: start, count: size)
  guard let traces = try? FleetBatch.decode(bytes) else { return 0 }
  for trace in traces {
    for image in trace.images {
      for seen in image.seen {
        precondition(seen.guards.allSatisfy { $0 < image.guardCount })
        precondition(zip(seen.guards, seen.guards.dropFirst()).allSatisfy { $0 < $1 })
      }
    }
    for call in trace.calls ?? [] {
      precondition(call.guardIndex < trace.images[Int(call.build)].guardCount)
    }
  }
  let again = FleetBatch.encode(traces)
  guard let back = again.withUnsafeBytes({ try? FleetBatch.decode($0) }) else {
    preconditionFailure("what was read cannot be written and read again")
  }
  precondition(back == traces)
  // A sum has an entry for each guard that a trace speaks of: see `ByteReader`.
  let guards = traces.reduce(0) { $0 + $1.images.reduce(0) { $0 + $1.guardCount } }
  if guards < 1 << 20 { _ = BatchSums(traces) }
  return 0
}
