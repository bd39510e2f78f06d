import FirstlightModel
import SystemSupport

/// The functions that ran, in what `llvm-profdata show --all-functions` prints.
///
/// llvm-cov gives a function the count of its first region. If a macro of a system header comes first, that region may
/// be empty, with count 0, although the function ran.
package enum EntryCounts {
  /// - Returns: names, as the counters have them.
  package static func called(in path: String) throws(Failure) -> Set<String> {
    var called: Set<String> = []
    var name: Substring = ""
    for line in try TextFile.argument(path).split(at: "\n") {
      if line.begins(with: "    Function count: ") {
        if line.dropFirst(20) != "0" { called.insert(String(name)) }
      } else if line.begins(with: "  "), line.ends(with: ":"), line.dropFirst(2).first != " " {
        name = line.dropFirst(2).dropLast()
      }
    }
    return called
  }
}
