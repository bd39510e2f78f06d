/// A JSON object whose keys differ from a type's properties. A nil value omits its key.
package struct JSONObject: Encodable, ExpressibleByDictionaryLiteral {
  package typealias Key = String
  package typealias Value = (any Encodable)?

  private var fields: [(key: Key, value: Value)]

  package init(dictionaryLiteral fields: (Key, Value)...) {
    self.fields = fields.map { (key: $0, value: $1) }
  }

  package func adding(_ more: JSONObject) -> JSONObject {
    var sum = self
    sum.fields += more.fields
    return sum
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: FieldName.self)
    for case (let key, let value?) in fields {
      try container.encode(value, forKey: FieldName(stringValue: key))
    }
  }
}

/// A key that is known only at run time.
package struct FieldName: CodingKey {
  package var stringValue: String
  package var intValue: Int? { nil }

  package init(stringValue: String) { self.stringValue = stringValue }
  package init?(intValue: Int) { nil }
}

/// A type that is encoded as one JSON object.
package protocol JSONObjectConvertible: Encodable {
  var jsonObject: JSONObject { get }
}

extension JSONObjectConvertible {
  package func encode(to encoder: any Encoder) throws { try jsonObject.encode(to: encoder) }
}
