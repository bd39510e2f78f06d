import FirstlightModel
import Foundation
import StartupMeasurement
import SymbolOrdering

/// Whether a link used the order that it was given: a build command may drop the flags, or pass them to the
/// linker alone and not to the compiler.
struct OrderTrace {
  /// The program as the user builds it, one with a section for each function, and that one in order.
  let before, recorded, candidate: String
  let owner: SectionOwner

  /// Fails with `.data` if functions lie as they would without the order, and not in order.
  func check(_ verification: OrderVerification) throws(Failure) {
    if FileManager.default.contentsEqual(atPath: before, andPath: candidate) {
      throw Failure(
        .data,
        "nothing was changed: the relinked program is identical to your own build",
        advice: "pass {flags} on when linking this program in the build command")
    }
    // A small program's functions may well lie in order as they are, but for its start files.
    let misplaced = verification.entries.count { couldHaveMoved($0.fate) }
    guard misplaced * Self.fewest > verification.entries.count else { return }
    let (old, new) = (try names(in: recorded), try names(in: candidate))
    let common = Set(old).intersection(new)
    guard old.filter(common.contains) == new.filter(common.contains) else { return }
    throw Failure(
      .data,
      "nothing was changed: the linker did not move functions, \(misplaced) of "
        + "\(verification.entries.count) are out of order",
      advice:
        "they need sections of their own: pass {cflags} to the compiler in the build command, "
        + "and recompile")
  }

  /// If no more than one in so many functions is out of place, an order has been followed, or needs no
  /// following.
  private static let fewest = 4

  /// Names of functions, as they lie.
  private func names(in binary: String) throws(Failure) -> [String] {
    try TargetBinary.list(of: try TargetBinary.open(binary))
      .sorted { ($0.address, $0.name) < ($1.address, $1.name) }.map(\.name)
  }

  /// Start files of the C library and of the compiler, and archives of the toolchain, come without sections
  /// for each function, whatever a build does.
  private func couldHaveMoved(_ fate: OrderVerification.Fate) -> Bool {
    switch fate {
    case .outOfPlace, .sharesSection(file: nil, neighbour: _): true
    case .sharesSection(file: let file?, neighbour: _):
      owner.owns(file)
        && BaseName.of(file).prefixMatch(of: /[A-Za-z]?crt[a-zA-Z0-9]*\.o/) == nil
    case .inOrder, .folded, .absent, .inlined, .otherOutputSection: false
    }
  }
}
