// swift-tools-version: 6.1
import PackageDescription

// A Lambda function without dependencies, for Documentation/Containers.md.
let package = Package(
  name: "lambda-function",
  targets: [.executableTarget(name: "bootstrap")],
  swiftLanguageModes: [.v6]
)
