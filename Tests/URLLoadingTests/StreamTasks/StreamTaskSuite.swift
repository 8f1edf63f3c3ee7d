import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// What suites about stream tasks have in common.
protocol StreamTaskSuite {}

extension StreamTaskSuite {
  func session(_ configure: (URLSessionConfiguration) -> Void = { _ in }) async throws -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.certificateAuthorityFile = try await TestCertificates.shared.authority
    configure(configuration)
    return URLSession(configuration: configuration)
  }

  func task(
    _ session: URLSession, _ port: UInt16, host: String = "127.0.0.1", delegate: StreamDelegateNotes? = nil
  ) -> URLSessionStreamTask {
    let task = session.streamTask(withHostName: host, port: Int(port))
    task.delegate = delegate
    task.resume()
    return task
  }

  /// Reads up to a line's end.
  func line(_ task: URLSessionStreamTask) async throws -> String {
    var line = Data()
    while line.last != 10 {
      let (data, atEOF) = try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 60)
      line += data ?? Data()
      if atEOF { break }
    }
    return String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  static func echo() throws -> ScriptedServer {
    try ScriptedServer { connection in
      while true {
        let bytes = try connection.readSome()
        if bytes.isEmpty { return }
        try connection.send(bytes)
      }
    }
  }
}
