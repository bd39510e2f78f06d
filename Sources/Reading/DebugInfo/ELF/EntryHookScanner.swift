import CElfutils

/// Finds the functions whose code calls the hook of `-finstrument-functions`, from machine code.
///
/// Such a function begins by passing its own address to the hook. An inlined copy passes the copied function's
/// address, so code with a copy that calls no hook (of an `extern inline` function, for instance) does not
/// refer to that function.
struct EntryHookScanner {
  /// Code that begins at `start` refers to the function at `target`.
  struct Reference: Hashable, Sendable {
    var start: UInt64
    var target: UInt64
  }

  /// Functions that pass their own address to the hook.
  private(set) var hooked: Set<UInt64> = []
  /// References of pieces of code to functions other than their own.
  private(set) var references: Set<Reference> = []

  private let hooks: Set<UInt64>
  private let starts: Set<UInt64>
  /// The functions whose addresses the loader writes into slots.
  private var slots: [UInt64: UInt64] = [:]

  /// - Parameter starts: the functions that the runtime can record.
  init(_ image: DebugImage, starts: [UInt64]) {
    self.starts = Set(starts)
    hooks = Set(image.functions(named: [DebugImage.entryHook]).map(\.address))
    guard !hooks.isEmpty else { return }
    addSlots(image.elf)
    for piece in FrameDescriptions.read(image.elf) { scan(piece, image.elf) }
  }

  /// Whether the image has the hook, so that `hooked` is complete.
  var hasHook: Bool { !hooks.isEmpty }

  /// The contents of slots.
  private mutating func addSlots(_ elf: ELFFile) {
    let isArm = elf.machine == ELFFile.aarch64
    let named = UInt32(isArm ? R_AARCH64_GLOB_DAT : R_X86_64_GLOB_DAT)
    let relative = UInt32(isArm ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE)
    let symbols = elf.dynamicSymbols?.symbolBytes.records(Elf64_Sym.self)
    for section in elf.loadedRelocations {
      for entry in elf.contents(section).records(Elf64_Rela.self) {
        var target: UInt64?
        if entry.kind == relative { target = UInt64(bitPattern: entry.r_addend) }
        if entry.kind == named, let symbols, entry.symbol < symbols.count {
          target = symbols[entry.symbol].st_value
        }
        if let target, starts.contains(target) { slots[entry.r_offset] = target }
      }
    }
  }

  private mutating func scan(_ piece: FrameDescriptions.Entry, _ elf: ELFFile) {
    guard
      let section = elf.sections.first(where: {
        $0.isExecutable && $0.address <= piece.start && piece.start < $0.end
      }),
      let code = elf.contents(section).slice(piece.start - section.address, piece.size)
    else { return }
    var loadsItself = false
    var isHookCalled = false
    func isNoted(_ target: UInt64) -> Bool {
      if target == piece.start { loadsItself = true }
      return starts.contains(target)
    }
    CodeReferences(code, at: piece.start, elf).visit { reference in
      var loaded = reference.target
      switch reference.kind {
      case .call:
        guard hooks.contains(reference.target) else { return false }
        // Only the function's own call of the hook comes first.
        if !isHookCalled, loadsItself { hooked.insert(piece.start) }
        isHookCalled = true
        return true
      case .slot:
        guard let function = slots[reference.target] else { return false }
        loaded = function
      case .load, .immediate: break
      case .jump, .branch: return false
      }
      guard isNoted(loaded) else { return false }
      if loaded != piece.start { references.insert(Reference(start: piece.start, target: loaded)) }
      return true
    }
  }
}
