import FirstlightModel

/// The references to a never-called function, as JSON.
struct ReferenceDocument: Encodable {
  /// `unreferenced`, `falls with`, `kept`, `only never called`, `only tests`, `implements`, `public interface`,
  /// `reached by name`, `local`, `live code` or `unknown`.
  var verdict: String
  var isDeletable: Bool
  /// The file of the deciding reference.
  var file: String?
  var line: Int?
  /// The function, variable or type that contains the reference; the implemented requirement; or the reason why
  /// the function is kept, or its references are unknown.
  var by: String?
  /// Whether the implemented requirement is used; nil if the requirement is a library's.
  var isUsed: Bool?
  /// The number of functions that can be removed together.
  var functions: Int?
  var bytes: UInt64?
  /// The source lines that this saves.
  var lines: Int?
  /// The library's module, or the header, by which others can call a function that can be removed.
  var publicIn: String?
  /// The place that names the function, without a known reference: `FILE:LINE`.
  var namedAt: String?

  /// Nil if a run may have called the function.
  init?(_ identity: String, _ references: FunctionReferences) {
    guard let report = references.report(identity) else { return nil }
    isDeletable = report.isDeletable
    publicIn = report.publicInterface?.name ?? report.header
    lines = references.lineCount(identity)
    namedAt = report.named.map { "\($0.file):\($0.line)" }
    switch report.reason {
    case .unreferenced(let cluster):
      (verdict, functions, bytes) = ("unreferenced", cluster.functions, cluster.bytes)
    case .fallsWith(let root, _, let cluster):
      (verdict, by) = ("falls with", references.name(root, for: identity))
      (functions, bytes) = (cluster.functions, cluster.bytes)
    case .onlyNeverCalled(let caller, let test):
      (verdict, by) = ("only never called", references.name(caller, for: identity))
      (file, line) = (test?.file, test?.line)
    case .onlyTests(let site):
      (verdict, file, line, by) = ("only tests", site.file, site.line, site.container)
    case .refused(let refusal): (verdict, by) = ("kept", refusal.text)
    case .liveCode(let site):
      (verdict, file, line, by) = ("live code", site.file, site.line, site.container)
    case .answers(let requirement):
      (verdict, by, isUsed) = ("implements", requirement.name, requirement.isUsed)
      if !requirement.owner.isEmpty { by = "\(requirement.owner).\(requirement.name)" }
    case .publicInterface(let users): (verdict, by) = ("public interface", users.name)
    case .reachedByName(let name): (verdict, by) = ("reached by name", name.text)
    case .local(let outer): (verdict, by) = ("local", outer)
    case .unknown(let reason): (verdict, by) = ("unknown", reason.rawValue)
    }
  }
}

extension PublicInterface {
  fileprivate var name: String {
    switch self {
    case .module(let name), .header(let name): name
    }
  }
}

extension ReachedByName {
  fileprivate var text: String {
    switch self {
    case .entryPoint: "entry point"
    case .attribute(let name), .linker(let name), .languageFeature(let name): name
    case .exported: "exported"
    case .reserved: "reserved"
    case .deinitializer: "deinitializer"
    case .test: "test"
    }
  }
}
