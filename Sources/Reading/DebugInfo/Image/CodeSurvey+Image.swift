import FirstlightModel

extension CodeSurvey {
  /// A survey of all functions that have a symbol, a guard or an unwind table entry.
  init(_ image: DebugImage) {
    let (symbols, dwarf) = (image.symbols, image.dwarf)
    var others = image.pcTable.lazy.filter(\.isFunctionEntry).map(\.address) + []
    if !image.hasLocalSymbols { others += image.functionEntries.addresses }
    // Of several entries with the same offset, one with a symbol sorts first.
    var keys = symbols.entries.compactMap { dwarf.offset($0.address).map { UInt64($0) << 1 } }
    keys += others.compactMap { dwarf.offset($0).map { UInt64($0) << 1 | 1 } }
    keys.sort()
    var starts: [SurveyBuilder.Start] = []
    starts.reserveCapacity(keys.count)
    for key in keys {
      if let last = starts.last, UInt64(last.offset) == key >> 1 {
        if key & 1 == 0 { starts[starts.count - 1].hasOneSymbol = false }
      } else {
        starts.append(.init(offset: UInt32(key >> 1), hasOneSymbol: key & 1 == 0))
      }
    }
    self = SurveyBuilder(dwarf, starts: starts).survey()
    nameByCode(symbols, dwarf.code)
  }

  /// Gives inlined C++ functions the linker's names. Debug information of gcc has only the source's name of a static
  /// function, without its namespace; the symbol of the function's own code has the whole.
  private mutating func nameByCode(_ symbols: FunctionSymbols, _ code: Range<UInt64>) {
    var numbers: [TextBytes: Int32] = [:]
    // Copies in other units have the same declaration; nil: several functions have it, as instances of a template.
    var resolved: [[Int32]: Int32?] = [:]
    for index in origins.indices {
      let origin = origins[index]
      guard origin.name >= 0, let start = origin.code,
        !names[Int(origin.name)].begins(with: "_Z"),
        let symbol = symbols.indices(at: code.lowerBound + UInt64(start)).last
      else { continue }
      let name = CloneSuffix.base(of: symbols.name(symbol))
      guard name.begins(with: "_Z") else { continue }
      if numbers.isEmpty {
        for (number, name) in names.enumerated() { numbers[TextBytes(name)] = Int32(number) }
      }
      let number = numbers[name] ?? Int32(names.count)
      if numbers[name] == nil {
        numbers[name] = number
        names.append(name)
      }
      origins[index].name = number
      guard let declaration = origin.declaration else { continue }
      let known = resolved[declaration, default: number]
      resolved[declaration] = known == number ? number : .some(nil)
    }
    guard !resolved.isEmpty else { return }
    for index in origins.indices {
      guard let declaration = origins[index].declaration else { continue }
      if let number = resolved[declaration] ?? nil { origins[index].name = number }
    }
  }
}
