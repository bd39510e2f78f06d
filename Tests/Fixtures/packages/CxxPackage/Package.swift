// swift-tools-version: 6.1
import PackageDescription

// Three languages and two images: an executable with a C and a C++ target, and a shared library,
// the dynamic product of a package of its own (a dynamic product of the same package would be
// linked statically by its sibling targets).
let package = Package(
  name: "CxxPackage",
  products: [.executable(name: "cxx-app", targets: ["CxxApp"])],
  dependencies: [.package(path: "Plugboard")],
  targets: [
    .target(name: "CCore"),
    .target(name: "CxxCore"),
    .executableTarget(
      name: "CxxApp",
      dependencies: ["CCore", "CxxCore", .product(name: "Plugboard", package: "Plugboard")]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11,
  cxxLanguageStandard: .cxx17
)
