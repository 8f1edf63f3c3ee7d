import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Bodies that are sent again, and those that cannot be.
@Suite(.timeLimit(.minutes(3))) struct RetriedUploadTests {
  private static let body = Data("the body".utf8)

  /// Answers with 503 first. The bodies that came are in `bodies`.
  private func server(_ bodies: Watched<[Data]>) throws -> ScriptedServer {
    try ScriptedServer.http { request in
      bodies.update { $0.append(request.body) }
      return HTTPResponse(bodies.value.count == 1 ? 503 : 200, text: "answer")
    }
  }

  private func put(_ url: URL) -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = "PUT"
    return request
  }

  @Test(arguments: ["data", "file", "form"]) func whatIsThereIsSentAgain(source: String) async throws {
    let bodies = Watched<[Data]>([])
    let server = try server(bodies)
    let session = RetriedSession.make()
    let directory = try TemporaryDirectory("retries")
    try directory.write("body", Self.body)
    let request = put(server.url())
    var form = MultipartFormData()
    form.append("the body", named: "a")
    let task =
      switch source {
      case "data": session.session.uploadTask(with: request, from: Self.body)
      case "file": session.session.uploadTask(with: request, fromFile: directory.file("body"))
      default: session.session.uploadTask(with: request, from: form)
      }
    let record = await session.run(task)
    #expect(record.status == 200 && bodies.value.count == 2 && bodies.value[0] == bodies.value[1])
    #expect(bodies.value[0].range(of: Self.body) != nil)
    #expect(task.countOfBytesSent == Int64(bodies.value[0].count))
  }

  @Test func aStreamThatWasReadIsNotSentAgain() async throws {
    let bodies = Watched<[Data]>([])
    let server = try server(bodies)
    var request = put(server.url())
    request.httpBodyStream = InputStream(data: Self.body)
    let record = await RetriedSession.make().load(request)
    #expect(record.status == 503 && record.text == "answer" && bodies.value == [Self.body])
    #expect(record.streams == 0)
  }

  @Test func theDelegateGivesItsStreamAgain() async throws {
    let bodies = Watched<[Data]>([])
    let server = try server(bodies)
    let session = RetriedSession.make(LoadRecorder(onStream: { _ in InputStream(data: Self.body) }))
    let record = await session.run(session.session.uploadTask(withStreamedRequest: put(server.url())))
    #expect(record.status == 200 && bodies.value == [Self.body, Self.body] && record.streams == 2)
  }

  /// Nothing of a stream is read before there is a connection.
  @Test func aStreamThatWasNotReadIsSent() async throws {
    let port = try FreePort.pick(1)[0]
    let session = RetriedSession.make(LoadRecorder(), RetriedSession.policy(firstDelay: 0.5))
    var request = put(try #require(URL(string: "http://127.0.0.1:\(port)/")))
    request.httpBodyStream = InputStream(data: Self.body)
    let task = session.session.dataTask(with: request)
    task.resume()
    #expect(try await task.waitForRetry())
    let bodies = Watched<[Data]>([])
    let server = try ScriptedServer.http(port: port) { request in
      bodies.update { $0.append(request.body) }
      return HTTPResponse(text: "answer")
    }
    let record = await session.run(task)
    #expect(record.status == 200 && bodies.value == [Self.body], "\(String(describing: record.error))")
    await server.stop()
  }
}
