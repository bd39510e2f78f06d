/// Finds the functions whose code calls the hook of `-finstrument-functions`, from machine code.
///
/// Such a function begins by passing its own address to the hook. An inlined copy passes the copied function's
/// address, so code with a copy that calls no hook (of an `extern inline` function, for instance) does not
/// refer to that function.
///
/// x86-64: `lea`, `mov` of an address, from a slot that the loader fills or between registers, and `call`;
/// aarch64: `adr`, `adrp` with `add` or `ldr`, `mov` and `bl`. On x86-64 such bytes may also be part of other
/// instructions, but these lead to the start of a function by chance only once in millions.
struct EntryHookScanner {
  /// Code that begins at `start` refers to the function at `target`.
  struct Reference: Hashable, Sendable {
    var start: UInt64
    var target: UInt64
  }

  /// Functions that pass their own address to the hook, or that of a stub of the linker: gcc's versions of a function
  /// for several processors pass the one of the common name.
  private(set) var hooked: Set<UInt64> = []
  /// Those of them that call it without a frame, on x86-64: gcc calls the hook in naked functions too, where the call
  /// destroys the arguments.
  private(set) var naked: [UInt64] = []
  /// References of pieces of code to functions other than their own.
  private(set) var references: Set<Reference> = []

  private let hooks: Set<UInt64>
  private let starts: Set<UInt64>
  /// Stubs of the linker.
  private let stubs: [Range<UInt64>]
  /// The functions whose addresses the loader writes into slots.
  private var slots: [UInt64: UInt64] = [:]

  /// - Parameter starts: the functions that the runtime can record.
  init(_ image: DebugImage, starts: [UInt64]) {
    self.starts = Set(starts)
    hooks = Set(image.symbols.named([DebugImage.entryHook]).map(\.address))
    stubs = [".plt", ".plt.sec", ".plt.got", ".iplt"].compactMap { name in
      image.elf.section(name).map { $0.address..<$0.end }
    }
    guard !hooks.isEmpty else { return }
    addSlots(image.elf)
    for piece in FrameDescriptions.read(image.elf) { scan(piece, image.elf) }
  }

  /// Whether the image has the hook, so that `hooked` is complete.
  var hasHook: Bool { !hooks.isEmpty }

  /// The contents of slots.
  private mutating func addSlots(_ elf: ELFFile) {
    for table in elf.loadedRelocations {
      for relocation in table where relocation.kind == .relative || relocation.kind == .slot {
        guard let target = table.word(relocation), starts.contains(target) else { continue }
        slots[relocation.place] = target
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
    var state = CodeState(start: piece.start)
    if elf.machine == ELFFile.aarch64 {
      scanWords(code, &state)
    } else {
      scanBytes(code, &state)
    }
  }

  /// The state of a piece of code before an instruction, as far as it is known.
  private struct CodeState {
    let start: UInt64
    /// The address last loaded into each register; 0 if unknown.
    var registers = [UInt64](repeating: 0, count: 32)
    /// aarch64: the page last loaded.
    var pages = [UInt64](repeating: 0, count: 32)
    var isHookCalled = false
  }

  /// Notes that code loads an address into a register.
  private mutating func load(_ target: UInt64, into register: Int, _ state: inout CodeState) {
    state.registers[register] = target
    if target != state.start, starts.contains(target) {
      references.insert(Reference(start: state.start, target: target))
    }
  }

  /// Notes a call. In a function with hooks, its own call of the hook comes before those of inlined copies.
  ///
  /// - Returns: whether it is the function's own call of the hook.
  @discardableResult
  private mutating func call(_ target: UInt64, argument: Int, _ state: inout CodeState) -> Bool {
    guard !state.isHookCalled, hooks.contains(target) else { return false }
    state.isHookCalled = true
    let function = state.registers[argument]
    guard function == state.start || stubs.contains(where: { $0.contains(function) }) else {
      return false
    }
    hooked.insert(state.start)
    return true
  }

  private mutating func scanBytes(_ code: Bytes, _ state: inout CodeState) {
    var offset = 0
    while offset + 2 <= code.count {
      defer { offset += 1 }
      guard let instruction = IntelInstruction(code, at: offset, start: state.start) else {
        continue
      }
      switch instruction.operation {
      case .call(let target):
        if call(target, argument: 7, &state), NakedEntry.leads(to: offset, in: code) {
          naked.append(state.start)
        }
      case .immediate(let target, let register):
        guard instruction.isWide && instruction.size == 6 || starts.contains(target) else {
          continue
        }
        load(target, into: register, &state)
        // The address's own bytes may look like another such instruction.
        offset += instruction.size - 1
      case .move(let source, let target) where instruction.isWide:
        state.registers[target] = state.registers[source]
      case .address(let target, let register) where instruction.isWide:
        load(target, into: register, &state)
        offset += instruction.size - 1
      case .load(let slot, let register) where instruction.isWide:
        if let function = slots[slot] { load(function, into: register, &state) }
      case .jump, .branch, .move, .address, .load: break
      }
    }
  }

  private mutating func scanWords(_ code: Bytes, _ state: inout CodeState) {
    for offset in stride(from: 0, to: code.count - 3, by: 4) {
      let word = (code.base + offset).loadUnaligned(as: UInt32.self)
      switch ArmInstruction(word, at: state.start &+ UInt64(offset)) {
      case .branch(let target, isCall: true): call(target, argument: 0, &state)
      case .page(let page, let register): state.pages[register] = page
      case .address(let target, let register): load(target, into: register, &state)
      case .add(let low, let source, let register):
        load(state.pages[source] &+ low, into: register, &state)
      case .load(let distance, let source, let register):
        if let function = slots[state.pages[source] &+ distance] {
          load(function, into: register, &state)
        }
      case .move(let source, let register): state.registers[register] = state.registers[source]
      case .branch, nil: break
      }
    }
  }
}
