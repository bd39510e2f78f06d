import FirstlightModel
import Foundation
import SystemSupport

/// The description of the API (OpenAPI 3.1), served at /v1/openapi.json.
enum OpenAPIDocument {
  /// The methods of a path; nil if the document does not have the path.
  static func methods(ofPath path: String) -> [String]? {
    let parts = path.split(at: "/")
    return methods.first { described, _ in
      let described = described.text.split(at: "/")
      return described.count == parts.count
        && zip(described, parts).allSatisfy { $0 == $1 || $0.begins(with: "{") }
    }?.value
  }

  /// The methods of each path in the document.
  private static let methods: [TextBytes: [String]] = {
    struct Paths: Decodable { var paths: [TextBytes: [TextBytes: Operation]] }
    struct Operation: Decodable {}
    let described = try? JSONDecoder().decode(Paths.self, from: Data(text.utf8))
    return (described?.paths ?? [:]).mapValues { operations in
      operations.keys.sorted().map(\.text).flatMap {
        $0 == "get" ? ["GET", "HEAD"] : [$0.uppercased()]
      }
    }
  }()

  static let text = ResourceText.of(PackageResources.openapi_json)
}
