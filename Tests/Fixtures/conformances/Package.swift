// swift-tools-version: 6.0
import PackageDescription

// Types of all kinds, whose conformances the runtime and the table are asked about.
let package = Package(
  name: "kinds",
  targets: [
    .target(name: "Check"),
    .target(name: "Shapes"),
    .target(name: "Left", dependencies: ["Shapes"]),
    .target(name: "Right", dependencies: ["Shapes"]),
    .executableTarget(name: "Kinds", dependencies: ["Check", "Shapes", "Left", "Right"]),
  ])
