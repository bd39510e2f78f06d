/// The rows of a unit's line table: which line each stretch of code comes from.
struct LineTable: Sendable {
  struct Row: Sendable {
    var line: UInt32
    var file: UInt16
    var column: UInt16
  }

  /// Rows of one run of rising addresses.
  private struct Sequence: Sendable {
    var start: UInt32
    var end: UInt32
    var rows: Range<Int32>
  }

  private(set) var files = FileTable()
  /// Offsets from the image's first address of code.
  private var offsets: [UInt32] = []
  private var rows: [Row] = []
  private var sequences: [Sequence] = []

  static let empty = LineTable()

  private init() {}

  /// Runs a unit's line program. Sequences outside `code` (the linker dropped them) are left out;
  /// a damaged program gives the rows before the damage.
  init(_ unit: Unit, _ sections: DWARFSections, code: Range<UInt64>) {
    guard let header = LineProgramHeader(unit, sections) else { return }
    files = header.files
    run(header, sections, code)
    if !zip(sequences, sequences.dropFirst()).allSatisfy({ $0.start <= $1.start }) {
      sequences.sort {
        $0.start != $1.start ? $0.start < $1.start : $0.rows.lowerBound < $1.rows.lowerBound
      }
    }
  }

  /// The row that holds `offset`.
  func row(at offset: UInt32) -> Row? {
    var low = 0
    var high = sequences.count
    while low < high {
      let middle = (low &+ high) / 2
      if sequences[middle].start <= offset { low = middle &+ 1 } else { high = middle }
    }
    // Identical code that the linker folded has several sequences; the first one answers.
    while low > 1, sequences[low - 2].start == sequences[low - 1].start { low -= 1 }
    guard low > 0, offset < sequences[low - 1].end else { return nil }
    var first = Int(sequences[low - 1].rows.lowerBound)
    let start = first
    var end = Int(sequences[low - 1].rows.upperBound)
    while first < end {
      let middle = (first &+ end) / 2
      if offsets[middle] <= offset { first = middle &+ 1 } else { end = middle }
    }
    return first > start ? rows[first - 1] : nil
  }

  private mutating func run(
    _ header: LineProgramHeader, _ sections: DWARFSections, _ code: Range<UInt64>
  ) {
    var cursor = ByteCursor(sections.line, at: header.program.lowerBound)
    cursor.limit(to: header.program.upperBound)
    offsets.reserveCapacity(header.program.count)
    rows.reserveCapacity(header.program.count)
    // What special opcodes do, worked out once.
    let lineRange = header.lineRange
    let step = header.minimumInstructionLength
    let constantAdvance = UInt64((255 - header.opcodeBase) / lineRange) &* step

    var address: UInt64 = 0
    var file: UInt64 = 1
    var line: Int64 = 1
    var column: UInt64 = 0
    var firstRow = 0
    /// Whether the sequence's code is in the image.
    var isLive = false

    @inline(__always)
    func row(_ offsets: inout [UInt32], _ rows: inout [Row]) {
      guard isLive else { return }
      offsets.append(UInt32(truncatingIfNeeded: address &- code.lowerBound))
      rows.append(
        Row(
          line: UInt32(clamping: line), file: UInt16(clamping: file),
          column: UInt16(clamping: column)))
    }

    while !cursor.isAtEnd {
      let opcode = cursor.u8()
      if opcode >= header.opcodeBase {
        let adjusted = opcode &- header.opcodeBase
        address &+= UInt64(adjusted / lineRange) &* step
        line &+= header.lineBase &+ Int64(adjusted % lineRange)
        row(&offsets, &rows)
        continue
      }
      switch opcode {
      case 0:
        let length = cursor.uleb()
        guard length > 0, length <= UInt64(cursor.remaining) else { return }
        let next = cursor.position + Int(length)
        switch cursor.u8() {
        case 1:  // DW_LNE_end_sequence
          endSequence(&firstRow, end: isLive ? address : nil, code)
          (address, file, line, column, isLive) = (0, 1, 1, 0, false)
        case 2:  // DW_LNE_set_address
          address = cursor.unsigned(size: Int(length) - 1)
          if offsets.count == firstRow { isLive = code.contains(address) }
        case 3:  // DW_LNE_define_file
          let name = cursor.cString()
          files.files.append(FileTable.File(name: name, directory: cursor.uleb()))
        default: break
        }
        cursor.move(to: next)
      case 1: row(&offsets, &rows)
      case 2: address &+= cursor.uleb() &* step
      case 3: line &+= cursor.sleb()
      case 4: file = cursor.uleb()
      case 5: column = cursor.uleb()
      case 8: address &+= constantAdvance
      case 9: address &+= UInt64(cursor.u16())
      case 6, 7, 10, 11: break
      case 12: cursor.skipLEB()
      default:
        for _ in 0..<(header.operandCounts.load(Int(opcode) - 1, as: UInt8.self) ?? 0) {
          cursor.skipLEB()
        }
      }
    }
    endSequence(&firstRow, end: nil, code)
  }

  /// Closes the sequence that began with row `firstRow`; without an end, drops its rows.
  private mutating func endSequence(_ firstRow: inout Int, end: UInt64?, _ code: Range<UInt64>) {
    guard let end, offsets.count > firstRow, end > code.lowerBound, offsets.count < Int(Int32.max)
    else {
      offsets.removeSubrange(firstRow...)
      rows.removeSubrange(firstRow...)
      return
    }
    sequences.append(
      Sequence(
        start: offsets[firstRow], end: UInt32(clamping: end - code.lowerBound),
        rows: Int32(firstRow)..<Int32(offsets.count)))
    firstRow = offsets.count
  }
}
