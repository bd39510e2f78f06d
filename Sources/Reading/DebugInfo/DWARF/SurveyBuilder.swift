import CElfutils

/// Makes a `CodeSurvey`: opens each unit once, on all processors, then merges the threads' results.
struct SurveyBuilder {
  /// One thread's results, with its own numbers for names, paths and origins.
  private struct Found: Sendable {
    var names = EntryNames()
    var paths = NumberedPaths()
    /// By index into the starts.
    var places: [(index: Int32, place: CodeSurvey.Place)] = []
    var origins: [CodeSurvey.Origin] = []
    /// Numbers of origins by the address of their entry.
    var originNumbers: [UInt: Int32] = [:]
    var copies: [(origin: Int32, host: UInt32)] = []
    /// By the address of an entry: functions marked as inlined, with their origins, and entries
    /// that copies refer to, directly or not.
    var inlined: [(entry: UInt, origin: Int32)] = []
    var copied: Set<UInt> = []
    /// The addresses of entries: of functions without code, with their origins, and of entries to which code or
    /// marks of inlining refer.
    var codeless: [(entry: UInt, origin: Int32)] = []
    var instanced: Set<UInt> = []
    var undescribed: [UInt32] = []
    var pieces: [UInt32: [UInt32]] = [:]
    var optimised: Set<UnitOptimisation> = []
    var hasClang = false
  }

  /// The start of a function.
  struct Start: Sendable {
    var offset: UInt32
    /// Whether the start has a single symbol, so that no name from debug information is needed.
    var hasOneSymbol: Bool
  }

  private let dwarf: DWARFIndex
  private let starts: [Start]
  private let startsByUnit: AddressesByUnit
  /// Offsets of the abbreviations of Swift units. Swift's compiler also makes units for imported C
  /// modules, which share these abbreviations.
  private let swiftAbbreviations: Set<UInt64>

  /// - Parameter starts: rising, without duplicates.
  init(_ dwarf: DWARFIndex, starts: [Start]) {
    self.dwarf = dwarf
    self.starts = starts
    startsByUnit = AddressesByUnit(
      starts.map { dwarf.unit(at: $0.offset).map { Int32($0) } ?? -1 },
      unitCount: dwarf.units.count)
    swiftAbbreviations = Set(
      dwarf.units.lazy.filter { $0.language == DWARFUnit.swift }.map(\.abbreviations))
  }

  func survey() -> CodeSurvey {
    let units = dwarf.units.indices.filter {
      dwarf.units[$0].isCode && (dwarf.units[$0].hasRanges || dwarf.units[$0].hasLines)
    }
    return join(dwarf.sweep(units, Found(), visit))
  }

  private func visit(_ found: inout Found, _ unit: OpenUnit) {
    let scopes = UnitScopes(unit, code: dwarf.code, withInlines: true)
    note(unit, scopes, in: &found)
    addPlaces(unit, scopes, &found)
    for entry in scopes.inlinedOrigins {
      found.inlined.append((UInt(bitPattern: entry.addr), origin(of: entry, unit, &found)))
    }
    addCodeless(unit, scopes, &found)
    if scopes.hasInlines { addCopies(unit, scopes, &found) }
    addOwnCode(scopes, &found)
  }

  private func note(_ unit: OpenUnit, _ scopes: UnitScopes, in found: inout Found) {
    if !found.hasClang, unit.text(Attribute.producer)?.containsUTF8("clang") ?? true {
      found.hasClang = !UnitOptimisation.isOfRuntime(unit)
    }
    guard let optimisation = UnitOptimisation(unit, scopes),
      // Skips the units that Swift's compiler makes for imported C modules.
      optimisation == .swift || !swiftAbbreviations.contains(unit.facts.abbreviations)
    else { return }
    found.optimised.insert(optimisation)
  }

  /// Finds the declarations of functions, from the function's entry or else from the line table.
  private func addPlaces(_ unit: OpenUnit, _ scopes: UnitScopes, _ found: inout Found) {
    let wanted = startsByUnit[unit.index]
    guard !wanted.isEmpty else { return }
    var entries: [UInt32: Int32] = [:]
    for function in scopes.functions where entries[function.start] == nil {
      entries[function.start] = function.scope
    }
    let describesFunctions = scopes.functions.contains {
      describes(scopes.scopes[Int($0.scope)].entry)
    }
    for index in wanted {
      let offset = starts[Int(index)].offset
      let place: CodeSurvey.Place
      if let scope = entries[offset] {
        place = self.place(
          of: scopes.scopes[Int(scope)].entry, at: offset, unit,
          withName: !starts[Int(index)].hasOneSymbol, &found)
      } else if let byLine = self.place(byLineOf: offset, unit, name: -1, &found) {
        place = byLine
        let language = unit.facts.language
        if describesFunctions, language != DWARFUnit.swift, language != DWARFUnit.assembler {
          found.undescribed.append(offset)
        }
      } else {
        continue
      }
      found.places.append((index, place))
    }
  }

  /// Whether an entry has the place of its declaration: line tables alone (clang's `-g1`) have some
  /// functions, but no places.
  private func describes(_ entry: Dwarf_Die) -> Bool {
    var entry = entry
    var attribute = Dwarf_Attribute()
    return dwarf_attr_integrate(&entry, Attribute.declarationLine, &attribute) != nil
  }

  /// Finds a place from an entry, or from the line table if the entry has no line, as with Go
  /// before 1.21 and with line tables alone.
  ///
  /// Code is compiler-generated if it is marked so, or its file is only a placeholder. In Swift a missing
  /// line also shows it, since all written code has a line; in other languages it shows nothing. C++ compilers
  /// give members that they generate the line of their class, and GCC marks a lambda, but gives it no line.
  private func place(
    of entry: Dwarf_Die, at offset: UInt32, _ unit: OpenUnit, withName: Bool,
    _ found: inout Found
  ) -> CodeSurvey.Place {
    let declaration = Declaration(of: entry, in: unit, withName: withName)
    let path = found.paths.number(declaration.file, in: declaration.directory)
    let name = found.names.number(declaration.name)
    let line = UInt32(clamping: declaration.line)
    let isMade = path >= 0 && found.paths.isCompilerGenerated(path)
    if isMade || declaration.isGenerated(in: unit) {
      return CodeSurvey.Place(name: name, isCompilerGenerated: true)
    }
    if path >= 0, line > 0 {
      return CodeSurvey.Place(path: path, line: Int32(clamping: line), name: name)
    }
    if unit.facts.language == DWARFUnit.swift {
      return CodeSurvey.Place(name: name, isCompilerGenerated: true)
    }
    return place(byLineOf: offset, unit, name: name, &found) ?? CodeSurvey.Place(name: name)
  }

  /// Nil if the line table does not contain the offset.
  private func place(
    byLineOf offset: UInt32, _ unit: OpenUnit, name: Int32, _ found: inout Found
  ) -> CodeSurvey.Place? {
    guard
      let place = unit.lines.place(at: dwarf.code.lowerBound + UInt64(offset), &found.paths)
    else { return nil }
    if place.path >= 0, found.paths.isCompilerGenerated(place.path) {
      return CodeSurvey.Place(name: name, isCompilerGenerated: true)
    }
    if place.path >= 0, place.line > 0 {
      return CodeSurvey.Place(path: place.path, line: Int32(clamping: place.line), name: name)
    }
    return CodeSurvey.Place(
      name: name, isCompilerGenerated: unit.facts.language == DWARFUnit.swift)
  }

  private func addCopies(_ unit: OpenUnit, _ scopes: UnitScopes, _ found: inout Found) {
    // The entry of each function, and the function around each scope.
    var entries = [UInt32?](repeating: nil, count: scopes.scopes.count)
    for function in scopes.functions {
      if let entry = entries[Int(function.scope)] {
        found.pieces[entry, default: [entry]].append(function.start)
      } else {
        entries[Int(function.scope)] = function.start
      }
    }
    var hosts = [Int32](repeating: -1, count: scopes.scopes.count)
    // Copies within this unit, without duplicates.
    var seen: Set<UInt64> = []
    for (index, scope) in scopes.scopes.enumerated() {
      guard scope.parent >= 0 else {
        hosts[index] = Int32(index)
        continue
      }
      hosts[index] = hosts[Int(scope.parent)]
      guard let host = entries[Int(hosts[index])] else { continue }
      noteOrigins(scope.entry, &found.copied)
      let origin = origin(of: scope.entry, unit, &found)
      if seen.insert(UInt64(UInt32(bitPattern: origin)) << 32 | UInt64(host)).inserted {
        found.copies.append((origin, host))
      }
    }
  }

  /// Notes where the own code of inlined functions begins.
  private func addOwnCode(_ scopes: UnitScopes, _ found: inout Found) {
    for function in scopes.functions {
      let origin = abstractOrigin(of: scopes.scopes[Int(function.scope)].entry)
      guard let number = found.originNumbers[UInt(bitPattern: origin.addr)],
        found.origins[Int(number)].code == nil
      else { continue }
      found.origins[Int(number)].code = function.start
    }
  }

  /// Adds functions without code in gcc's units. Other compilers inline functions before they merge them.
  private func addCodeless(_ unit: OpenUnit, _ scopes: UnitScopes, _ found: inout Found) {
    guard unit.text(Attribute.producer)?.begins(with: "GNU ") == true else { return }
    for entry in scopes.codelessEntries {
      found.codeless.append(
        (UInt(bitPattern: entry.addr), origin(of: entry, unit, isInlined: false, &found)))
    }
    for entry in scopes.instances { noteOrigins(entry, &found.instanced) }
  }

  /// The number of the function that an inlined call copies.
  private func origin(
    of entry: Dwarf_Die, _ unit: OpenUnit, isInlined: Bool = true, _ found: inout Found
  ) -> Int32 {
    let origin = abstractOrigin(of: entry)
    if let number = found.originNumbers[UInt(bitPattern: origin.addr)] {
      if isInlined { found.origins[Int(number)].isInlined = true }
      return number
    }
    let declaration = Declaration(of: origin, in: unit)
    var path = found.paths.number(declaration.file, in: declaration.directory)
    let isMade =
      declaration.isGenerated(in: unit) || path >= 0 && found.paths.isCompilerGenerated(path)
    if declaration.line == 0 || isMade { path = -1 }
    let number = Int32(found.origins.count)
    found.origins.append(
      CodeSurvey.Origin(
        name: found.names.number(declaration.name), path: path,
        line: path < 0 ? 0 : Int32(clamping: declaration.line), isInlined: isInlined))
    found.originNumbers[UInt(bitPattern: origin.addr)] = number
    return number
  }

  /// The abstract origin of an entry, or the entry itself.
  private func abstractOrigin(of entry: Dwarf_Die) -> Dwarf_Die {
    var entry = entry
    var origin = Dwarf_Die()
    var attribute = Dwarf_Attribute()
    guard dwarf_attr(&entry, Attribute.abstractOrigin, &attribute) != nil,
      dwarf_formref_die(&attribute, &origin) != nil
    else { return entry }
    return origin
  }

  /// Link-time optimisation adds an entry between the copy and the compiler's original.
  private func noteOrigins(_ entry: Dwarf_Die, _ noted: inout Set<UInt>) {
    let origin = abstractOrigin(of: entry)
    guard noted.insert(UInt(bitPattern: origin.addr)).inserted else { return }
    noted.insert(UInt(bitPattern: abstractOrigin(of: origin).addr))
  }

  private func join(_ parts: [Found]) -> CodeSurvey {
    var survey = CodeSurvey()
    survey.offsets = starts.map(\.offset)
    survey.hasSwift = !swiftAbbreviations.isEmpty
    survey.places = [CodeSurvey.Place](repeating: CodeSurvey.Place(), count: starts.count)
    var texts = SweepTexts(
      nil, parts.map { ($0.names, $0.paths.paths.map(NumberedPaths.plain)) })
    var inlined: [(entry: UInt, origin: Int32)] = []
    var codeless: [(entry: UInt, origin: Int32)] = []
    var (copied, instanced): (Set<UInt>, Set<UInt>) = ([], [])
    for (part, found) in parts.enumerated() {
      for (index, place) in found.places {
        var place = place
        place.name = texts.name(part, place.name)
        place.path = texts.path(part, place.path)
        survey.places[Int(index)] = place
      }
      let first = Int32(survey.origins.count)
      for origin in found.origins {
        survey.origins.append(
          CodeSurvey.Origin(
            name: texts.name(part, origin.name), path: texts.path(part, origin.path),
            line: origin.line, isInlined: origin.isInlined, code: origin.code))
      }
      survey.copies += found.copies.map { ($0.origin + first, $0.host) }
      inlined += found.inlined.map { ($0.entry, $0.origin + first) }
      codeless += found.codeless.map { ($0.entry, $0.origin + first) }
      copied.formUnion(found.copied)
      instanced.formUnion(found.instanced)
      survey.undescribed += found.undescribed
      survey.pieces.merge(found.pieces) { $0 + $1 }
      survey.optimised.formUnion(found.optimised)
      survey.hasClang = survey.hasClang || found.hasClang
    }
    survey.vanished = inlined.filter { !copied.contains($0.entry) }.map(\.origin)
    instanced.formUnion(copied)
    survey.merged = codeless.filter { !instanced.contains($0.entry) }.map(\.origin)
    survey.names = texts.names
    survey.paths = texts.files
    return survey
  }
}
