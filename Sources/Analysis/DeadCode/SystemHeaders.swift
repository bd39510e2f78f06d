/// Headers of compilers and of the system. Their templates and inline functions are copied into a program but
/// are not in its source, so they cannot be deleted from it.
enum SystemHeaders {
  /// The folders of GCC, Clang and Debian's packages, as `gcc -v` and `clang -v` list them.
  private static let beginnings = ["/usr/include/", "/usr/lib/gcc/", "/usr/lib/llvm"]
  private static let folders: [StaticString] = ["/include/c++/", "/lib/clang/", "/usr/lib/swift/"]

  /// Whether a source path from debug information is such a header.
  static func hold(_ path: String) -> Bool {
    guard path.utf8.first == UInt8(ascii: "/") else { return false }
    return beginnings.contains { path.hasPrefix($0) } || folders.contains { path.containsUTF8($0) }
  }
}
