import Foundation
import Glibc
internal import URLLoadingCGlibcExtensions

/// An FTP server with one file, that says of it what it is told to: for what no good server says.
///
/// Mutable state: in two values that guard themselves.
package final class ScriptedFTPServer: Sendable {
  /// What the server does.
  package struct Script: Sendable {
    /// What every path names.
    package var file = Data()
    /// The reply to a command, or to a whole line, in place of the usual one; nil for none at all.
    package var replies: [String: String?] = [:]
    /// The reply to a command from the second time on.
    package var laterReplies: [String: String] = [:]
    /// Commands at which the server closes the connection.
    package var closing: Set<String> = []
    /// How long each command waits for its reply; "220" is the greeting.
    package var delays: [String: Duration] = [:]
    /// The line that begins a transfer.
    package var beginning = "150 here it comes"
    /// The reply after a transfer.
    package var ending = "226 done"
    /// How much of the file comes at most.
    package var limit = Int.max
    /// What the file is from its second transfer on.
    package var laterFile: Data?
    /// The listing that MLSD or LIST transfers; neither is known without one.
    package var listings: [String: String] = [:]
    /// Listings begin, and never end.
    package var holdsListings = false

    /// A server that behaves well.
    package init(file: Data) {
      self.file = file
      replies = ["SIZE": "213 \(file.count)", "MDTM": "213 20260102030405"]
    }
  }

  private let server: ScriptedServer
  private let received = Watched<[String]>([])
  private let script: Watched<Script>

  /// The port of the control connection.
  package var port: UInt16 { server.port }

  /// The commands that came, of all connections.
  package var commands: [String] { received.value }

  /// How many of them begin with a word.
  package func count(of word: String) -> Int { received.read { $0.count { $0.hasPrefix(word) } } }

  /// Waits until a command came that begins with a word.
  package func receives(_ word: String) async -> Bool {
    await received.wait(timeout: .seconds(30)) { $0.contains { $0.hasPrefix(word) } }
  }

  /// How many connections came.
  package var connectionCount: Int { server.connectionCount }

  /// Starts a server on a free port.
  package init(_ script: Script) throws {
    let script = Watched(script)
    self.script = script
    server = try ScriptedServer { [received] connection in
      var session = Session(connection: connection, received: received)
      try session.serve(script)
    }
  }

  /// Changes what the server does from the next command on.
  package func change(_ change: (inout Script) -> Void) { script.update(change) }

  /// An `ftp` URL of this server.
  package func url(_ path: String = "/x.bin") -> URL { server.url(path, scheme: "ftp") }

  /// Ends all connections.
  @discardableResult
  package func stop() async -> Bool { await server.stop() }

  /// What one control connection is at.
  private struct Session {
    let connection: Connection
    let received: Watched<[String]>
    var listener: ListeningSocket?
    var offset = 0

    mutating func serve(_ script: Watched<Script>) throws {
      defer { listener?.close() }
      try wait("220", script.value)
      try connection.send("220 hello\r\n")
      while let line = try? connection.readLine() {
        let command = String(line.prefix { $0 != " " })
        let isRepeated = received.update { received in
          defer { received.append(line) }
          return received.contains { $0.hasPrefix(command) }
        }
        var script = script.value
        if isRepeated, let reply = script.laterReplies[command] { script.replies[command] = reply }
        if isRepeated, command == "RETR", let file = script.laterFile { script.file = file }
        try wait(command, script)
        if command == "QUIT" || script.closing.contains(command) { return }
        if let reply = script.replies[line] ?? script.replies[command] {
          if let reply { try connection.send("\(reply)\r\n") }
          if command == "REST", reply?.hasPrefix("350") != true { continue }
          if command != "REST" { continue }
        }
        try answer(command, line, script)
      }
    }

    private func wait(_ command: String, _ script: Script) throws {
      guard let delay = script.delays[command] ?? script.delays["*"] else { return }
      // What the peer does meanwhile is read later; a peer that is gone need not be waited for.
      usleep(UInt32(delay.seconds * 1_000_000))
    }

    private mutating func answer(_ command: String, _ line: String, _ script: Script) throws {
      switch command {
      case "USER": try connection.send("230 in\r\n")
      case "PWD": try connection.send("257 \"/\"\r\n")
      case "CWD": try connection.send("250 there\r\n")
      case "TYPE": try connection.send("200 so be it\r\n")
      case "EPSV":
        listener?.close()
        let new = try ListeningSocket()
        listener = new
        try connection.send("229 extended passive mode (|||\(new.port)|)\r\n")
      case "REST":
        offset = Int(line.dropFirst(5)) ?? 0
        if script.replies["REST"] == nil { try connection.send("350 from there\r\n") }
      case "RETR":
        let bytes = script.file.dropFirst(offset).prefix(script.limit)
        offset = 0
        try transfer(bytes, script)
      default:
        guard let listing = script.listings[command] else { return try connection.send("500 unknown\r\n") }
        try transfer(Data(listing.utf8), script, isHeld: script.holdsListings)
      }
    }

    private mutating func transfer(_ bytes: Data, _ script: Script, isHeld: Bool = false) throws {
      guard let listener else { return try connection.send("425 no data connection\r\n") }
      let data = accept4(listener.descriptor, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
      defer { close(data) }
      try connection.send("\(script.beginning)\r\n")
      var sent = 0
      while sent < bytes.count {
        let count = bytes.withUnsafeBytes { bytes in
          send(data, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { break }
        sent += count
      }
      // Until the peer goes.
      if isHeld { return _ = try connection.readLine() }
      shutdown(data, Int32(SHUT_WR))
      try connection.send("\(script.ending)\r\n")
    }
  }
}
