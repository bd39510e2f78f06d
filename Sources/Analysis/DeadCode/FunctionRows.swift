/// Some functions of a report, in an order of their own; holds no copies of them.
package struct FunctionRows: RandomAccessCollection, Sendable {
  private let functions: [FunctionReport]
  private var places: [Int32]

  /// Those that fit, in the order of the report.
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

  /// At most this many, from the beginning.
  package func first(_ count: Int) -> FunctionRows {
    var result = self
    result.places = Array(places.prefix(count))
    return result
  }

  /// Those that fit, in the same order.
  package func filtered(_ fits: (borrowing FunctionReport) -> Bool) -> FunctionRows {
    var result = self
    result.removeAll { !fits($0) }
    return result
  }

  /// - Parameter ranks: by function of the report; equal ones keep their order.
  package mutating func sort(byRank ranks: [Int]) {
    places = places.enumerated().sorted {
      (ranks[Int($0.element)], $0.offset) < (ranks[Int($1.element)], $1.offset)
    }.map(\.element)
  }

  mutating func sort(by isBefore: (borrowing FunctionReport, borrowing FunctionReport) -> Bool) {
    places.sort { isBefore(functions[Int($0)], functions[Int($1)]) }
  }
}
