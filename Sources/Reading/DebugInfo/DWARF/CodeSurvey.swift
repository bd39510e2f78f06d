/// The debug information on an image's functions, gathered in one pass over its units: where they are
/// declared, and what was copied into which.
struct CodeSurvey: Sendable {
  /// Where a function is declared, or where the line table puts its first instruction.
  struct Place: Sendable {
    /// Index into `paths`; -1: no file, or one that the compiler made up.
    var path: Int32 = -1
    var line: Int32 = 0
    /// Index into `names`: what debug information calls a function without symbol; -1: nothing.
    var name: Int32 = -1
    /// Whether the code is the compiler's: debug information covers it without naming a line.
    var isCompilerGenerated = false
  }

  /// A function that has copies in others.
  struct Origin: Sendable {
    /// Index into `names`.
    var name: Int32
    /// Index into `paths`; -1: unknown.
    var path: Int32
    var line: Int32
  }

  var names: [String] = []
  /// Without `.` and `..`.
  var paths: [String] = []
  /// The offsets that were asked for, rising, each once, and their places.
  var offsets: [UInt32] = []
  var places: [Place] = []
  var origins: [Origin] = []
  /// Which origin was copied into which function, by where that function is entered.
  var copies: [(origin: Int32, host: UInt32)] = []
  /// Origins whose calls the compiler recorded as inlined, and whose copies all have no code.
  var vanished: [Int32] = []
  /// Offsets of functions that their unit has no entry for, though it has for others: what is left of one
  /// whose body is another's, and whose calls may go there.
  var undescribed: [UInt32] = []
  /// In a copy of which origin a probe lies, by index into the probes.
  var probed: [(origin: Int32, probe: UInt32)] = []
  /// All starts of functions whose code has several pieces, the entry first, by the entry.
  var pieces: [UInt32: [UInt32]] = [:]
  /// Of which languages units were compiled with optimisation.
  var optimised: Set<UnitOptimisation> = []
  /// Whether any unit is Swift's.
  var hasSwift = false

  /// Where the function at an offset is declared; nil if the offset was not asked for.
  func place(at offset: UInt32) -> Place? {
    let index = offsets.partitioningIndex { $0 > offset } - 1
    return index >= 0 && offsets[index] == offset ? places[index] : nil
  }
}
