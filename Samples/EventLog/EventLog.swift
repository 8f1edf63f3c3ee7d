import URLLoading

// Loads a URL twice, and says where the responses come from.
// usage: EventLog URL ARCHIVE
@main struct EventLog {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let url = URL(string: arguments[1]) else {
      print("usage: EventLog URL ARCHIVE")
      exit(2)
    }
    let archive = try HTTPArchiveWriter(file: URL(fileURLWithPath: arguments[2]))
    let configuration = URLSessionConfiguration.ephemeral
    configuration.sessionEventListener = URLSession.EventForwarder([archive, SourceLog()])
    let session = URLSession(configuration: configuration)
    for _ in 1...2 { _ = try? await session.data(from: url) }
    archive.close()
  }
}
