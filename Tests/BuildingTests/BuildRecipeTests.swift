import Building
import FirstlightModel
import Foundation
import TestSupport
import Testing

@Suite struct BuildRecipeTests {
  @Test func flagsGoBehindSwiftBuild() throws {
    let recipe = try BuildRecipe("swift build -c release")
    let command = recipe.command(for: .linked(with: ["-z,pack-relative-relocs"]), scratch: "/s")
    #expect(command.hasPrefix("swift build -c release "))
    #expect(command.contains("-Xlinker -z -Xlinker pack-relative-relocs"))
    #expect(command.hasSuffix("--scratch-path /s"))
    #expect(recipe.command(for: .plain) == "swift build -c release")
  }

  @Test func flagsGoWhereTheyAreAskedFor() throws {
    let recipe = try BuildRecipe("make CFLAGS='-O2 {cflags}' LDFLAGS='{flags}'")
    #expect(recipe.command(for: .plain) == "make CFLAGS='-O2 ' LDFLAGS=''")
    let command = recipe.command(for: .linked(with: ["--icf=all"]))
    #expect(command.contains("-Wl,--icf=all'"))
    #expect(command.contains("CFLAGS='-O2 -ffunction-sections"))
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
    let words = try BuildRecipe("printf {flags}").linkingFlags(["-Map=/my app/a.map", "--icf=all"])
    let printed = try Command.check(
      ["sh", "-c", recipe.command(for: .linked(with: ["-Map=/my app/a.map", "--icf=all"]))])
    #expect(printed.split(separator: "|").map(String.init) == words)
  }

  /// The same within single quotes, which make hands on.
  @Test func flagsWithBlanksSurviveSingleQuotes() throws {
    let recipe = try BuildRecipe("words='{flags}'; eval \"set -- $words\"; printf '%s|' \"$@\"")
    let printed = try Command.check(
      ["sh", "-c", recipe.command(for: .linked(with: ["-Map=/my app/a.map"]))])
    #expect(printed.split(separator: "|").last == "-Wl,-Map=/my app/a.map")
  }
}
