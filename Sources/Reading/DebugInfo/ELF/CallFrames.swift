import CElfutils
import FirstlightModel
import Glibc

/// Finds callers in a copy of a stack, by the call frame information in `.eh_frame`, which linked
/// programs have for nearly all of their code.
package final class CallFrames {
  /// The registers of a caller that are needed to find the next one. Callers keep the frame pointer.
  package struct Position: Hashable, Sendable {
    /// Link-time or run-time address of an instruction, as the context demands.
    package var address: UInt64
    package var stack: UInt64
    package var frame: UInt64

    package init(address: UInt64, stack: UInt64, frame: UInt64) {
      self.address = address
      self.stack = stack
      self.frame = frame
    }
  }

  /// The rules of one address: where the caller's registers are.
  private struct Rules {
    /// The frame's end on the stack (CFA): a register and an offset.
    var isFromFrame: Bool
    var offset: Int64
    /// Offset of the return address from the frame's end.
    var returnAddress: Int64
    /// Offset of the caller's frame pointer; nil: the register still has it.
    var frame: Int64?
  }

  /// The place of the caller's value of a register.
  private enum Saved {
    /// At an offset from the frame's end.
    case at(Int64)
    case inRegister
    case nowhere
  }

  private let image: DebugImage
  private let elf: OpaquePointer
  private let information: OpaquePointer
  private var known: [UInt64: Rules?] = [:]

  /// DWARF numbers of registers.
  private let stackRegister: UInt64
  private let frameRegister: UInt64
  private let linkRegister: UInt64

  /// Nil if the file has no call frame information.
  package init?(_ image: DebugImage) {
    let isARM = image.architecture == "aarch64"
    (frameRegister, stackRegister, linkRegister) = isARM ? (29, 31, 30) : (6, 7, 16)
    self.image = image
    guard let elf = image.elf.file.openELF() else { return nil }
    guard let information = dwarf_getcfi_elf(elf) else {
      elf_end(elf)
      return nil
    }
    self.elf = elf
    self.information = information
  }

  deinit {
    dwarf_cfi_end(information)
    elf_end(elf)
  }

  /// The position after the return to the caller; nil: this is the outermost frame, or the rules are unusual.
  ///
  /// - Parameters:
  ///   - position: its address is a link-time address within this file.
  ///   - load: a word of the stack; nil: unknown.
  package func caller(of position: Position, load: (UInt64) -> UInt64?) -> Position? {
    guard let rules = rules(position.address) else { return nil }
    let base = rules.isFromFrame ? position.frame : position.stack
    let end = base &+ UInt64(bitPattern: rules.offset)
    func saved(_ offset: Int64) -> UInt64? { load(end &+ UInt64(bitPattern: offset)) }
    guard end > position.stack, let address = saved(rules.returnAddress), address != 0,
      let frame = rules.frame.map(saved) ?? position.frame
    else { return nil }
    return Position(address: address, stack: end, frame: frame)
  }

  private func rules(_ address: UInt64) -> Rules? {
    if let rules = known[address] { return rules }
    let rules = newRules(address)
    known[address] = .some(rules)
    return rules
  }

  private func newRules(_ address: UInt64) -> Rules? {
    var frame: OpaquePointer?
    // Some of the Swift compiler's helpers have no entry, but keep a frame pointer.
    guard dwarf_cfi_addrframe(information, address, &frame) == 0, let frame else {
      return Rules(isFromFrame: true, offset: 16, returnAddress: -8, frame: -16)
    }
    defer { free(UnsafeMutableRawPointer(frame)) }
    var operations: UnsafeMutablePointer<Dwarf_Op>?
    var count = 0
    guard dwarf_frame_cfa(frame, &operations, &count) == 0, count == 1,
      let (register, offset) = Self.sum(operations![0]),
      register == stackRegister || register == frameRegister
    else { return nil }
    guard case .at(let returnAddress) = saved(linkRegister, frame) else { return nil }
    var rules = Rules(
      isFromFrame: register == frameRegister, offset: offset, returnAddress: returnAddress)
    if case .at(let place) = saved(frameRegister, frame) { rules.frame = place }
    return rules
  }

  /// A register plus a number.
  private static func sum(_ operation: Dwarf_Op) -> (register: UInt64, offset: Int64)? {
    switch Int(operation.atom) {
    case DW_OP_breg0...DW_OP_breg31:
      (UInt64(Int(operation.atom) - DW_OP_breg0), Int64(bitPattern: operation.number))
    case DW_OP_bregx: (operation.number, Int64(bitPattern: operation.number2))
    default: nil
    }
  }

  private func saved(_ register: UInt64, _ frame: OpaquePointer) -> Saved {
    withUnsafeTemporaryAllocation(of: Dwarf_Op.self, capacity: 3) { room in
      var operations: UnsafeMutablePointer<Dwarf_Op>?
      var count = 0
      guard
        dwarf_frame_register(frame, Int32(register), room.baseAddress!, &operations, &count) == 0
      else { return .nowhere }
      guard let operations else { return .inRegister }
      guard count > 0, Int(operations[0].atom) == DW_OP_call_frame_cfa else { return .nowhere }
      if count == 1 { return .at(0) }
      guard count == 2, Int(operations[1].atom) == DW_OP_plus_uconst else { return .nowhere }
      return .at(Int64(bitPattern: operations[1].number))
    }
  }
}
