/// Headers of compilers and of the system: the templates and inline functions that a program has from them
/// are copies, not written in it, and cannot be deleted from it.
enum SystemHeaders {
  /// Where GCC, Clang and Debian's packages keep them: `gcc -v` and `clang -v` list these folders.
  private static let beginnings = ["/usr/include/", "/usr/lib/gcc/", "/usr/lib/llvm"]
  private static let folders: [StaticString] = ["/include/c++/", "/lib/clang/", "/usr/lib/swift/"]

  /// Whether a source path, as debug information gives it, is one of these.
  static func hold(_ path: String) -> Bool {
    guard path.utf8.first == UInt8(ascii: "/") else { return false }
    return beginnings.contains { path.hasPrefix($0) } || folders.contains { path.containsUTF8($0) }
  }
}
