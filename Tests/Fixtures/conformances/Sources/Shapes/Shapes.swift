public protocol Drawn {}
public protocol Named { var name: String { get } }
public protocol Measured {
  associatedtype Unit
  var size: Unit { get }
}

public struct Circle: Drawn {
  public init() {}
}
open class Shape {
  public init() {}
}
open class Square: Shape, Measured {
  public var size: Int { 1 }
}
