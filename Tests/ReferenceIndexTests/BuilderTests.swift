import Testing

@testable import ReferenceIndex

@Suite struct BuilderTests {
  private var builder = ReferenceIndexBuilder()

  private mutating func symbol(_ name: String, _ kind: IndexSymbolKind = .function) -> Int {
    builder.symbol(usr: "s:\(name)", name: name, IndexSymbolTraits(kind: kind))!
  }

  @Test mutating func referencesOfOnePairAreOne() throws {
    let file = builder.file("/a.swift", module: "M")
    let (f, g) = (symbol("f"), symbol("g"))
    builder.define(f, file: file, line: 1)
    builder.refer(to: f, from: g, file: file, line: 9, .call)
    builder.refer(to: f, from: g, file: file, line: 7, .read)
    let references = builder.build().references(to: f)
    #expect(references.count == 1)
    #expect(references.first?.line == 7)
    #expect(references.first?.roles == [.call, .read])
    #expect(references.first?.container == g)
  }

  @Test mutating func accessorsCountAsTheirVariable() throws {
    let file = builder.file("/a.swift", module: "M")
    let (variable, getter) = (symbol("x", .instanceProperty), symbol("getter:x", .instanceMethod))
    let f = symbol("f")
    builder.define(variable, file: file, line: 1)
    builder.define(getter, file: file, line: 2)
    builder.define(f, file: file, line: 3)
    builder.relate(getter, .accessorOf, variable)
    builder.refer(to: getter, from: f, file: file, line: 5)
    builder.refer(to: f, from: getter, file: file, line: 2)
    builder.refer(to: variable, from: getter, file: file, line: 2)
    let index = builder.build()
    #expect(index.symbol(usr: "s:getter:x") == variable)
    #expect(index.references(to: variable).map(\.container) == [f])
    #expect(index.references(to: f).map(\.container) == [variable])
    #expect(index.symbols(file: file, line: 2) == [variable])
  }

  @Test mutating func functionsThatAreChildrenOfAVariableAreItsAccessors() {
    let file = builder.file("/a.swift", module: "M")
    let (variable, reader) = (symbol("x", .instanceProperty), symbol("read:x", .instanceMethod))
    let (type, method) = (symbol("T", .structure), symbol("f", .instanceMethod))
    builder.define(reader, file: file, line: 2)
    builder.define(method, file: file, line: 3)
    builder.relate(reader, .childOf, variable)
    builder.relate(method, .childOf, type)
    builder.refer(to: variable, from: method, file: file, line: 3)
    let index = builder.build()
    #expect(index.symbol(usr: "s:read:x") == variable)
    #expect(index.references(to: variable).map(\.container) == [method])
    #expect(index.symbol(usr: "s:f") == method)
  }

  @Test mutating func overridesReferToWhatTheyOverride() {
    let file = builder.file("/a.swift", module: "M")
    let (base, derived) = (symbol("base"), symbol("derived"))
    builder.define(base, file: file, line: 1)
    builder.define(derived, file: file, line: 2)
    builder.relate(derived, .overrideOf, base)
    let references = builder.build().references(to: base)
    #expect(references.map(\.container) == [derived])
    #expect(references.first?.line == 2)
    #expect(references.first?.isOnlyOverride == true)
  }

  @Test mutating func referencesToOthersCodeAreLeftOut() {
    let file = builder.file("/a.swift", module: "M")
    let print = symbol("print")
    builder.refer(to: print, from: nil, file: file, line: 1)
    let index = builder.build()
    #expect(index.referenceCount == 0)
    #expect(!index.isDefined(print))
  }

  @Test mutating func definitionsAreFoundByTheirPlace() {
    let (a, b) = (builder.file("/a.swift", module: "M"), builder.file("/b.swift", module: "M"))
    let (f, g, h) = (symbol("f"), symbol("g"), symbol("h"))
    builder.define(f, file: a, line: 3)
    builder.define(g, file: b, line: 3)
    builder.define(h, file: a, line: 3)
    builder.define(h, file: b, line: 1, isDeclaration: true)
    let index = builder.build()
    #expect(index.symbols(file: a, line: 3) == [f, h])
    #expect(index.symbols(file: b, line: 1) == [])
    #expect(index.symbols(file: b, line: 4) == [])
    #expect(index.file("/b.swift") == b)
  }

  @Test func textsAreNumberedOnce() {
    var table = NumberedTexts()
    let texts = (0..<5000).map { "text \($0)" } + [""]
    for (number, text) in texts.enumerated() { #expect(table.insert(text) == number) }
    for (number, text) in texts.enumerated() {
      #expect(table.insert(text) == number)
      #expect(table.find(text) == number)
      #expect(table[number] == text)
    }
    #expect(table.find("text") == nil)
  }
}
