import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport

/// Scripts with the names of C and C++ compilers, which call the compilers with the instrumentation flags. With
/// their folder first on PATH, builds use them without a change, as with ccache.
struct CompilerWrappers {
  /// The form of a compiler's flags. Not every clang comes with the runtime of its counters.
  enum Kind { case gcc, clang, countingClang }

  private static let names = ["cc", "gcc", "clang", "c++", "g++", "clang++"]

  private let folder: String
  /// The names of the compilers that are on PATH.
  private var wrapped: Set<TextBytes> = []

  /// Writes the scripts. Fails with `.unavailable` if there is no compiler.
  init(in folder: String, flags: (Kind) -> [String]) throws(Failure) {
    self.folder = folder
    var kinds: [TextBytes: Kind] = [:]
    for name in Self.names + Self.versionedNames() {
      let wrapper = "\(folder)/\(name)"
      guard let path = Self.find(name, notIn: folder) else {
        unlink(wrapper)
        continue
      }
      let kind = if let known = kinds[path] { known } else { try Self.kind(of: path) }
      kinds[path] = kind
      let words = ([path] + flags(kind)).map(Escaping.shellWord).joined(separator: " ")
      try ResultFile.write(Self.script(words, kind), to: wrapper)
      chmod(wrapper, 0o755)
      wrapped.insert(name)
    }
    if wrapped.isEmpty {
      throw Failure(
        .unavailable, "cc: not found on PATH",
        advice: "install gcc or clang, or put its folder on PATH")
    }
  }

  /// Begins each line of a wrapper in a build's log.
  static let prefix = "firstlight: "

  /// Removes flags that strip binaries, since a list without names and lines is useless, and those that leave
  /// out the unwind tables by which functions are found.
  ///
  /// gcc calls hooks in naked functions too, where they destroy the arguments. It has no option that leaves out
  /// functions by their attributes, so a file with such a function gets no hooks.
  private static func script(_ words: String, _ kind: Kind) -> String {
    let naked = """
      *.c | *.cc | *.cpp | *.cxx | *.C)
          if grep -Eqs '\\b(__)?naked(__)?\\b' "$word"; then
            echo "\(prefix)$word has a naked function, which gcc's hooks would break: not recorded" >&2
            off=-fno-instrument-functions
          fi
          set -- "$@" "$word" ;;
      """
    return """
      #!/bin/sh
      off=
      for word; do
        shift
        case $word in
        \(kind == .gcc ? naked : "")
        -s | -Wl,-s | -Wl,--strip-all | -fno-asynchronous-unwind-tables | -fno-unwind-tables) ;;
        *) set -- "$@" "$word" ;;
        esac
      done
      exec \(words) "$@" $off

      """
  }

  private static var searchPath: String {
    getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
  }

  /// The folders on PATH, without the one that this or an earlier run put there.
  private static func folders(without folder: String) -> [String] {
    searchPath.split(at: ":").map(String.init).filter { $0 != folder }
  }

  private static func find(_ name: String, notIn folder: String) -> String? {
    folders(without: folder).lazy.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// Compilers named with their versions: gcc-12, clang++-19.
  private static func versionedNames() -> [String] {
    let names = folders(without: "").flatMap { (try? DirectoryListing.names(in: $0)) ?? [] }
    return Set(texts: names).map(\.text).filter {
      $0.wholeMatch(of: /(gcc|g\+\+|clang|clang\+\+)-[0-9]+/) != nil
    }
    .sorted()
  }

  /// - Parameter path: a compiler's path, or its name on PATH.
  static func kind(of path: String) throws(Failure) -> Kind {
    func ask(_ words: String...) throws(Failure) -> String? {
      let compiler = ProgramCommand([path] + words, log: try ProgramLog())
      return try compiler.run("asking \(path)").exitStatus == 0 ? compiler.log.start(4096) : nil
    }
    // The build may find a compiler where we do not.
    guard let program = try? ProgramPath.find(path), access(program, X_OK) == 0,
      try ask("--version")?.containsUTF8("clang version") == true
    else { return .gcc }
    // Links the counters' runtime with an empty library.
    let counts = try ask(
      "-x", "c", "-fprofile-instr-generate", "-fPIC", "-shared", "-o", "/dev/null", "/dev/null")
    return counts == nil ? .clang : .countingClang
  }

  /// The environment of a build with these compilers.
  var environment: [TextBytes: String] {
    var variables: [TextBytes: String] = ["PATH": "\(folder):\(Self.searchPath)"]
    // Makefiles split these at blanks.
    guard !folder.utf8.contains(where: \.isASCIISpace) else { return variables }
    for (variable, usual) in [("CC", "cc"), ("CXX", "c++")] {
      let chosen = getenv(variable).map { BaseName.of(String(cString: $0)) } ?? usual
      let name = wrapped.contains(chosen) ? chosen : usual
      if wrapped.contains(name) { variables[variable] = "\(folder)/\(name)" }
    }
    return variables
  }
}
