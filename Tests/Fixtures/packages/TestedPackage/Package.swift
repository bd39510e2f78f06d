// swift-tools-version: 6.1
import PackageDescription

// A library of which one half is tested by XCTest, the other by Swift Testing, and some by neither;
// it depends on a package of its own, so that dependencies can be filtered out.
let package = Package(
  name: "TestedPackage",
  products: [.library(name: "Ledger", targets: ["Ledger"])],
  dependencies: [.package(path: "Dep")],
  targets: [
    .target(name: "Ledger", dependencies: [.product(name: "Dep", package: "Dep")]),
    .testTarget(name: "LedgerXCTests", dependencies: ["Ledger"]),
    .testTarget(name: "LedgerSwiftTests", dependencies: ["Ledger"]),
  ],
  swiftLanguageModes: [.v6]
)
