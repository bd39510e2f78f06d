/// The places to which machine code refers: by calls, jumps and the loading of addresses.
///
/// On x86-64 the bytes of such an instruction may also be part of another one. So a reference counts only if the
/// caller's closure accepts its target; the search then continues after the instruction.
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
    var offset = 0
    while offset + 2 <= code.count {
      var isTaken = false
      let instruction = IntelInstruction(code, at: offset, start: start)
      if let instruction, let (kind, target) = Self.reference(instruction.operation) {
        let place = start &+ UInt64(offset)
        isTaken = body(
          Reference(
            kind: kind, place: place..<(place &+ UInt64(instruction.size)), target: target))
      }
      offset += isTaken ? instruction!.size : 1
    }
  }

  @inline(__always)
  private static func reference(
    _ operation: IntelInstruction.Operation
  ) -> (Kind, target: UInt64)? {
    switch operation {
    case .call(let target): (.call, target)
    case .jump(let target): (.jump, target)
    case .branch(let target): (.branch, target)
    case .address(let target, _): (.load, target)
    case .immediate(let target, _): (.immediate, target)
    case .load, .move: nil
    }
  }

  @inline(__always)
  private func visitWords(_ body: (Reference) -> Bool) {
    /// The page that each register holds.
    var pages = [UInt64](repeating: 0, count: 32)
    for offset in stride(from: 0, to: code.count - 3, by: 4) {
      let word = (code.base + offset).loadUnaligned(as: UInt32.self)
      let place = start &+ UInt64(offset)
      let found: (kind: Kind, target: UInt64)
      switch ArmInstruction(word, at: place) {
      case .branch(let target, let isCall): found = (isCall ? .call : .jump, target)
      case .address(let target, _): found = (.load, target)
      case .add(let low, let source, _): found = (.load, pages[source] &+ low)
      case .page(let page, let register):
        pages[register] = page
        continue
      case .load, .move, nil: continue
      }
      _ = body(
        Reference(kind: found.kind, place: place..<(place &+ 4), target: found.target))
    }
  }
}
