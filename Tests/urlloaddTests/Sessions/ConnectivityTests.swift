import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import urlloadd

/// Tasks that find no network wait for it in the queue.
@Suite struct ConnectivityTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory("connectivity") }

  /// The sessions of the service wait, since theirs is the judgement whether there is a network.
  @Test func theServiceHearsOfIt() {
    let configuration = URLSessionConfiguration.service(
      for: BackgroundSessionDescription(identifier: "s", program: "/bin/true"), files: folder.path)
    #expect(configuration.waitsForConnectivity)
  }

  @Test func theProgramIsToldAndThePlaceIsFree() throws {
    let (peer, program) = try Peer.connected()
    defer { close(program) }
    let service = try TransferService(in: folder)
    service.attached["s"] = peer
    var task = BackgroundTaskDescription(kind: .download, request: Data())
    task.identifier = 1
    let number = service.queue.add(session: "s", task, origin: "http://a:", resourceTimeout: nil).number
    service.queue.resume(number, now: Date())
    let started = service.queue.takeStartable(now: Date())
    #expect(started.map(\.number) == [number])

    service.waitsForConnectivity(number)
    let state = try #require(service.queue.jobs[number]).state
    #expect(state.phase == .waiting && state.nextTry != nil)
    #expect(state.lastFailure?.code == URLError.Code.notConnectedToInternet.rawValue)
    #expect(service.queue.runningCount == 0)
    peer.flush()
    var bytes = [UInt8](repeating: 0, count: 1000)
    let count = recv(program, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    try #require(count > 0)
    var frames = BackgroundFrames()
    frames.append(bytes[..<count])
    let report = try frames.next(BackgroundReport.self)
    guard case .event(task: 1, .waitsForConnectivity)? = report else {
      Issue.record("\(String(describing: report))")
      return
    }
  }
}
