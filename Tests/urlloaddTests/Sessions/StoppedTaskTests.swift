import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import urlloadd

/// Tasks that are suspended or fail while something of them is under way.
@Suite struct StoppedTaskTests {
  private let folder: TemporaryDirectory
  private let service: TransferService
  private let description = BackgroundSessionDescription(identifier: "s", program: "/bin/true")

  init() throws {
    folder = try TemporaryDirectory("stopped")
    service = try TransferService(in: folder)
    service.set(QueueStore.StoredSession(description: description), for: "s")
  }

  /// Has a program make a task, which runs then.
  private func run(for peer: Peer) throws -> Int {
    peer.hasGreeted = true
    service.take(.attach(session: description), 1, from: peer)
    let url = try #require(URL(string: "http://localhost/"))
    var task = BackgroundTaskDescription(kind: .download, request: BackgroundValues.data(of: URLRequest(url: url)))
    task.identifier = 1
    service.take(.create(task: task), 2, from: peer)
    service.take(.resume(task: 1), 3, from: peer)
    return try #require(service.queue.takeStartable(now: Date()).first?.number)
  }

  @Test func aSuspendedTaskStaysSoWhenItsProgramEndsWithAQuestion() throws {
    let (peer, program) = try Peer.connected()
    defer { close(program) }
    let number = try run(for: peer)
    service.asked(number, .delayedRequest) { _ in }
    #expect(service.questions.count == 1)
    service.take(.suspend(task: 1), 4, from: peer)
    #expect(service.questions.isEmpty)
    service.drop(peer)
    #expect(service.queue.jobs[number]?.state.phase == .idle)
  }

  /// It would be loaded again when it is resumed, and an upload be sent again.
  @Test func aTaskIsDoneWhoseBodyWasWholeBeforeItWasSuspended() throws {
    let (peer, program) = try Peer.connected()
    defer { close(program) }
    let number = try run(for: peer)
    service.take(.suspend(task: 1), 4, from: peer)
    service.finished(number, file: nil, metrics: nil)
    #expect(service.queue.jobs[number]?.state.phase == .ended)
    #expect(service.changes.blobs[number]?.outcome??.error == nil)
  }

  /// No resume data names it any more.
  @Test func thePartOfADownloadThatHasFailedIsRemoved() throws {
    let (peer, program) = try Peer.connected()
    defer { close(program) }
    let number = try run(for: peer)
    let part = folder.file("part").path
    service.becameResumable(number, Data("data".utf8), file: part)
    service.failed(number, BackgroundFailure(URLError(.badURL)), isTransient: false, resumeData: nil, metrics: nil)
    #expect(service.changes.files.contains(part))
  }
}
