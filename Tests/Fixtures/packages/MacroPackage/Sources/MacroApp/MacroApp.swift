import Stamp

@main
struct MacroApp {
  static func main() {
    print(generatedGreeting)
    print(describe(#stringify(2 + 3)))
    if CommandLine.arguments.contains("--rare") {
      rarelyCalled()
    }
  }

  static func rarelyCalled() {
    print("rare")
  }
}
