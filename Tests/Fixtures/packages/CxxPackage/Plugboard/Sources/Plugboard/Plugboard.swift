/// Lives in its own shared library.
public struct Plugboard {
  private var pairs: [Character: Character] = [:]

  public init() {}

  public mutating func connect(_ first: Character, _ second: Character) {
    pairs[first] = second
    pairs[second] = first
  }

  public func translate(_ text: String) -> String {
    String(text.map { pairs[$0] ?? $0 })
  }

  public mutating func neverCalledDisconnectAll() {
    pairs.removeAll()
  }
}
