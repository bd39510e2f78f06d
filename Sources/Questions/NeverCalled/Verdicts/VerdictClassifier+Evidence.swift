import FirstlightModel

/// Evidence that code ran, or may have run, without reaching its guard.
extension VerdictClassifier {
  // MARK: Copies

  /// Whether hosts of copies, or other code, were called or may have been. A host that is a cold part counts as
  /// called if the function that it was split off from was called. If no start was recorded, the program may have
  /// been inside a host when the recorder attached.
  ///
  /// - Parameters:
  ///   - pieces: copies, whose hosts may have run, and other code that may have run itself.
  ///   - index: the family whose own code does not count here, because its calls decided before. The default is no
  ///     family.
  func copyReason(_ pieces: [FunctionReport.Piece], of index: Int = -2) -> VerdictReason? {
    var mayHaveRun = false
    for piece in pieces {
      let recorded = profile.builds[piece.build]
      var hosts: [UInt32] = []
      if case .inlined(let copy) = piece.place {
        let inlined = recorded.build.inlined[copy]
        hosts = inlined.hosts
        if inlined.hasUnwatchedHost || hosts.contains(where: recorded.withoutStart.contains) {
          mayHaveRun = true
        }
      } else if case .guarded(let function) = piece.place {
        hosts = [recorded.build.entryGuards[function]]
      }
      for host in hosts {
        guard let function = recorded.build.function(ofGuard: host) else {
          mayHaveRun = true
          continue
        }
        if familyOfGuard[piece.build][function] == Int32(index) { continue }
        if recorded.isCalled(function: function)
          || isColdPartOfCalled(function, of: piece.build)
        {
          return .copyInCalledFunction
        }
      }
    }
    return mayHaveRun ? .copyMayHaveRun : nil
  }

  /// Whether the recorder could not watch code when it attached to a running program.
  func isUnwatched(_ pieces: [FunctionReport.Piece]) -> Bool {
    pieces.contains { piece in
      guard piece.build >= 0 else { return false }
      let recorded = profile.builds[piece.build]
      guard !recorded.unwatched.isEmpty else { return false }
      return switch piece.place {
      case .guarded(let function):
        recorded.unwatched.contains(recorded.build.entryGuards[function])
      case .inlined(let copy):
        recorded.build.inlined[copy].hosts.contains(where: recorded.unwatched.contains)
      case .unguarded, .counted, .dropped: false
      }
    }
  }

  // MARK: Variables

  /// Whether the family is a global or static variable whose bytes the compiler has already set. Code reads such a
  /// variable without a call of its accessors.
  func isReadDirectly(_ family: FunctionFamily) -> Bool {
    let pieces = family.pieces.filter { $0.build >= 0 }
    let stored = Set(pieces.lazy.filter { SwiftVariable.isAddressor($0.name) }.map(\.build))
    return !stored.subtracting(pieces.lazy.filter(isCalledByReaders).map(\.build)).isEmpty
  }

  /// Whether a piece shows that readers have to call an accessor.
  private func isCalledByReaders(_ piece: FunctionReport.Piece) -> Bool {
    let build = profile.builds[piece.build].build
    // Without optimisation, only constants are read directly, and a variable with a setter is not constant.
    if SwiftVariable.isStaticSetter(piece.name) { return !build.isOptimised }
    guard SwiftVariable.isOnceInitializer(piece.name) else { return false }
    // The largest size of an initializer that does nothing: its guard's code and the return. On x86-64 that takes
    // 18 bytes, or 28 if the hook is called only while a gate is open; on arm64 28, or 44 to 48. One that stores the
    // result of a call has at least 26 bytes on x86-64 and 40 on arm64, so a short one looks like an empty one.
    return (function(piece)?.size ?? 0) > (build.architecture == "aarch64" ? 48 : 32)
  }

  // MARK: Compilers

  /// The verdict from an attribute that makes compilers copy a function into callers, or forbids copies.
  func attributeReason(_ family: FunctionFamily, _ report: FunctionReport) -> VerdictReason? {
    // Copies also call entry hooks; debug information shows those that do not.
    var isHooked: Bool {
      family.pieces.allSatisfy {
        $0.build < 0 || profile.builds[$0.build].build.recorder == .entryHooks
      }
    }
    return switch request.inlining(report) {
    case .mandatory: isHooked ? nil : .alwaysInlined
    case .evaluated: isHooked ? .evaluatedByCompiler : nil
    case .whenOptimised: isOptimised(family) ? .inlinedWhenOptimised : nil
    // Compilers remove calls of functions without effect, even of functions that they never copy.
    case .never: smallReason(family) ?? .neverInlined
    case nil: nil
    }
  }

  /// Whether an optimiser may have made copies that have no record.
  ///
  /// Swift's optimiser copies functions into their callers, and then callers into bodies that several functions share
  /// (`...Tm`). Such a body has no inline records, so a function of any size may have run in one. C compilers record
  /// copies, but no instruction may be left of a small one, and they remove calls of functions without effect.
  func optimisationReason(_ family: FunctionFamily, _ report: FunctionReport) -> VerdictReason? {
    // No compiler copies assembly.
    guard ![".s", ".S", ".sx", ".asm"].contains(where: { (report.file ?? "").ends(with: $0) })
    else {
      return nil
    }
    if family.isSwift { return isOptimised(family) ? .mayBeCopied : nil }
    return smallReason(family)
  }

  /// Whether calls of a C++ destructor may run that of its base class alone.
  ///
  /// Optimising, clang replaces a destructor with an empty body by that of the only base class that has one: the symbol
  /// becomes an alias, or calls go there (its CGCXX.cpp, `TryEmitBaseDestructorAsAlias`). What is left of the destructor
  /// is at most the form that `delete` calls.
  func mayRunAsBaseDestructor(_ family: FunctionFamily) -> Bool {
    guard !family.isSwift, family.root.containsUTF8("~") else { return false }
    var hasOwnCode: [Int: Bool] = [:]
    for piece in family.pieces where piece.build >= 0 {
      guard let form = FunctionIdentity.destructorForm(of: piece.name) else { continue }
      let isCode =
        switch piece.place {
        case .guarded, .unguarded, .inlined: true
        case .counted, .dropped: false
        }
      hasOwnCode[piece.build, default: false] =
        hasOwnCode[piece.build] ?? false || isCode && form != .deleting
    }
    return hasOwnCode.contains { index, hasOwnCode in
      let build = profile.builds[index].build
      // That of a build with hooks does not say that it was optimised; one that was not has the code.
      return !hasOwnCode
        && (build.isOptimised || !build.hasDebugInfo || build.recorder == .entryHooks)
    }
  }

  private func smallReason(_ family: FunctionFamily) -> VerdictReason? {
    let bodies = family.pieces.filter { $0.build >= 0 && Self.isBody($0.kind) }
    guard bodies.contains(where: { profile.builds[$0.build].build.isOptimised }) else {
      return nil
    }
    let largest = bodies.lazy.compactMap { function($0)?.size }.max() ?? 0
    return largest < Self.smallestRecorded ? .smallAndOptimised(size: largest) : nil
  }

  /// The size in bytes from which a C function is taken to leave records of its copies.
  private static var smallestRecorded: UInt64 { 64 }
}
