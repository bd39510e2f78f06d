import Foundation

/// Writes `listening on 127.0.0.1:PORT`, at once even where standard output is a pipe or a file:
/// whoever started the service waits for this line.
func announce(port: Int) {
  FileHandle.standardOutput.write(Data("listening on 127.0.0.1:\(port)\n".utf8))
}
