import FirstlightModel
import Glibc
import SystemSupport
import TextFormatting

/// Scripts with the names of C and C++ compilers that call clang with the instrumentation flags.
/// With their folder first on PATH, builds use them unknowingly, as with ccache.
struct CompilerWrappers {
  private static let names = [
    ("clang", ["cc", "gcc", "clang"]), ("clang++", ["c++", "g++", "clang++"]),
  ]

  let folder: String

  /// Writes the scripts. Fails with `.unavailable` if there is no clang.
  init(in folder: String, flags: [String]) throws(Failure) {
    self.folder = folder
    for (compiler, names) in Self.names {
      let path: String
      do throws(Failure) { path = try ProgramPath.find(compiler) } catch {
        throw Failure(
          .unavailable, "\(compiler): not found on PATH",
          advice: "install clang and lld, or put the Swift toolchain's usr/bin on PATH")
      }
      let words = ([path] + flags).map(ShellText.quoted).joined(separator: " ")
      for name in names {
        let wrapper = "\(folder)/\(name)"
        try ResultFile.write(Self.script(words), to: wrapper)
        chmod(wrapper, 0o755)
      }
    }
  }

  /// Removes flags that strip binaries: a list without names and lines is useless.
  private static func script(_ words: String) -> String {
    """
    #!/bin/sh
    for word; do
      shift
      case $word in -s | -Wl,-s | -Wl,--strip-all) ;; *) set -- "$@" "$word" ;; esac
    done
    exec \(words) "$@"

    """
  }

  /// The environment of a build with these compilers.
  var environment: [String: String] {
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    var variables = ["PATH": "\(folder):\(path)"]
    // Makefiles split these at blanks.
    if !folder.contains(where: \.isWhitespace) {
      variables["CC"] = "\(folder)/cc"
      variables["CXX"] = "\(folder)/c++"
    }
    return variables
  }
}
