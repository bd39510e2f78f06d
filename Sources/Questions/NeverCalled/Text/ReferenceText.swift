import SystemSupport

/// The verdict on the references to a never-called function, in short.
package struct ReferenceText {
  let references: FunctionReferences
  let paths: SourcePaths

  package init(references: FunctionReferences, paths: SourcePaths) {
    self.references = references
    self.paths = paths
  }

  /// - Returns: nil if a run may have called the function.
  package func text(_ identity: String) -> String? {
    guard let report = references.report(identity) else { return nil }
    var text = text(report.reason, of: identity)
    if let users = report.publicInterface {
      text += "; \(self.text(users))"
    } else if let header = report.header {
      text += "; \(paths.shown(header)) declares it: other programs may call it"
    }
    guard let place = report.named else { return text }
    return text + "; maybe by name: \(paths.shown(place.file)):\(place.line)"
  }

  func group(_ row: FunctionReport) -> ReferenceGroup? { references.group(row.identity) }

  func depth(_ row: FunctionReport) -> Int { references.depth(row.identity) }

  /// The heading of a group; nil for functions that a run may have called.
  static func title(_ group: ReferenceGroup?) -> String {
    switch group {
    case .deletable: "Can be deleted"
    case .named: "Unreferenced, but named elsewhere in the project"
    case .refused: "Unreferenced, but kept for another reason"
    case .onlyTests: "Only tests refer to them"
    case .onlyNeverCalled: "Only never-called functions refer to them, or tests too"
    case .answers: "Implement a requirement or override a method"
    case .publicInterface: "Public: users of a library may call them"
    case .reachedByName: "Reached by name"
    case .local: "Local to a function that may run"
    case .liveCode: "Referenced by code that may run"
    case .unknown: "References unknown"
    case nil: "Others"
    }
  }

  private func text(_ reason: ReferenceReason, of identity: String) -> String {
    switch reason {
    case .unknown(let reason): "references unknown: \(reason.rawValue)"
    case .liveCode(let site): "referenced by \(place(site))"
    case .reachedByName(let name): Self.text(name)
    case .answers(let requirement): Self.text(requirement)
    case .publicInterface(let users): text(users)
    case .local(let outer): "local to \(outer)"
    case .refused(let refusal): "kept: \(refusal.text)"
    case .onlyTests(let site): "only tests: \(place(site))"
    case .fallsWith(let root, let others, let cluster):
      others > 0
        ? "only \(CountText.text(others, "unreferenced function"))"
        : cluster.functions > 1
          ? "only with \(references.name(root, for: identity))" : "only itself"
    case .onlyNeverCalled(let caller, let test):
      "only never-called \(references.name(caller, for: identity))"
        + (test.map { ", and tests: \(place($0))" } ?? "")
    case .unreferenced(let cluster):
      cluster.functions > 1
        ? "unreferenced, with \(CountText.text(cluster.functions - 1, "other function")): "
          + CountText.bytes(cluster.bytes)
        : "unreferenced"
    }
  }

  private func text(_ users: PublicInterface) -> String {
    switch users {
    case .module(let module): "public in the library \(module)"
    case .header(let file): "public: declared in \(paths.shown(file))"
    }
  }

  private func place(_ site: ReferenceReason.Site) -> String {
    let place = paths.place(site.file, site.line) ?? ""
    return site.container.map { "\($0) (\(place))" } ?? place
  }

  private static func text(_ name: ReachedByName) -> String {
    switch name {
    case .entryPoint: "entry point"
    case .attribute(let attribute): "reached by name: \(attribute)"
    case .linker(let attribute): "kept by the linker: \(attribute)"
    case .exported: "exported: other binaries can call it"
    case .reserved: "reserved name: a compiler, linker or library may call it"
    case .languageFeature: "called by a language feature"
    case .deinitializer: "deinitializer"
    case .test: "test"
    }
  }

  private static func text(_ requirement: ReferenceReason.Requirement) -> String {
    let owner = requirement.owner.isEmpty ? "" : requirement.owner + "."
    let name = "implements \(owner)\(requirement.name)"
    return switch requirement.isUsed {
    case true: name + ", which is used"
    case false: name + ", which is unused"
    case nil: name
    }
  }
}

/// The reason for an empty list of functions that can be deleted.
package enum UndeletableText {
  /// - Parameter counts: the never-called functions, by kind of reference.
  package static func line(_ counts: [ReferenceGroup: Int]) -> String {
    let all = counts.values.reduce(0, +)
    guard all > 0 else { return "nothing can be deleted: no never-called function to choose from" }
    let held = ReferenceGroup.allCases.compactMap { group in
      counts[group].map { count in
        let title = ReferenceText.title(group)
        return "\(CountText.number(count)): " + title.prefix(1).lowercased() + title.dropFirst()
      }
    }
    return "nothing can be deleted of \(CountText.text(all, "never-called function")); "
      + held.joined(separator: "; ")
  }

  /// The option for functions that users of a library may call; nil if there are none.
  package static func publicLine(_ counts: [ReferenceGroup: Int]) -> String? {
    counts[.publicInterface].map {
      "not among them: \(CountText.text($0, "function")) that users of a library may call; --public "
        + "takes those of Swift and C, too"
    }
  }
}

/// Sums of functions, their bytes and their lines.
struct ReferenceSums {
  var functions = 0
  var bytes: UInt64 = 0
  /// 0: unknown for all of them.
  var lines = 0

  init(_ rows: some Sequence<FunctionReport>, _ references: ReferenceText?) {
    for row in rows {
      functions += 1
      bytes += row.bytes
      lines += references?.references.lineCount(row.identity) ?? 0
    }
  }

  var text: String {
    "\(CountText.text(functions, "function")), \(CountText.bytes(bytes))"
      + (lines > 0 ? ", \(CountText.text(lines, "line"))" : "")
  }
}
