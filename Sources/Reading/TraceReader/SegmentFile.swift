import FirstlightABI
import FirstlightModel
import Synchronization
import SystemSupport

/// Reads segment files: the runtime's records of one image in one process.
///
/// The layout is that of `firstlight_abi.h`. A file whose header contradicts itself is refused as a
/// whole. An impossible record is skipped and counted, like those beyond the end of a truncated file;
/// the rest is read, and `Segment.problem` has the first problem. The file may be written meanwhile.
///
/// Time and memory are linear in the file's size, whatever the header claims; for a file that is no
/// longer written, in its real data.
package enum SegmentFile {
  /// Reads a segment.
  /// - Parameter path: The file. Not followed if it is a symbolic link.
  /// - Throws: `.noInput` if the file cannot be opened or is not regular, `.inputOutput` if reading
  ///   fails, `.data` if it is no segment; each names the file, and the offset where there is one.
  package static func read(path: String) throws(Failure) -> Segment {
    try read(RegularFile(path: path, followsLinks: false))
  }

  /// Reads a segment from memory.
  /// - Parameters:
  ///   - bytes: The file's contents; not kept. Need not be aligned.
  ///   - name: the file's name in messages.
  /// - Throws: `.data` if the contents are no segment, naming `name` and the offset.
  package static func parse(
    _ bytes: UnsafeRawBufferPointer, name: String
  ) throws(Failure) -> Segment {
    let header = try SegmentHeader(HeaderPage(bytes, name: name))
    let records = UnsafeRawBufferPointer(rebasing: bytes[Int(FL_HEADER_SIZE)...])
    let wanted = SlotExtent(header: header, fileSize: bytes.count)
    var scan = RecordScan(header: header, slots: wanted.present, keepsCalls: true)
    let used = UnsafeRawBufferPointer(rebasing: records[..<wanted.readableBytes])
    scan.take(guards: used, fields: used)
    return segment(header, scan, wanted, name: name)
  }

  /// - Parameters:
  ///   - isFinal: whether the file is no longer written, so that one copy of each slot is enough.
  ///   - keepsCalls: whether first calls are needed beside the set of called guards.
  ///   - limit: number of first calls beyond which reading may stop.
  static func read(
    _ file: borrowing RegularFile, isFinal: Bool = false, keepsCalls: Bool = true,
    limit: Int = .max
  ) throws(Failure) -> Segment {
    // The header with its count is copied first: slots reserved later are left for a later read.
    let page = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(FL_HEADER_SIZE), alignment: 16)
    defer { page.deallocate() }
    let headerSize = try file.read(into: page, at: 0)
    let header = try SegmentHeader(
      HeaderPage(UnsafeRawBufferPointer(rebasing: page[..<headerSize]), name: file.name))
    var wanted = try SlotExtent(header: header, fileSize: file.size())
    let held = isFinal ? try file.allocatedSize() / Int(FL_RECORD_SIZE) : wanted.present
    var scan = RecordScan(
      header: header, slots: min(wanted.present, held), keepsCalls: keepsCalls)

    let partSize = min(wanted.readableBytes, SlotExtent.partSize)
    let parts = UnsafeMutableRawBufferPointer.allocate(
      byteCount: isFinal ? partSize : partSize * 2, alignment: 16)
    defer { parts.deallocate() }
    var done = 0
    while done < wanted.readableBytes, scan.taken <= limit {
      if isFinal {
        let hole = holeSize(in: file, at: done, of: wanted)
        scan.skip(hole / Int(FL_RECORD_SIZE))
        done += hole
        if done >= wanted.readableBytes { break }
      }
      let size = min(partSize, wanted.readableBytes - done)
      let guards = UnsafeMutableRawBufferPointer(rebasing: parts[..<size])
      let offset = Int(FL_HEADER_SIZE) + done
      var copied = try file.read(into: guards, at: offset)
      var fields = guards
      if !isFinal {
        // The second copy must be later than the first on every processor.
        atomicMemoryFence(ordering: .acquiring)
        fields = UnsafeMutableRawBufferPointer(rebasing: parts[partSize..<partSize + size])
        copied = min(copied, try file.read(into: fields, at: offset))
      }
      let whole = copied / Int(FL_RECORD_SIZE) * Int(FL_RECORD_SIZE)
      scan.take(
        guards: UnsafeRawBufferPointer(rebasing: guards[..<whole]),
        fields: UnsafeRawBufferPointer(rebasing: fields[..<whole]))
      if copied < size {  // Cut short while being read.
        wanted = SlotExtent(header: header, fileSize: offset + copied)
        break
      }
      done += size
    }
    return segment(header, scan, wanted, name: file.name)
  }

  /// Bytes of the slots after `done` that lie within a hole of the file.
  private static func holeSize(
    in file: borrowing RegularFile, at done: Int, of extent: SlotExtent
  ) -> Int {
    let start = Int(FL_HEADER_SIZE) + done
    guard let next = file.nextData(from: start) else { return extent.readableBytes - done }
    let size = max(0, next - start) / Int(FL_RECORD_SIZE) * Int(FL_RECORD_SIZE)
    return min(size, extent.readableBytes - done)
  }

  private static func segment(
    _ header: SegmentHeader, _ scan: RecordScan, _ extent: SlotExtent, name: String
  ) -> Segment {
    var image = header.image
    image.watch?.gaps = scan.gaps
    return Segment(
      process: header.process, clockBase: (header.monotonic, header.realtime),
      image: image, imageStart: header.imageStart, imageSize: header.imageSize,
      isPathTruncated: header.isPathTruncated, firstCalls: scan.firstCalls,
      called: scan.called, uncommitted: scan.uncommitted, damaged: scan.damaged + extent.cutOff,
      problem: problem(header, scan, extent, name: name))
  }

  /// The most important problem, with the number of lost calls.
  private static func problem(
    _ header: SegmentHeader, _ scan: RecordScan, _ extent: SlotExtent, name: String
  ) -> Failure? {
    if extent.present < extent.expected {
      return Failure(
        .data,
        "\(name): offset \(extent.fileSize): file ends after \(extent.present) whole records, expected room for \(extent.expected); \(extent.cutOff) of \(extent.handedOut) written ones are lost"
      )
    }
    if let (slot, damage) = scan.firstDamage {
      let offset = Int(FL_HEADER_SIZE) + slot * Int(FL_RECORD_SIZE) + damage.offset
      return Failure(
        .data,
        "\(name): offset \(offset): \(damage.problem(in: header)); \(scan.damaged) damaged records left out"
      )
    }
    if header.count > header.slotLimit {
      let offset = MemoryLayout<fl_segment_header>.offset(of: \.count) ?? 0
      return Failure(
        .data,
        "\(name): offset \(offset): count is \(header.count), expected at most \(header.slotLimit)")
    }
    if extent.isTooLong {
      return Failure(
        .data,
        "\(name): offset \(extent.expectedSize): data after the last record, expected the end of the file"
      )
    }
    return nil
  }
}

/// The readable slots of a segment.
private struct SlotExtent {
  /// Size of one read: whole records, small enough to keep two copies in a cache.
  static let partSize = 8192 * Int(FL_RECORD_SIZE)

  let fileSize: Int
  /// The largest file size, bytes.
  let expectedSize: Int
  /// Slots that the file has to have.
  let expected: Int
  /// Slots reserved for records, at most the limit.
  let handedOut: Int
  /// Whole slots within the file, at most the limit.
  let present: Int

  init(header: SegmentHeader, fileSize: Int) {
    self.fileSize = fileSize
    // A watcher's file grows by whole blocks of the file system.
    let room = header.hasAllSlots ? 0 : Int(FL_HEADER_SIZE)
    expectedSize = Int(FL_HEADER_SIZE) + Int(header.slotLimit) * Int(FL_RECORD_SIZE) + room
    handedOut = Int(min(header.count, header.slotLimit))
    expected = header.hasAllSlots ? Int(header.capacity) : handedOut
    present = min(
      max(0, fileSize - Int(FL_HEADER_SIZE)) / Int(FL_RECORD_SIZE), Int(header.slotLimit))
  }

  var isTooLong: Bool { fileSize > expectedSize }
  /// Reserved slots beyond the file's end.
  var cutOff: Int { max(0, handedOut - present) }
  var readableBytes: Int { min(handedOut, present) * Int(FL_RECORD_SIZE) }
}
