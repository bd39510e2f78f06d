import DebugInfo
import FirstlightModel
import NeverCalled

/// Reads the contents of a binary.
package enum SizedBinary {
  /// - Parameters:
  ///   - tree: shows the origin of code.
  ///   - profile: shows which functions were called; nil: not requested.
  ///   - map: the input sections from the linker's map; empty: none.
  /// - Throws: `Failure` if the binary cannot be read, or if the profile has no recording of it.
  package static func report(
    of path: String, in tree: SourceTree, calls profile: Profile? = nil, map: [InputSection] = []
  ) throws(Failure) -> SizeReport {
    let image = try DebugImage(path: path)
    let contents = try image.contents()
    let names = Demangler.demangle(contents.items.map(\.name))
    let files = Set(texts: contents.items.lazy.compactMap(\.file)).map(\.text)
    var own = try tree.ownCode(files: files)
    // The sources of a program from elsewhere have no known origin.
    if let found = own, files.allSatisfy({ found.origin(of: $0) == .dependency }) { own = nil }
    let calls: [Bool?]
    if let profile {
      guard let called = CalledSymbols(profile, of: image) else {
        throw Failure(
          .data, "the profile has no recording of \(path)",
          advice: "record the same program: firstlight record --no-rebuild \(path)")
      }
      calls = contents.items.map { $0.isCode ? called.isCalled($0) : nil }
    } else {
      calls = Array(repeating: nil, count: contents.items.count)
    }
    var report = SizeReport(
      contents, names: names, owners: SymbolOwners(contents, names, own, map).owners, calls: calls)
    report.isInstrumented = !image.instrumentation.isEmpty
    return report
  }
}

/// The functions of a profile, by which a binary's symbols are called or not.
private struct CalledSymbols {
  private var byAddress: [UInt64: Bool] = [:]
  private var byName: [TextBytes: Bool] = [:]

  /// Nil if the profile has no build of the binary: the same build, or else one of this file name.
  init?(_ profile: Profile, of image: DebugImage) {
    let same = profile.builds.filter { $0.build.buildID == image.recordedID }
    let alike = profile.builds.filter { $0.build.name == BaseName.of(image.path) }
    for recorded in same.isEmpty ? alike : same {
      for (function, number) in zip(recorded.build.guarded, recorded.build.entryGuards) {
        let isCalled = recorded.coverage[Int(number)].isCalled
        if let address = function.address, !same.isEmpty {
          byAddress[address] = isCalled || byAddress[address] == true
        } else {
          for name in [function.name] + function.aliases where !name.isEmpty {
            byName[name] = isCalled || byName[name] == true
          }
        }
      }
    }
    if same.isEmpty, alike.isEmpty { return nil }
  }

  /// Nil if the profile does not know the function.
  func isCalled(_ item: BinaryContents.Item) -> Bool? {
    byAddress[item.address] ?? byName[item.name]
  }
}

/// The module of each symbol: that of its Swift name, or else the folder or package of its source file, or else
/// the archive that the linker took it from.
private struct SymbolOwners {
  let owners: [SymbolOwner]

  init(
    _ contents: BinaryContents, _ names: [String], _ own: OwnCode?, _ map: [InputSection]
  ) {
    let modules = zip(contents.items, names).map {
      Demangler.swiftModule(of: $0.name, demangled: $1)
    }
    var ofModules: [TextBytes: ModuleOwner] = [:]
    for (item, module) in zip(contents.items, modules) where !module.isEmpty {
      guard let file = item.file, ofModules[module] != .own else { continue }
      ofModules[module] = Self.owner(file, own)
    }
    let inputs = map.sorted { $0.addresses.lowerBound < $1.addresses.lowerBound }
    owners = contents.items.indices.map { index in
      let (item, module) = (contents.items[index], modules[index])
      if !module.isEmpty {
        let isToolchain = ToolchainModules.names.contains(module)
        let owner = isToolchain ? .toolchain : ofModules[module] ?? .dependency(module)
        return SymbolOwner(module: module, owner: owner)
      }
      if let file = item.file { return Self.owner(ofFile: file, own) }
      return Self.input(at: item.address, inputs).map(Self.owner(ofInput:)) ?? .unknown
    }
  }

  private static func owner(_ file: String, _ own: OwnCode?) -> ModuleOwner {
    if let own, own.origin(of: file) != .dependency { return .own }
    return package(file).map(ModuleOwner.dependency) ?? (own == nil ? .unknown : .toolchain)
  }

  /// The package that SwiftPM or CMake fetched a file with.
  private static func package(_ file: String) -> String? {
    let folders = file.split(at: "/")
    let place = folders.firstIndex { ["checkouts", "_deps", "vendor", "third_party"].contains($0) }
    guard let place, place + 1 < folders.count - 1 else { return nil }
    return String(folders[place + 1])
  }

  private static func owner(ofFile file: String, _ own: OwnCode?) -> SymbolOwner {
    let owner = owner(file, own)
    if case .dependency(let name) = owner {
      return SymbolOwner(module: "\(name) (C)", owner: owner)
    }
    return SymbolOwner(module: "\(folder(of: file, own)) (C)", owner: owner)
  }

  /// The folder below the project's, or the project; of a system's header, the library's, not that of its version
  /// (`/usr/include/c++/12/vector`).
  private static func folder(of file: String, _ own: OwnCode?) -> String {
    for root in own?.roots ?? [] {
      guard let inside = file.removing(prefix: root + "/") else { continue }
      let inner = inside.split(at: "/").dropLast()
      return inner.isEmpty ? BaseName.of(root) : inner.joined(separator: "/")
    }
    let folders = file.split(at: "/").dropLast()
    if let include = folders.firstIndex(where: { $0 == "include" }), include + 1 < folders.endIndex
    {
      return String(folders[include + 1])
    }
    let named = folders.last { $0.utf8.contains { $0.isASCIILetter || $0 >= 0x80 } }
    return named.map(String.init) ?? "/"
  }

  private static func input(at address: UInt64, _ inputs: [InputSection]) -> String? {
    let after = inputs.partitioningIndex { $0.addresses.lowerBound > address }
    guard after > 0, inputs[after - 1].addresses.contains(address) else { return nil }
    return inputs[after - 1].file
  }

  /// `libcurl.a(url.o)` is of curl, `crt1.o` of itself.
  private static func owner(ofInput file: String) -> SymbolOwner {
    let archive =
      file.ends(with: ")") ? String(file[..<(file.firstIndex(ofUTF8: "(") ?? file.endIndex)]) : file
    var name = BaseName.of(archive)
    if name.begins(with: "lib"), name.ends(with: ".a") {
      name = String(name.dropFirst(3).dropLast(2))
    }
    return SymbolOwner(module: "\(name) (C)", owner: .dependency(name))
  }
}
