import Foundation
import URLLoadingTestServers

/// A download and an upload of the same bytes, by a service that is killed in front of one of its writes, the first time that it runs.
final class InterruptedTransfers: Sendable {
  let fixture: BackgroundFixture
  /// Of the download.
  let server: ScriptedServer
  private let uploads: ScriptedServer
  /// What is uploaded.
  private let source: URL
  private let call: Int
  /// There when the service was killed.
  private let mark: URL

  /// - Parameters:
  ///   - call: the write, counted from 1.
  ///   - pause: between the pieces of the download, in microseconds.
  init(of body: Data, killedAt call: Int, pause: useconds_t) throws {
    self.call = call
    fixture = try BackgroundFixture()
    mark = fixture.directory.file("killed")
    source = try fixture.directory.write("source", body)
    server = try OutlivingTests.slowServer(body, pause: pause)
    uploads = try ScriptedServer.http { request in
      request.body == body ? HTTPResponse(text: "ok") : HTTPResponse(400, text: "not whole")
    }
  }

  /// Whether the service came to the write.
  var wasKilled: Bool { access(mark.path, F_OK) == 0 }

  /// The path of what becomes the service.
  /// - Parameters:
  ///   - variables: that it has besides.
  ///   - sign: the file before which no service begins, once one was killed; nil for none.
  func service(
    on disk: PreloadedDisk, variables: [String: String] = [:], restartsWith sign: URL? = nil
  ) throws -> String {
    let own = ["LD_PRELOAD": disk.library, "KILL_AT": String(call), "KILL_MARK": mark.path]
    let wait = sign.map { sign in
      "[ -e \(ProgramStarter.quoted(mark.path)) ] && [ ! -e \(ProgramStarter.quoted(sign.path)) ] && exit 1"
    }
    return try ProgramStarter(
      in: fixture.directory, variables: variables.merging(own) { $1 }, preparation: wait ?? ":"
    ).path
  }

  /// Starts a program that makes both tasks, the download as number 1.
  /// - Parameters:
  ///   - path: of what becomes the program.
  ///   - service: the path of what becomes the service.
  func start(by path: String = BackgroundProgram.workerPath, service: String) throws -> BackgroundProgram {
    try fixture.program(
      arguments: ["download:\(server.url("/a"))", "upload:\(source.path),\(uploads.url("/b"))"], of: [path],
      environment: ["URLLOADD": service])
  }

  /// Ends the service and removes its files. The servers are there until then.
  func stop() async { await fixture.stop() }
}
