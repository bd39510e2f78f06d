import FirstlightModel
import Glibc
import SystemSupport

/// The code of a file in the memory of the processes that run it.
enum MappedCode {
  /// The functions that a process does not run from its private read-only mappings of the file, or whose first bytes
  /// in such a mapping are not the wanted ones.
  ///
  /// The kernel puts probes only into private mappings that cannot be written to.
  ///
  /// - Parameters:
  ///   - functions: each with its place in the file, sorted by place.
  ///   - isWanted: called with the first bytes of a function in memory and in the file.
  /// - Returns: nil if the process has ended or does not use the file, or its memory may not be read.
  static func missing(
    _ functions: [(place: UInt64, function: UInt32)], of file: OpenFile, in process: UInt32,
    unless isWanted: (_ memory: ArraySlice<UInt8>, _ file: ArraySlice<UInt8>) -> Bool
  ) -> Set<UInt32>? {
    let parts = ProcessMapping.all(of: "\(process)").filter { part in
      guard part.isExecutable, part.inode != 0 else { return false }
      // The link needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE.
      let place = FilePlace(part.link(of: process))
      return place.map { $0 == file.place } ?? (part.inode == file.place.inode)
    }
    guard !parts.isEmpty || RunningProgram.place(of: process) == file.place else { return nil }
    let memory = open(LiveProcess.folder(of: process) + "/mem", O_RDONLY | O_CLOEXEC)
    guard memory >= 0 else { return nil }
    defer { close(memory) }
    var (found, wrong): (Set<UInt32>, Set<UInt32>) = ([], [])
    for part in parts where !part.isWritable && !part.isShared {
      let end = part.offset + UInt64(part.range.count)
      var next = functions.partitioningIndex { $0.place >= part.offset }
      while next < functions.count, functions[next].place < end {
        let first = functions[next].place
        let count = Int(min(end - first, UInt64(window)))
        let there = FileBytes.read(memory, at: part.range.lowerBound + first - part.offset, count)
        let wanted = file.bytes(at: first, count)
        guard there.count == count, wanted.count == count else { return nil }
        while next < functions.count, functions[next].place < first + UInt64(count) {
          let start = Int(functions[next].place - first)
          // Only the last function of a window may be cut; it then begins the next one.
          if start > 0, start + compared > count, first + UInt64(count) < end { break }
          // A probe of another watch may stand at the next function.
          let following = functions[next...].first { $0.place > functions[next].place }
          let size = following.map { Int(min($0.place - functions[next].place, UInt64(compared))) }
          let range = start..<min(start + (size ?? compared), count)
          let function = functions[next].function
          if isWanted(there[range], wanted[range]) {
            found.insert(function)
          } else {
            wrong.insert(function)
          }
          next += 1
        }
      }
    }
    return wrong.union(functions.lazy.map(\.function).filter { !found.contains($0) })
  }

  /// Bytes to read at once, and to compare of each function: more than the longest instruction has.
  private static let window = 1 << 20
  private static let compared = 16

  /// Whether memory begins with the kernel's breakpoint.
  static func hasProbe(_ memory: ArraySlice<UInt8>) -> Bool { memory.starts(with: breakpoint) }

  /// Whether memory has the file's code, but for a breakpoint of another watch.
  static func isSame(_ memory: ArraySlice<UInt8>, _ file: ArraySlice<UInt8>) -> Bool {
    memory == file
      || hasProbe(memory) && memory.dropFirst(breakpoint.count) == file.dropFirst(breakpoint.count)
  }

  #if arch(arm64)
    private static let breakpoint: [UInt8] = [0xa0, 0x00, 0x20, 0xd4]
  #else
    private static let breakpoint: [UInt8] = [0xcc]
  #endif

  /// A library of a process that is known to copy or to change code, and with it the breakpoints in that code: of
  /// uftrace, Dyninst, Frida and libraries for huge pages.
  static func changer(among mappings: [ProcessMapping]) -> String? {
    mappings.map(\.path).first { path in
      changers.contains { BaseName.of(path).begins(with: $0) }
    }
  }

  /// - Parameter library: see `changer`.
  static func refusal(of library: String, in process: some BinaryInteger) -> Failure {
    Failure(
      .unavailable, "process \(process) has loaded \(library), which changes code",
      advice: "start the program without it: breakpoints in changed code would crash it")
  }

  private static let changers = [
    "libmcount", "libdyninstAPI_RT", "frida-", "libhugetlbfs", "liblppreload",
  ]
}

extension ProcessMapping {
  /// Leads to the mapped file, also if its path does not.
  func link(of process: some BinaryInteger) -> String {
    "/proc/\(process)/map_files/\(String(range.lowerBound, radix: 16))-\(String(range.upperBound, radix: 16))"
  }
}

/// Bytes of an open file.
enum FileBytes {
  /// Fewer bytes than asked for at the end of the file, or where it cannot be read.
  static func read(_ descriptor: Int32, at offset: UInt64, _ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
      while size < count {
        let got = pread(
          descriptor, buffer.baseAddress! + size, count - size, off_t(offset) + off_t(size))
        if got < 0, errno == EINTR { continue }
        guard got > 0 else { break }
        size += got
      }
    }
  }
}
