import Glibc

let root = "/2018-06-01/runtime/invocation/"
let interface = Interface(getenv("AWS_LAMBDA_RUNTIME_API").map { String(cString: $0) } ?? "")

while true {
  let event = interface.ask("GET \(root)next")
  guard let request = event.header("Lambda-Runtime-Aws-Request-Id") else {
    _ = interface.ask("POST /2018-06-01/runtime/init/error", body: #"{"errorType": "NoEvent"}"#)
    exit(1)
  }
  let greeting = #"{"greeting": "hello", "event": \#(event.body.isEmpty ? "null" : event.body)}"#
  _ = interface.ask("POST \(root)\(request)/response", body: greeting)
  print("answered")
}
