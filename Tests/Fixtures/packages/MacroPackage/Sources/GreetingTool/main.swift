// Writes a Swift file with one constant: `GreetingTool NAME OUTPUT`.
import Foundation

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
  FileHandle.standardError.write(Data("usage: GreetingTool NAME OUTPUT\n".utf8))
  exit(64)
}
let source = "let generatedGreeting = \"hello, \(arguments[1])\"\n"
try source.write(toFile: arguments[2], atomically: true, encoding: .utf8)
