import Check
import Glibc
import Left
import Right
import Shapes

switch CommandLine.arguments.dropFirst().first {
case "check":
  let all = types()
  exit(check_conformances(all.map(Optional.some), all.count) == 0 ? 0 : 1)
case "load":
  print(isNever(1))
  load_conformance(pointer(Int.self), pointer((any Never).self))
  print(isNever(1), isNever("1"))
case "threads":
  print(askInThreads())
case "warn":
  // The runtime warns of two conformances.
  print(isNamed(right()))
default:
  let values: [Any] = [left(), Circle(), Point(), Colour.red, Tree.leaf, Problem.some, Puppy()]
  print(askMuch(), values.count { $0 is any Named }, values.count { $0 is any Error })
}
