import CCore
import CxxCore
import Plugboard

@main
struct CxxApp {
  static func main() {
    var board = Plugboard()
    board.connect("a", "z")
    print(board.translate("abcz"))
    print(c_core_called(20), cxx_core_called(6))
    if CommandLine.arguments.contains("--rare") {
      print(c_core_never_called(20), cxx_core_never_called(6))
    }
  }
}
