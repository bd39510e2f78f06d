// swift-tools-version: 6.1
import PackageDescription

// A program whose start-up is a plan of tasks. It takes only FirstlightLaunch of Firstlight, so no
// traits: nothing of the tools is fetched.
let package = Package(
  name: "launch-tasks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "firstlight", path: "../..", traits: []),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .executableTarget(
      name: "Spelling",
      dependencies: [
        .product(name: "FirstlightLaunch", package: "firstlight"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
