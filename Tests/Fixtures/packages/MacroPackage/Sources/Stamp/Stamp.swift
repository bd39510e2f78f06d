/// The value of an expression and its source text.
@freestanding(expression)
public macro stringify(_ value: Int) -> (Int, String) =
  #externalMacro(module: "Macros", type: "StringifyMacro")

public func describe(_ pair: (Int, String)) -> String {
  "\(pair.1) = \(pair.0)"
}

public func neverCalledInStamp() -> String {
  "nobody calls this"
}
