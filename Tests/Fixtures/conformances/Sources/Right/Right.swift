import Shapes

extension Square: Named {
  public var name: String { "square" }
}
extension Circle: Named {
  public var name: String { "circle, by Right" }
}
public func right() -> Any { Square() }
