/// A column that holds what it cannot hold.
package struct WrongColumn: Error, CustomStringConvertible {
  package let column: Int
  package var description: String { "column \(column + 1) holds a value of another type" }
}
