import Foundation
import URLLoading
import URLLoadingTestServers

extension URLSession {
  /// A session without a delegate that uses no proxy, whatever the environment of the tests says.
  static func direct(_ configure: (URLSessionConfiguration) -> Void = { _ in }) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configure(configuration)
    return URLSession(configuration: configuration)
  }

  /// All entries of a directory.
  func allEntries(at url: URL) async throws -> [URLDirectoryEntry] {
    var all: [URLDirectoryEntry] = []
    for try await entry in entries(at: url) { all.append(entry) }
    return all
  }

  /// What a listing gives before it fails, and what it fails with.
  func brokenEntries(at url: URL) async -> (entries: [URLDirectoryEntry], error: (any Error)?) {
    var all: [URLDirectoryEntry] = []
    do {
      for try await entry in entries(at: url) { all.append(entry) }
      return (all, nil)
    } catch {
      return (all, error)
    }
  }
}

/// An FTP server that says what a well-behaved one never does.
///
/// Mutable state: the commands that came, guarded by `commands`.
final class ScriptedFTP: Sendable {
  /// What all connections were told, in order.
  let commands: Watched<[String]>
  private let server: ScriptedServer

  /// - Parameters:
  ///   - replies: to commands, by their first word, in the place of the usual ones.
  ///   - data: writes the listing, and gives the reply that follows it.
  init(
    replies: [String: String] = [:], data: @escaping @Sendable (Connection) throws -> String = { _ in "226 Done" }
  ) throws {
    let commands = Watched<[String]>([])
    self.commands = commands
    server = try ScriptedServer { connection in
      var channel: ScriptedServer?
      let ended = Watched<String?>(nil)
      try connection.send("220 Scripted\r\n")
      while true {
        let line = try connection.readLine()
        commands.update { $0.append(line) }
        let word = String(line.prefix { $0 != " " })
        if let reply = replies[word] {
          try connection.send(reply + "\r\n")
          continue
        }
        switch word {
        case "USER": try connection.send("331 Password\r\n")
        case "PASS": try connection.send("230 In\r\n")
        case "PWD": try connection.send("257 \"/\"\r\n")
        case "CWD": try connection.send("250 There\r\n")
        case "TYPE": try connection.send("200 Yes\r\n")
        case "EPSV":
          let opened = try ScriptedServer { link in
            let reply = try? data(link)
            link.close()
            ended.update { $0 = reply ?? "426 Broken" }
          }
          channel = opened
          try connection.send("229 Extended (|||\(opened.port)|)\r\n")
        case "MLSD", "LIST":
          try connection.send("150 Here\r\n")
          _ = ended.waitBlocking { $0 != nil }
          try connection.send((ended.value ?? "426 Nothing") + "\r\n")
        case "QUIT": return
        default: try connection.send("500 What?\r\n")
        }
      }
      withExtendedLifetime(channel) {}
    }
  }

  /// A server that lists these bytes.
  convenience init(listing: String, replies: [String: String] = [:], end: String = "226 Done") throws {
    try self.init(replies: replies) { connection in
      try connection.send(listing)
      return end
    }
  }

  func url(_ path: String = "/") -> URL { server.url(path, scheme: "ftp") }
}
