import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport

/// The search folders for libraries of a binary whose loader cannot be asked.
struct LoaderFolders {
  let architecture: String

  /// Possible paths of a library, in the order of the search; none need exist.
  ///
  /// - Parameters:
  ///   - image: the image that needs the library.
  ///   - loaders: the chain of images that loaded that image, nearest first; the binary last.
  func places(of name: String, for image: BinaryFacts, loaders: [BinaryFacts]) -> [String] {
    if name.containsUTF8("/") { return [expand(name, image)] }
    let inherited = loaders.filter { $0.dynamic.isRunPathInherited }
    let folders = ([image] + inherited).flatMap { facts in
      facts.dynamic.runPath.map { expand($0, facts) }
    }
    return (folders + usual).map { "\($0)/\(name)" }
  }

  /// Debian's default folders, then glibc's.
  private var usual: [String] {
    let machine = "\(architecture)-linux-gnu"
    return ["/lib/\(machine)", "/usr/lib/\(machine)", "/lib64", "/usr/lib64", "/lib", "/usr/lib"]
  }

  private func expand(_ path: String, _ image: BinaryFacts) -> String {
    guard path.containsUTF8("$") else { return path }
    let file = AbsolutePath.resolved(image.path) ?? AbsolutePath.of(image.path)
    let origin = AbsolutePath.folder(of: file) ?? "."
    return path.replacing(utf8: "${ORIGIN}", with: origin).replacing(utf8: "$ORIGIN", with: origin)
  }
}
