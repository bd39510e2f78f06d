import FirstlightModel
import SystemSupport

/// The called functions of a profile with their places, as text: the result of set operations on profiles.
package enum CalledFunctionsText {
  /// The number of called functions in all builds of a profile.
  package static func count(of profile: Profile) -> Int {
    profile.builds.reduce(0) { $0 + called($1).count }
  }

  /// A line with the number of functions and `what`, then a line for each function, by place.
  ///
  /// - Parameter what: the text after the number: "called in a.flp, and not in b.flp".
  package static func text(of profile: Profile, what: String) -> String {
    var text = CountText.text(count(of: profile), "function") + " \(what)\n"
    for recorded in profile.builds {
      let functions = called(recorded)
      guard !functions.isEmpty else { continue }
      var table = TextTable([.left, .left])
      for function in functions {
        let name = function.demangledName.isEmpty ? "(no symbol)" : function.demangledName
        table.add(name, function.file.map { "\($0):\(function.line)" } ?? "")
      }
      text += "\n\(PrintableText.of(recorded.build.path))\n" + table.text(indent: "  ")
    }
    return text
  }

  private static func called(_ recorded: RecordedBuild) -> [Function] {
    let functions = recorded.build.functions
    return functions.indices.filter { recorded.isCalled(function: $0) }.map { functions[$0] }
      .sorted {
        ($0.file ?? "", $0.line, $0.demangledName) < ($1.file ?? "", $1.line, $1.demangledName)
      }
  }
}
