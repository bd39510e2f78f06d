import CElfutils

/// The places to which machine code refers: by calls, jumps and the loading of addresses.
///
/// On x86-64 the bytes of such an instruction may also be part of another one. So a reference counts only if the
/// caller's closure accepts its target; the search then continues after the instruction.
/// (Intel 64 manual, volume 2; Arm Architecture Reference Manual, C6.2)
struct CodeReferences {
  enum Kind {
    case call
    case jump
    /// A conditional or short jump.
    case branch
    /// An address relative to the instruction is loaded.
    case load
    /// An address is loaded that is in the instruction itself, as in programs at a fixed address.
    case immediate
  }

  struct Reference {
    var kind: Kind
    /// The link-time places of the instruction.
    var place: Range<UInt64>
    var target: UInt64
  }

  private let code: Bytes
  private let start: UInt64
  private let isArm: Bool

  /// - Parameters:
  ///   - code: begins with an instruction.
  ///   - start: its link-time address.
  init(_ code: Bytes, at start: UInt64, _ elf: ELFFile) {
    self.code = code
    self.start = start
    isArm = elf.machine == ELFFile.aarch64
  }

  /// Calls `body` with each reference, in order; it returns whether the reference counts.
  @inline(__always)
  func visit(_ body: (Reference) -> Bool) {
    if isArm { visitWords(body) } else { visitBytes(body) }
  }

  @inline(__always)
  private func visitBytes(_ body: (Reference) -> Bool) {
    func byte(_ offset: Int) -> UInt8 { (code.base + offset).load(as: UInt8.self) }
    var offset = 0
    while offset + 2 <= code.count {
      let first = byte(offset)
      var kind = Kind.branch
      // The size up to an operand, and the operand's.
      var (head, operand) = (1, 4)
      switch first {
      case 0xe8: kind = .call
      case 0xe9: kind = .jump
      case 0xeb, 0x70...0x7f: operand = 1
      case 0x0f where 0x80...0x8f ~= byte(offset + 1): head = 2
      case 0x8d where byte(offset + 1) & 0xc7 == 0x05: (kind, head) = (.load, 2)
      case 0xb8...0xbf: kind = .immediate
      case 0xc7 where byte(offset + 1) & 0xf8 == 0xc0: (kind, head) = (.immediate, 2)
      default: operand = 0
      }
      let size = head + operand
      var isTaken = false
      if operand > 0, offset + size <= code.count {
        let place = start &+ UInt64(offset)
        let end = place &+ UInt64(size)
        let distance =
          operand == 1
          ? Int64((code.base + (offset + 1)).load(as: Int8.self))
          : Int64((code.base + (offset + head)).loadUnaligned(as: Int32.self))
        let target =
          kind == .immediate
          ? UInt64(UInt32(truncatingIfNeeded: distance)) : end &+ UInt64(bitPattern: distance)
        isTaken = body(Reference(kind: kind, place: place..<end, target: target))
      }
      offset += isTaken ? size : 1
    }
  }

  @inline(__always)
  private func visitWords(_ body: (Reference) -> Bool) {
    /// The page that each register holds.
    var pages = [UInt64](repeating: 0, count: 32)
    for offset in stride(from: 0, to: code.count - 3, by: 4) {
      let word = (code.base + offset).loadUnaligned(as: UInt32.self)
      let place = start &+ UInt64(offset)
      let page = pages[Int(word >> 5 & 31)]
      let low = UInt64(word >> 10 & 0xfff)
      var found: (kind: Kind, target: UInt64)?
      if let target = ArmAddress.ofBranch(word, at: place) {
        found = (ArmAddress.isCall(word) ? .call : .jump, target)
      } else if let loaded = ArmAddress.loaded(word, at: place) {
        if loaded.isPage {
          pages[Int(word & 31)] = loaded.address
        } else {
          found = (.load, loaded.address)
        }
      } else if word & 0xffc0_0000 == 0x9100_0000 {
        // add
        found = (.load, page &+ low)
      }
      if let found {
        _ = body(
          Reference(kind: found.kind, place: place..<(place &+ 4), target: found.target))
      }
    }
  }
}
