/// An answer, all of it in memory.
package struct HTTPAnswer: Sendable {
  package var status: Int
  /// Names in lower case.
  package var headers: [(String, String)]
  package var body: [UInt8]

  package var text: String { String(decoding: body, as: UTF8.self) }

  /// The first header of a name, in any case.
  package func header(_ name: String) -> String? {
    let name = name.lowercased()
    return headers.first { $0.0 == name }?.1
  }
}
