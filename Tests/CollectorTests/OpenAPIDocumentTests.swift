import FirstlightModel
import Foundation
import NeverCalled
import Ordering
import Reports
import Testing

@testable import Collector

/// The description of the API names the values that the code knows.
@Suite struct OpenAPIDocumentTests {
  private struct Document: Decodable {
    struct Operation: Decodable { var parameters: [Parameter]? }
    struct Parameter: Decodable {
      var name: String?
      var schema: Schema?
    }
    struct Schema: Decodable { var `enum`: [String]? }
    var paths: [String: [String: Operation]]
  }

  private func values(of name: String, _ path: String) throws -> [String]? {
    let document = try JSONDecoder().decode(Document.self, from: Data(OpenAPIDocument.text.utf8))
    return document.paths[path]?["get"]?.parameters?.first { $0.name == name }?.schema?.enum
  }

  @Test func choicesAreThoseOfTheCode() throws {
    #expect(try values(of: "format", "/v1/order") == LinkerFormat.allCases.map(\.rawValue))
    #expect(try values(of: "strategy", "/v1/order") == OrderingStrategy.allCases.map(\.rawValue))
    #expect(try values(of: "format", "/v1/dead") == DeadFormat.allCases.map(\.rawValue))
    #expect(OpenAPIDocument.text.contains("\"default\": \(PageSize.reported)}"))
  }

  @Test func pathsHaveMethods() {
    #expect(OpenAPIDocument.methods(ofPath: "/v1/builds/4f2a") == ["DELETE"])
    #expect(OpenAPIDocument.methods(ofPath: "/v1/dead") == ["GET", "HEAD"])
    #expect(OpenAPIDocument.methods(ofPath: "/v1/nothing") == nil)
  }
}
