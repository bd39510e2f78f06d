import CElfutils

/// The debug information on an image's functions, collected in one pass over its units: their
/// declarations, and inlined copies in other functions.
struct CodeSurvey: Sendable {
  /// The source line of a function's declaration, or of its first instruction in the line table.
  struct Place: Sendable {
    /// Index into `paths`; -1 if there is no file, or only one that the compiler made up.
    var path: Int32 = -1
    var line: Int32 = 0
    /// Index into `names`, for a function without symbol, or with several; -1 if debug information has no name either.
    var name: Int32 = -1
    /// Whether the compiler generated the code: debug information covers it without a line.
    var isCompilerGenerated = false
  }

  /// A function with inlined copies.
  struct Origin: Sendable {
    /// Index into `names`.
    var name: Int32
    /// Index into `paths`; -1 if unknown.
    var path: Int32
    var line: Int32
    /// Whether an inlined copy refers to it, or the compiler marks it as inlined.
    var isInlined: Bool
    /// Offset of its own code, in the unit that describes it; nil if it has none there.
    var code: UInt32?

    /// The name in the source with its place; nil if that is unknown.
    var declaration: [Int32]? { path < 0 ? nil : [name, path, line] }
  }

  var names: [String] = []
  /// The paths of source files, without `.` and `..`.
  var paths: [String] = []
  /// The surveyed offsets, rising, without duplicates, and their places.
  var offsets: [UInt32] = []
  var places: [Place] = []
  var origins: [Origin] = []
  /// The inlined copies: the origin, and the entry of the function that contains the copy.
  var copies: [(origin: Int32, host: UInt32)] = []
  /// Origins that the compiler inlined but whose copies all have no code.
  var vanished: [Int32] = []
  /// Origins without code in gcc's units: gcc removed all calls, or merged the function with another one, which then
  /// has the calls and copies. For a function without calls, gcc writes no such entry.
  var merged: [Int32] = []
  /// Offsets of functions without an entry in a unit that has entries for others: remains of
  /// functions that share another function's body, and whose calls may go there.
  var undescribed: [UInt32] = []
  /// All start offsets of functions with several pieces of code, the entry first, by the entry.
  var pieces: [UInt32: [UInt32]] = [:]
  /// The languages of units that were compiled with optimisation.
  var optimised: Set<UnitOptimisation> = []
  /// Whether clang compiled any unit of the program's.
  var hasClang = false
  /// Whether any unit is in Swift.
  var hasSwift = false

  /// The declaration of the function at an offset; nil if the survey does not include the offset.
  func place(at offset: UInt32) -> Place? {
    let index = offsets.partitioningIndex { $0 > offset } - 1
    return index >= 0 && offsets[index] == offset ? places[index] : nil
  }
}
