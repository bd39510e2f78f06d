import CElfutils

/// Finds out which functions may be reached from others, by the references in a file's code and data.
///
/// Errs to the safe side: on x86-64 any four bytes of code that lead to the start of a function count as a
/// reference, as do words of data. A function that is not reached here is not reached by the program's own
/// code, unless it computes addresses.
struct FunctionReach {
  private let elf: ELFFile
  /// Addresses of functions, rising.
  private let starts: [UInt64]
  private let code: Range<UInt64>
  /// A bit for each byte of code: whether a function starts there.
  private var isStart: [UInt64]
  /// By function: those that its code refers to.
  private var targets: [[UInt32]]
  /// The functions that data refers to, and those that other files can call.
  private var shown: Set<UInt32> = []

  init(_ elf: ELFFile, starts: [UInt64]) {
    self.elf = elf
    self.starts = starts
    code = elf.codeRange
    isStart = [UInt64](repeating: 0, count: Int(clamping: code.count) / 64 + 1)
    targets = Array(repeating: [], count: starts.count)
    for start in starts where code.contains(start) {
      let bit = Int(start - code.lowerBound)
      isStart[bit / 64] |= 1 << UInt64(bit % 64)
    }
    for section in elf.sections where section.hasContents && section.isAllocated {
      if section.isExecutable {
        readCode(section)
      } else if section.type == ELFSection.rela {
        for entry in elf.contents(section).records(Elf64_Rela.self) {
          show(UInt64(bitPattern: entry.r_addend))
        }
      } else if section.type == ELFSection.dynamicSymbols {
        for symbol in elf.contents(section).records(Elf64_Sym.self) { show(symbol.st_value) }
      } else if !Self.unwindTables.contains(section.name) {
        readData(section)
      }
    }
  }

  /// They refer to every function, called or not.
  private static let unwindTables: Set<String> = [
    ".eh_frame", ".eh_frame_hdr", ".gcc_except_table", "__patchable_function_entries",
  ]

  /// The functions that may be reached from some functions and from data, by ways on which no function has
  /// `isBarrier`. Those where the ways begin are among them.
  func reached(from roots: [UInt64], isBarrier: (Int) -> Bool) -> Set<UInt32> {
    var reached = shown.filter { !isBarrier(Int($0)) }
    var ways = Array(reached)
    for root in roots {
      guard let index = index(of: root) else { continue }
      if reached.insert(index).inserted { ways.append(index) }
    }
    while let next = ways.popLast() {
      for target in targets[Int(next)] where !isBarrier(Int(target)) {
        if reached.insert(target).inserted { ways.append(target) }
      }
    }
    return reached
  }

  private func isStart(_ address: UInt64) -> Bool {
    guard code.contains(address) else { return false }
    let bit = Int(address - code.lowerBound)
    return isStart[bit / 64] & 1 << UInt64(bit % 64) != 0
  }

  private func index(of address: UInt64) -> UInt32? {
    guard isStart(address) else { return nil }
    return UInt32(starts.partitioningIndex { $0 >= address })
  }

  private mutating func show(_ address: UInt64) {
    if let index = index(of: address) { shown.insert(index) }
  }

  private mutating func readData(_ section: ELFSection) {
    let bytes = elf.contents(section)
    for offset in stride(from: 0, to: bytes.count - 3, by: 4) {
      let place = bytes.base + offset
      // A word, as in a table of functions; or a distance, as in Swift's.
      if offset + 8 <= bytes.count { show(place.loadUnaligned(as: UInt64.self)) }
      let distance = place.loadUnaligned(as: Int32.self)
      show(section.address &+ UInt64(offset) &+ UInt64(bitPattern: Int64(distance)))
    }
  }

  private mutating func readCode(_ section: ELFSection) {
    let bytes = elf.contents(section)
    let isArm = elf.machine == ELFFile.aarch64
    var pages = [UInt64](repeating: 0, count: 32)
    // The next function's index: the code before it belongs to the one before.
    var next = starts.partitioningIndex { $0 > section.address }
    for offset in stride(from: 0, to: bytes.count - 3, by: isArm ? 4 : 1) {
      let address = section.address &+ UInt64(offset)
      while next < starts.count, starts[next] <= address { next += 1 }
      let value = (bytes.base + offset).loadUnaligned(as: UInt32.self)
      if isArm {
        if let target = Self.target(value, at: address, &pages) { refer(target, from: next) }
        continue
      }
      refer(address &+ 4 &+ UInt64(bitPattern: Int64(Int32(bitPattern: value))), from: next)
      if !elf.isPositionIndependent { refer(UInt64(value), from: next) }
    }
  }

  private mutating func refer(_ address: UInt64, from next: Int) {
    guard isStart(address), let target = index(of: address) else { return }
    guard next > 0 else {
      shown.insert(target)
      return
    }
    if targets[next - 1].last != target { targets[next - 1].append(target) }
  }

  /// The address that an instruction of aarch64 leads to or completes.
  private static func target(_ word: UInt32, at place: UInt64, _ pages: inout [UInt64]) -> UInt64? {
    if let branch = ArmAddress.ofBranch(word, at: place) { return branch }
    if let loaded = ArmAddress.loaded(word, at: place) {
      guard loaded.isPage else { return loaded.address }
      pages[Int(word & 31)] = loaded.address
      return nil
    }
    // add
    guard word & 0xffc0_0000 == 0x9100_0000 else { return nil }
    return pages[Int(word >> 5 & 31)] &+ UInt64(word >> 10 & 0xfff)
  }
}

extension DebugImage {
  /// The functions that a program may have called before it was watched: those that lead from its start, or
  /// from tables of functions, to called ones or to none.
  ///
  /// - Parameters:
  ///   - functions: link-time addresses, rising.
  ///   - isCalled: whether a function was called while it was watched; by index.
  package func mayHaveRunBefore(
    _ functions: [UInt64], isCalled: (Int) -> Bool
  ) -> Set<UInt32> {
    let reach = FunctionReach(elf, starts: functions)
    let roots = self.functions(named: ["main", "_start"]).map(\.address) + [entryPoint]
    return reach.reached(from: roots, isBarrier: isCalled)
      .filter { !isCalled(Int($0)) }
  }
}
