// The entry that libFuzzer calls for each input: https://llvm.org/docs/LibFuzzer.html
// Scripts/fuzz builds it alone and runs it; MutatedInputTests runs it on inputs of its own. Coverage guides it through our own code: libelf
// and libdw come without instrumentation.
import FirstlightModel
import FleetModel
import Glibc

@testable import BuildReader
@testable import DebugInfo

/// Reads one input as an ELF file with debug information, and stops the program where an answer refers to
/// what is not there.
#if FUZZING
  @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzzELF(_ start: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  // A file without a name, which goes with its descriptor.
  let unnamed = 0o20000000 | O_DIRECTORY  // O_TMPFILE, which Swift does not import
  let file = open("/dev/shm", unnamed | O_RDWR | O_CLOEXEC, 0o600)
  precondition(file >= 0)
  defer { close(file) }
  let path = "/proc/self/fd/\(file)"
  guard write(file, start, size) == size,
    let image = try? DebugImage(path: path, debugDirectories: [])
  else { return 0 }
  let addresses = Array(image.functionEntries.addresses.prefix(256))
  let places = addresses + addresses.map { $0 &+ 4 } + [0, .max, image.elf.codeRange.lowerBound]
  let table = image.source.frames(at: places, inlines: true)
  for place in places.indices {
    for entry in table.entries(at: place) {
      precondition(entry.name < table.names.count && entry.file < table.files.count)
    }
  }
  let build = image.symbolBuild(recordedPath: "elf")
  for function in build.functions {
    guard case .copies(let hosts, _) = function.code else { continue }
    precondition(hosts.allSatisfy { $0 < build.guardCount })
  }
  _ = try? image.build(recordedPath: "elf")
  _ = try? image.facts()
  _ = try? image.address(of: ".text.sum", offset: 0)
  _ = image.notes
  answer(image, UnsafeBufferPointer(start: start, count: size))
  return 0
}

/// Does what a worker of firstlightd does with a file, then what firstlightd does with the worker's answer;
/// and takes the file itself for an answer, as a worker could write that has been taken over.
private func answer(_ image: DebugImage, _ input: UnsafeBufferPointer<UInt8>) {
  let limits = WorkerLimits(fileBytes: input.count, memoryCap: 2 << 30)
  let counted = try? image.countedFunctions(recordedPath: "elf")?.build
  if let counted { precondition(counted.guarded.count == counted.guardCount) }
  if let table = try? FunctionTable(of: image, recordedPath: "elf") {
    let counters = counted.map { FunctionTable(build: $0, bodies: []) }
    let bytes = BuildReading(
      result: .success(table), counted: table.key.counters == nil ? nil : counters
    ).encoded()
    if let reading = try? BuildReading(decoding: bytes, path: "elf", rows: limits.rows) {
      precondition(reading.encoded() == bytes)
    }
  }
  _ = try? BuildReading(decoding: Array(input), path: "elf", rows: limits.rows)
}

#if FUZZING
  @_silgen_name("LLVMFuzzerMutate")
  private func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ size: Int, _ limit: Int) -> Int

  /// Changes one section and leaves the rest as it was, half of the time: a change anywhere mostly hits what
  /// only keeps the file from being read at all.
  @_cdecl("LLVMFuzzerCustomMutator")
  public func mutateELF(
    _ bytes: UnsafeMutablePointer<UInt8>, _ size: Int, _ limit: Int, _ seed: UInt32
  ) -> Int {
    let input = Bytes(base: UnsafeRawPointer(bytes), count: size)
    let headers = input.load(40, as: UInt64.self).flatMap(Int.init(exactly:)) ?? 0
    let count = Int(input.load(60, as: UInt16.self) ?? 0)
    guard seed & 1 == 0, count > 0, headers < size else { return mutate(bytes, size, limit) }
    let header = headers + Int(seed >> 1) % count * 64
    guard let offset = input.load(header + 24, as: UInt64.self),
      let length = input.load(header + 32, as: UInt64.self), length > 0,
      input.slice(offset, length) != nil
    else { return mutate(bytes, size, limit) }
    // What a shorter section leaves behind stays as it was.
    _ = mutate(bytes + Int(offset), Int(length), Int(length))
    return size
  }
#endif
