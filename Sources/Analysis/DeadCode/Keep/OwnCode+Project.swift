import FirstlightModel
import SystemSupport

extension OwnCode {
  /// The rule for a profile: with the first project that holds any recorded file of one's own.
  ///
  /// - Parameters:
  ///   - projects: the folders of each that it may be; nil is given if there are none.
  ///   - own: patterns of the user's own files; empty: the rule decides, or what `rules` say.
  ///   - base: the folder that patterns are relative to.
  ///   - map: where a recorded source file is now.
  package static func of(
    _ profile: borrowing Profile, in projects: [[String]], own: [String], rules: KeepRules,
    base: String?, map: (String) -> String
  ) -> OwnCode? {
    let own = own.isEmpty ? rules.own : own
    let beginning = (base ?? "") + "/"
    func fits(_ patterns: [String], _ file: String) -> Bool {
      let relative = file.hasPrefix(beginning) ? String(file.dropFirst(beginning.count)) : file
      return patterns.contains { Glob.matchesPlace($0, file) || Glob.matchesPlace($0, relative) }
    }
    let candidates = projects.map { folders in
      OwnCode(
        roots: folders, isNamedOwn: own.isEmpty ? nil : { fits(own, $0) },
        isNamedForeign: { fits(rules.dependencies, $0) })
    }
    var known: Set<String> = []
    for recorded in profile.builds {
      for case let file? in recorded.build.functions.lazy.map(\.file)
      where known.insert(file).inserted {
        let file = map(file)
        if let found = candidates.first(where: { $0.origin(of: file) == .own }) { return found }
      }
    }
    return candidates.first
  }
}
