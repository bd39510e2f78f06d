import CElfutils
import FirstlightModel

/// Finds calls of named functions in machine code. The functions may be in the image or in another one; calls
/// of the latter go through the procedure linkage table (PLT) or a slot that the loader fills.
///
/// x86-64: `call rel32` (E8) and `call *slot(%rip)` (FF 15); aarch64: `bl`. On x86-64 these bytes may also be part of
/// another instruction. The chance that such bytes lead to one of the few wanted addresses is one in billions each.
struct CallScanner {
  private let image: DebugImage
  private let isArm: Bool
  /// Addresses of functions with these names.
  private var targets: Set<UInt64> = []
  /// Addresses of the slots into which the loader writes the addresses of such functions.
  private var slots: Set<UInt64> = []
  private let tables: [ELFSection]
  /// Visited entries of linkage tables, and whether they lead to a slot.
  private var entries: [UInt64: Bool] = [:]

  init(_ image: DebugImage, names: Set<String>) {
    self.image = image
    isArm = image.elf.machine == ELFFile.aarch64
    tables = image.elf.sections.filter { $0.isExecutable && $0.name.hasPrefix(".plt") }
    let symbols = image.symbols
    for index in symbols.entries.indices where names.contains(symbols.name(index)) {
      targets.insert(symbols.entries[index].address)
    }
    addSlots(names)
  }

  /// Entries of the functions with such calls.
  mutating func callers() -> Set<UInt64> {
    var callers: Set<UInt64> = []
    guard !targets.isEmpty || !slots.isEmpty else { return callers }
    let symbols = image.symbols
    for section in image.elf.sections
    where section.isExecutable && section.hasContents && !section.name.hasPrefix(".plt") {
      let code = image.elf.contents(section)
      for call in calls(code, at: section.address) {
        if let function = symbols.index(containing: call) {
          callers.insert(symbols.entries[function].address)
        }
      }
    }
    return callers
  }

  /// Adds the slots of relocations (R_X86_64_GLOB_DAT, _JUMP_SLOT and those of aarch64) that name such a
  /// function.
  private mutating func addSlots(_ names: Set<String>) {
    let elf = image.elf
    guard let table = elf.sections.first(where: { $0.type == ELFSection.dynamicSymbols }),
      Int(table.link) < elf.sections.count
    else { return }
    let symbols = elf.contents(table)
    let texts = elf.contents(elf.sections[Int(table.link)])
    var wanted: Set<UInt32> = []
    for (index, symbol) in symbols.records(Elf64_Sym.self).enumerated() {
      if let text = texts.cString(Int(symbol.st_name))?.text, names.contains(text) {
        wanted.insert(UInt32(index))
      }
    }
    guard !wanted.isEmpty else { return }
    for section in elf.sections
    where section.isAllocated && section.type == ELFSection.rela
      && Int(section.link) == table.index
    {
      for entry in elf.contents(section).records(Elf64_Rela.self)
      where wanted.contains(UInt32(entry.r_info >> 32)) {
        slots.insert(entry.r_offset)
      }
    }
  }

  /// Addresses of such calls in a section.
  private mutating func calls(_ code: Bytes, at base: UInt64) -> [UInt64] {
    var found: [UInt64] = []
    if isArm {
      for offset in stride(from: 0, to: code.count - 3, by: 4) {
        let word = (code.base + offset).loadUnaligned(as: UInt32.self)
        let call = base &+ UInt64(offset)
        guard let target = ArmAddress.ofBranch(word, at: call), ArmAddress.isCall(word) else {
          continue
        }
        if isWanted(target) { found.append(call) }
      }
      return found
    }
    var offset = 0
    while offset + 5 <= code.count {
      let byte = (code.base + offset).load(as: UInt8.self)
      let call = base &+ UInt64(offset)
      if byte == 0xe8 {
        if isWanted(Self.reached(code, offset + 1, base)) { found.append(call) }
      } else if byte == 0xff, offset + 6 <= code.count,
        // A call through a slot.
        (code.base + offset + 1).load(as: UInt8.self) == 0x15,
        slots.contains(Self.reached(code, offset + 2, base))
      {
        found.append(call)
      }
      offset += 1
    }
    return found
  }

  /// The target of a 32-bit distance, which counts from the byte after it.
  private static func reached(_ code: Bytes, _ offset: Int, _ base: UInt64) -> UInt64 {
    let distance = (code.base + offset).loadUnaligned(as: Int32.self)
    return base &+ UInt64(offset + 4) &+ UInt64(bitPattern: Int64(distance))
  }

  private mutating func isWanted(_ address: UInt64) -> Bool {
    if targets.contains(address) { return true }
    guard let table = tables.first(where: { $0.address <= address && address < $0.end }) else {
      return false
    }
    if let known = entries[address] { return known }
    let slot = slot(image.elf.contents(table), Int(address - table.address), table.address)
    let leads = slot.map(slots.contains) ?? false
    entries[address] = leads
    return leads
  }

  /// The slot that an entry of a linkage table jumps through.
  private func slot(_ code: Bytes, _ start: Int, _ base: UInt64) -> UInt64? {
    var offset = start
    func word(_ at: Int) -> UInt32? {
      at + 4 <= code.count ? (code.base + at).loadUnaligned(as: UInt32.self) : nil
    }
    if isArm {
      // bti c; adrp x16, page; ldr x17, [x16, offset]
      if word(offset) == 0xd503_245f { offset += 4 }
      guard let adrp = word(offset), adrp & 31 == 16,
        let page = ArmAddress.loaded(adrp, at: base &+ UInt64(offset)), page.isPage,
        let load = word(offset + 4), load & 0xffc0_03ff == 0xf940_0211
      else { return nil }
      return page.address &+ UInt64(load >> 10 & 0xfff) * 8
    }
    // endbr64; bnd; jmp *slot(%rip)
    if word(offset) == 0xfa1e_0ff3 { offset += 4 }
    if offset < code.count, (code.base + offset).load(as: UInt8.self) == 0xf2 { offset += 1 }
    guard offset + 6 <= code.count, let jump = word(offset), jump & 0xffff == 0x25ff else {
      return nil
    }
    return Self.reached(code, offset + 2, base)
  }
}
