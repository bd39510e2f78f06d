import Foundation
import TestSupport
import Testing

/// A program of classes that override each other, and of one that a macro of the toolchain extends.
enum DeadHierarchy {
  static let library = """
    import Observation

    public class Vehicle {
      public var wheels: Int
      public init(wheels: Int) { self.wheels = wheels }
      public convenience init() { self.init(wheels: CommandLine.arguments.count + 3) }
      public func start() -> String { "started " + sound() }
      public func sound() -> String { "nothing \\(wheels)" }
      public func honk() -> String { "honk \\(wheels)" }
      public class func brand() -> String { "plain" + String(CommandLine.arguments.count) }
      public class func neverBrand() -> String { "never" + String(CommandLine.arguments.count) }
      deinit { print("vehicle gone") }
    }
    public class Car: Vehicle {
      public var doors = 4
      public override func sound() -> String { "vroom " + super.sound() }
      public override func honk() -> String { "car " + super.honk() }
      public override class func brand() -> String { "car" + super.brand() }
    }
    public final class Truck: Car {
      public override func sound() -> String { "rumble \\(doors)" }
      public final func load() -> String { "loaded \\(wheels)" }
      public final func neverUnload() -> String { "unloaded \\(wheels)" }
    }
    public final class Bike: Vehicle {
      public override func sound() -> String { "ring \\(wheels)" }
      public override func start() -> String { "pedalled " + super.start() }
    }
    public protocol Washable: AnyObject { func wash() -> String }
    extension Truck: Washable { public func wash() -> String { "clean \\(doors)" } }
    extension Bike: Washable { public func wash() -> String { "wiped \\(wheels)" } }

    @Observable public final class Dashboard {
      public var speed = 0
      public var warnings: [String] = []
      public init() {}
      public func accelerate() { speed += CommandLine.arguments.count }
      public func neverWarn() { warnings.append("late") }
    }

    """

  /// Which class an object is of is known only at run time.
  static let main = """
    let many = CommandLine.arguments.count > 5
    let vehicles: [Vehicle] = [Car(wheels: 4), many ? Bike(wheels: 2) : Truck()]
    for vehicle in vehicles { print(vehicle.start()) }
    print((vehicles[1] as? Truck)?.load() ?? "none", type(of: vehicles[0]).brand())
    if let washable = vehicles[1] as? any Washable { print(washable.wash()) }
    if many { print(vehicles[0].honk(), Vehicle.neverBrand()) }
    let dashboard = Dashboard()
    dashboard.accelerate()
    print(dashboard.speed)

    """

  /// What runs, and what does not.
  static let verdicts: [(String, String)] = [
    ("Fleet.Vehicle.init(wheels:", "called"), ("Fleet.Vehicle.start()", "called"),
    ("Fleet.Vehicle.sound()", "called"), ("Fleet.Vehicle.honk()", "never called"),
    ("static Fleet.Vehicle.brand()", "called"),
    ("static Fleet.Vehicle.neverBrand()", "never called"),
    ("Fleet.Car.sound()", "called"), ("Fleet.Car.honk()", "never called"),
    ("static Fleet.Car.brand()", "called"), ("Fleet.Truck.sound()", "called"),
    ("Fleet.Truck.load()", "called"), ("Fleet.Truck.neverUnload()", "never called"),
    ("Fleet.Truck.wash()", "called"), ("Fleet.Bike.sound()", "never called"),
    ("Fleet.Bike.start()", "never called"), ("Fleet.Bike.wash()", "never called"),
    ("Fleet.Dashboard.accelerate()", "called"), ("Fleet.Dashboard.neverWarn()", "never called"),
  ]

  /// Builds the program; its sources lie in `directory`.
  static func build(
    _ options: [String], flags: [String], in directory: TemporaryDirectory, name: String
  ) throws -> String {
    try DeadFixture.build(
      module: "Fleet", ["src/library.swift": library, "src/main.swift": main], options + flags,
      in: directory, name: name)
  }
}
