import Glibc

/// A connection to Lambda's runtime interface. For a real function, use swift-aws-lambda-runtime.
struct Interface {
  struct Answer {
    var head: String
    var body: String

    func header(_ name: String) -> String? {
      head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
        .map { String($0.dropFirst(name.count + 2)) }
    }
  }

  private let connection: Int32
  private let host: String

  init(_ host: String) {
    self.host = host
    let parts = host.split(separator: ":").map(String.init)
    guard parts.count == 2, let port = UInt16(parts[1]) else {
      print("AWS_LAMBDA_RUNTIME_API is missing: this program runs in Lambda")
      exit(1)
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, parts[0], &address.sin_addr)
    connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { exit(1) }
  }

  /// Sends a request and waits for its answer.
  func ask(_ line: String, body: String = "") -> Answer {
    let request =
      "\(line) HTTP/1.1\r\nHost: \(host)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    guard write(connection, request, request.utf8.count) == request.utf8.count else { exit(1) }
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(connection, &room, room.count)
      guard count > 0 else { exit(1) }
      bytes += room[..<count]
      let text = String(decoding: bytes, as: UTF8.self)
      guard let end = text.range(of: "\r\n\r\n") else { continue }
      let answer = Answer(
        head: String(text[..<end.lowerBound]), body: String(text[end.upperBound...]))
      if answer.body.utf8.count >= Int(answer.header("Content-Length") ?? "0") ?? 0 {
        return answer
      }
    }
  }
}

extension String {
  /// Foundation's search, which a small program can do without.
  fileprivate func range(of part: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(part) { return start..<index(start, offsetBy: part.count) }
      start = index(after: start)
    }
    return nil
  }
}
