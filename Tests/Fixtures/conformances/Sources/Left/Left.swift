import Shapes

// Right gives the subclass the same conformance, and neither sees the other.
extension Shape: Named {
  public var name: String { "shape" }
}
extension Circle: Named {
  public var name: String { "circle, by Left" }
}
public func left() -> Any { Shape() }
