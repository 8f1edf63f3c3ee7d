import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Everything that servers do wrong, at the same time, in one session.
@Suite(.timeLimit(.minutes(4))) struct HostileCrowdTests {
  private static let all =
    HostileFramingTests.closes + HostileFramingTests.lengths + HostileFramingTests.chunks + HostileHeadTests.malformed
    + HostileCodingTests.codings

  /// A server that does the hostility whose number is the path.
  private static func server() throws -> ScriptedServer {
    try ScriptedServer { connection in
      while let request = try connection.readRequestHead() {
        guard let number = Int(request.path.dropFirst()), all.indices.contains(number) else {
          try connection.send(HTTPResponse(text: "good"))
          continue
        }
        return try all[number].script(connection)
      }
    }
  }

  private static func request(_ number: Int, _ server: ScriptedServer) -> URLRequest {
    var request = URLRequest(url: server.url("/\(number)"))
    request.httpMethod = all[number].method
    return request
  }

  @Test func eachOfManyAtOnceGetsItsOwnEnd() async throws {
    let server = try Self.server()
    let client = RecordedSession { $0.httpMaximumConnectionsPerHost = 32 }
    await withTaskGroup(of: Void.self) { group in
      for kind in LoadKind.allCases {
        for number in Self.all.indices {
          let request = Self.request(number, server)
          group.addTask {
            let record = await client.load(request, as: kind)
            #expect(record.completions == 1)
            switch Self.all[number].outcome {
            case .failure(let code): #expect(record.code == code, "\(Self.all[number].name)")
            case .success(let status, let text):
              #expect(record.status == status && record.text == text, "\(Self.all[number].name)")
            }
          }
          group.addTask { #expect(await client.load(server.url("/good"), as: kind).text == "good") }
        }
      }
    }
    #expect(client.recorder.records.value.values.allSatisfy { $0.completions <= 1 })
  }

  @Test func cancellingAtAnyMomentGivesOneEnd() async throws {
    let server = try Self.server()
    let client = RecordedSession { $0.httpMaximumConnectionsPerHost = 32 }
    var random = SeededGenerator(seed: 7)
    var tasks: [URLSessionTask] = []
    for round in 0..<3 {
      for number in Self.all.indices {
        let request = Self.request(number, server)
        let task: URLSessionTask =
          round == 1 ? client.session.downloadTask(with: request) : client.session.dataTask(with: request)
        tasks.append(task)
        task.resume()
        // A busy wait of 0 to 2 ms: the moment of the cancel, not a wait for something.
        let moment = ContinuousClock.now + .microseconds(Int.random(in: 0...2000, using: &random))
        while ContinuousClock.now < moment {}
        if Bool.random(using: &random) { task.cancel() }
      }
    }
    let count = tasks.count
    let ended = await client.recorder.records.wait { records in
      records.values.count { $0.completions == 1 } == count
    }
    #expect(ended, "\(client.recorder.records.value.values.count { $0.completions == 1 }) of \(count) ended")
    #expect(tasks.allSatisfy { $0.state == .completed })
    #expect(await client.load(server.url("/good")).text == "good")
    #expect(client.recorder.records.value.values.allSatisfy { $0.completions == 1 && $0.events.last == "completion" })
  }
}
