import FirstlightModel
import Foundation
import Ordering
import Startup

/// Whether a link used its order. A build command may drop the flags, or pass them to the linker but not to the
/// compiler.
struct OrderTrace {
  /// The program as the user builds it, the one with a section for each function, and that one in order.
  let before, recorded, candidate: String
  let owner: SectionOwner

  /// Throws `.data` if the functions lie as without the order, and not in the order.
  func check(_ verification: OrderVerification) throws(Failure) {
    if FileManager.default.contentsEqual(atPath: before, andPath: candidate) {
      throw Failure(
        .data,
        "nothing was changed: the relinked program is identical to your own build",
        advice: "pass {flags} on when linking this program in the build command")
    }
    // The functions of a small program may already be in order, except for its start files.
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

  /// If at most one in this many functions is out of place, the link used the order, or did not need it.
  private static let fewest = 4

  /// Names of functions, sorted by address.
  private func names(in binary: String) throws(Failure) -> [String] {
    try TargetBinary.list(of: try TargetBinary.open(binary))
      .sorted { ($0.address, $0.name) < ($1.address, $1.name) }.map(\.name)
  }

  /// Whether the build could have moved a function. Start files of the C library and the compiler, and archives
  /// of the toolchain, never have a section for each function.
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
