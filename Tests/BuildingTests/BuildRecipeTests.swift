import Building
import FirstlightModel
import Foundation
import TestSupport
import Testing

@Suite struct BuildRecipeTests {
  @Test func flagsGoBehindSwiftBuild() throws {
    let recipe = try BuildRecipe("swift build -c release")
    let command = recipe.command(for: .linked(with: ["-z", "pack-relative-relocs"]))
    #expect(command.hasPrefix("swift build -c release "))
    #expect(command.contains("-Xlinker -z -Xlinker pack-relative-relocs"))
    #expect(recipe.command(for: .plain) == "swift build -c release")
  }

  @Test func flagsGoWhereTheyAreAskedFor() throws {
    let recipe = try BuildRecipe("make CFLAGS='-O2 {cflags}' LDFLAGS='{flags}'")
    #expect(recipe.command(for: .plain) == "make CFLAGS='-O2 ' LDFLAGS=''")
    let command = recipe.command(for: .linked(with: ["--icf=all"]))
    #expect(command.contains("-Wl,--icf=all'"))
    #expect(command.contains("CFLAGS='-O2 -ffunction-sections"))
  }

  @Test(arguments: [
    ("swift build -c release", "swift build -c release --toolset out/app.json"),
    ("cd app && swift build", "cd app && swift build --toolset out/app.json"),
    (
      "make CFLAGS='{cflags}' LDFLAGS='{flags}'",
      "make CFLAGS='-ffunction-sections' LDFLAGS='@out/app.json'"
    ),
  ])
  func flagsAreKeptInOneFile(text: String, command: String) throws {
    #expect(try BuildRecipe(text).command(for: .keeping(file: "out/app.json")) == command)
  }

  @Test(arguments: ["make", "cmake --build .", "swiftly build"])
  func aCommandWithoutAPlaceForFlagsIsRefused(command: String) {
    let failure = #expect(throws: Failure.self) { try BuildRecipe(command) }
    #expect(failure?.kind == .usage)
  }

  /// What a variable of make or CMake gets passes a second shell. Oracle: the shell.
  @Test(arguments: ["printf '%s|' {flags}", "sh -c \"printf '%s|' {flags}\""])
  func flagsWithBlanksSurviveTheShellsOfTheCommand(command: String) throws {
    let recipe = try BuildRecipe(command)
    for purpose in [
      BuildRecipe.Purpose.linked(with: ["-Map=/my app/a.map", "--icf=all"]),
      .keeping(file: "/my app/app.flags"),
    ] {
      let printed = try Command.check(["sh", "-c", recipe.command(for: purpose)])
      #expect(printed.split(separator: "|").map(String.init) == recipe.flags(for: purpose))
    }
  }

  /// The same within quotes, which make hands on.
  @Test func flagsSurviveTheQuotesOfTheCommand() throws {
    for words in ["words='{flags}'", #"words="{flags}""#] {
      for path in ["/my app", "/it's", "/$HOME `id` \"\u{301}x", "/\u{600}&id"] {
        let recipe = try BuildRecipe(words + #"; eval "set -- $words"; printf '%s|' "$@""#)
        let printed = try Command.check(
          ["sh", "-c", recipe.command(for: .linked(with: ["-Map=\(path)/a.map"]))])
        #expect(
          printed.utf8.split(separator: UInt8(ascii: "|")).last.map(Array.init)
            == Array("-Wl,-Map=\(path)/a.map".utf8))
      }
    }
  }
}
