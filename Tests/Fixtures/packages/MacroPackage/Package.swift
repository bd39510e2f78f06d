// swift-tools-version: 6.1
import CompilerPluginSupport
import PackageDescription

// Everything of a package that runs while it is being built: a macro, and a build tool plugin with
// its own tool. Neither belongs to the program that is recorded.
let package = Package(
  name: "MacroPackage",
  dependencies: [
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1")
  ],
  targets: [
    .macro(
      name: "Macros",
      dependencies: [
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
      ]),
    .target(name: "Stamp", dependencies: ["Macros"]),
    .executableTarget(name: "GreetingTool"),
    .plugin(name: "GreetingPlugin", capability: .buildTool(), dependencies: ["GreetingTool"]),
    .executableTarget(
      name: "MacroApp", dependencies: ["Stamp"], plugins: ["GreetingPlugin"]),
  ],
  swiftLanguageModes: [.v6]
)
