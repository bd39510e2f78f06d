/// Selects and orders functions of a report without copying them.
package struct FunctionRows: RandomAccessCollection, Sendable {
  private let functions: [FunctionReport]
  private var places: [Int32]

  /// The functions that match, in the order of the report.
  init(_ functions: [FunctionReport], where fits: (borrowing FunctionReport) -> Bool) {
    self.functions = functions
    places = []
    for place in functions.indices where fits(functions[place]) { places.append(Int32(place)) }
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { places.count }
  package subscript(index: Int) -> FunctionReport { functions[Int(places[index])] }

  package mutating func removeAll(where isLeftOut: (borrowing FunctionReport) -> Bool) {
    places.removeAll { isLeftOut(functions[Int($0)]) }
  }

  /// The first rows, at most `count`.
  package func first(_ count: Int) -> FunctionRows {
    var result = self
    result.places = Array(places.prefix(count))
    return result
  }

  /// The rows that match, in the same order.
  func filtered(_ fits: (borrowing FunctionReport) -> Bool) -> FunctionRows {
    var result = self
    result.removeAll { !fits($0) }
    return result
  }

  /// - Parameter ranks: a rank for each function of the report. Rows of equal rank keep their order.
  package mutating func sort(byRank ranks: [Int]) {
    places = places.enumerated().sorted {
      (ranks[Int($0.element)], $0.offset) < (ranks[Int($1.element)], $1.offset)
    }.map(\.element)
  }

  mutating func sort(by isBefore: (borrowing FunctionReport, borrowing FunctionReport) -> Bool) {
    places.sort { isBefore(functions[Int($0)], functions[Int($1)]) }
  }
}
