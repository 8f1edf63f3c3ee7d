import URLLoading

// Sends lines to a server, and prints a line for each that comes back. The line STARTTLS begins TLS once the server has agreed.
// usage: LineClient HOST PORT LINE ...
@main struct LineClient {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 3, let port = Int(arguments[2]) else {
      print("usage: LineClient HOST PORT LINE ...")
      exit(2)
    }
    let configuration = URLSessionConfiguration.default
    if let authority = ProcessInfo.processInfo.environment["AUTHORITY"] {
      configuration.certificateAuthorityFile = URL(fileURLWithPath: authority)
    }
    let stream = URLSession(configuration: configuration).streamTask(withHostName: arguments[1], port: port)
    stream.resume()
    var reader = LineReader(stream: stream)
    for line in arguments.dropFirst(3) {
      try await stream.write(Data("\(line)\n".utf8), timeout: 10)
      guard let answer = try await reader.next() else { break }
      print(answer)
      if line == "STARTTLS" { stream.startSecureConnection() }
    }
    stream.closeWrite()
    while let rest = try await reader.next() { print(rest) }
  }
}
