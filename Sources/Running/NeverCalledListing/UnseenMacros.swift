import DeadCode
import FirstlightModel
import ReferenceIndex
import References
import SystemSupport

/// Finds functions that unseen macros may name: macros of headers that are gone or were changed since the build, and
/// of the compiler's options.
struct UnseenMacros {
  /// Files that use such macros, or may.
  private let files: [String]
  /// The names that build descriptions define macros as.
  private let defined: Set<Substring>
  private let includes: IncludedFiles
  private let units: Set<String>

  /// - Parameters:
  ///   - texts: contents by path.
  ///   - units: the names of all units; nil if they are unknown.
  ///   - built: when the program was made, in nanoseconds since 1970.
  init(
    _ texts: [String: String], _ includes: IncludedFiles, units: Set<String>?, folder: String,
    built: Int
  ) {
    self.includes = includes
    let names = Set(texts.keys.compactMap { $0.split(separator: "/").last })
    self.units = units ?? Set(names.lazy.map(String.init))
    let calls = UndefinedMacros.calls(in: texts)
    let installed = InstalledHeaders()
    let known = installed.known(
      calls.values.reduce(into: []) { $0.formUnion($1) }, in: includes.headers)
    files = texts.keys.filter { file in
      calls[file]?.isSubset(of: known) == false
        || includes.lacksHeader(file) { names.contains($0) || installed.contains($0) }
        || (IndexFreshness.time(file) ?? .max) > built
    }
    defined = Self.definitions(in: folder)
  }

  func mayName(_ function: FunctionReport) -> Bool {
    guard let own = function.file else { return true }
    return defined.contains(LinkerName.base(function.mangledName)[...])
      || files.contains { includes.isCompiled($0, with: own, units: units) }
  }

  // MARK: Options

  private static let descriptions = [
    "akefile", ".mk", ".am", ".ac", "configure", "CMakeLists.txt", ".cmake", ".make",
    "meson.build", ".ninja", "BUILD", ".bazel", ".bzl", ".gn", ".sh", ".rsp",
    "compile_commands.json",
  ]

  /// The names after an equals sign in build descriptions, as in `-DCALL=name`.
  private static func definitions(in folder: String) -> Set<Substring> {
    var names: Set<Substring> = []
    for file in ProjectSources.files(in: folder, endings: descriptions, most: .max) ?? [] {
      guard let text = try? TextFile.read(file), text.containsUTF8("=") else { continue }
      for part in text.split(separator: "=").dropFirst() {
        let value = part.drop { "\\\"'(".contains($0) }
        names.insert(value.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
      }
    }
    return names
  }
}
