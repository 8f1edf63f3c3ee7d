import Foundation
import Testing
import URLLoading
import URLLoadingCombine
import URLLoadingTestServers

/// What Apple's article "Processing URL session data task results with Combine" shows, step by step.
@Suite(.timeLimit(.minutes(4))) struct ArticleTests {
  private struct User: Codable, Equatable {
    let name: String
    let userID: String
  }

  private static let user = User(name: "Grace", userID: "7")

  /// Answers `/user` with a user, `/flaky` the second time alone, `/garbage` with what is none, all else with 404.
  private func server() throws -> ScriptedServer {
    let flaky = Watched(0)
    return try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        let body = try JSONEncoder().encode(Self.user)
        switch request.path {
        case "/user": try connection.send(HTTPResponse(body: body))
        case "/flaky":
          let count = flaky.update { count in
            count += 1
            return count
          }
          guard count > 1 else { return try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf") }
          try connection.send(HTTPResponse(body: body))
        case "/broken": return try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        case "/garbage": try connection.send(HTTPResponse(text: "no JSON"))
        default: try connection.send(HTTPResponse(404))
        }
      }
    }
  }

  private func publisher(_ path: String, of server: ScriptedServer) -> URLSession.DataTaskPublisher {
    URLSession(configuration: .ephemeral).dataTaskPublisher(for: server.url(path))
  }

  private func body(_ element: Loaded) throws -> Data {
    guard let response = element.response as? HTTPURLResponse, response.statusCode == 200 else {
      throw URLError(.badServerResponse)
    }
    return element.data
  }

  @Test func mapTakesTheBody() async throws {
    let server = try server()
    let log = await publisher("/user", of: server).map(\.data).recorded()
    #expect(try log.values.map { try JSONDecoder().decode(User.self, from: $0) } == [Self.user])
  }

  @Test func tryMapLooksAtTheStatusAndDecodeMakesATypeOfTheBody() async throws {
    let server = try server()
    let log = await publisher("/user", of: server).tryMap(body).decode(type: User.self, decoder: JSONDecoder())
      .recorded()
    #expect(log.values == [Self.user] && log.isFinished)
    let missing = await publisher("/missing", of: server).tryMap(body).decode(type: User.self, decoder: JSONDecoder())
      .recorded()
    #expect((missing.failure as? URLError)?.code == .badServerResponse)
    let garbage = await publisher("/garbage", of: server).tryMap(body).decode(type: User.self, decoder: JSONDecoder())
      .recorded()
    #expect(garbage.failure is DecodingError)
  }

  @Test func retryLoadsAnew() async throws {
    let server = try server()
    let log = await publisher("/flaky", of: server).retry(1).recorded()
    #expect(log.values.count == 1 && log.isFinished)
    #expect(server.requests.count == 2)
  }

  @Test func catchGoesOnWithAnotherPublisher() async throws {
    let server = try server()
    let fallback = publisher("/user", of: server)
    let log = await publisher("/broken", of: server).retry(1).catch { _ in fallback }.recorded()
    #expect(log.values.count == 1 && log.isFinished)
    #expect(server.requests.map(\.path) == ["/broken", "/broken", "/user"])
  }

  @Test func replaceErrorGoesOnWithAValue() async throws {
    let server = try server()
    let anonymous = User(name: "-", userID: "0")
    let log = await publisher("/garbage", of: server).map(\.data).decode(type: User.self, decoder: JSONDecoder())
      .replaceError(with: anonymous).recorded()
    #expect(log.values == [anonymous])
  }

  @Test func receiveOnChoosesTheQueue() async throws {
    let server = try server()
    let isMain = Watched<[Bool]>([])
    let recorder = LoadRecorder { _, _ in
      isMain.update { $0.append(MainQueue.isCurrent) }
      return .none
    }
    publisher("/user", of: server).receive(on: DispatchQueue.main).subscribe(recorder)
    #expect(await recorder.end())
    #expect(isMain.value == [true])
  }

  @Test func shareHasSeveralSubscribersUseOneTask() async throws {
    let server = try server()
    let shared = publisher("/user", of: server).share()
    let first = Recorder<String, any Error>()
    let second = Recorder<URLResponse, URLError>()
    shared.tryMap {
      guard $0.data.count > 0 else { throw URLError(.zeroByteResource) }
      return $0.data
    }.decode(type: User.self, decoder: JSONDecoder()).map(\.userID).receive(on: DispatchQueue.main).subscribe(first)
    shared.map { $0.response }.subscribe(second)
    #expect(await first.end())
    #expect(await second.end())
    #expect(first.log.value.values == ["7"])
    #expect(server.requests.count == 1)
  }

  @Test func multicastWaitsForConnect() async throws {
    let server = try server()
    let subject = PassthroughSubject<Loaded, URLError>()
    let multicast = publisher("/user", of: server).multicast(subject: subject)
    let recorders = (0..<2).map { _ in LoadRecorder() }
    for recorder in recorders { multicast.subscribe(recorder) }
    #expect(server.requests.isEmpty)
    let connection = multicast.connect()
    for recorder in recorders {
      #expect(await recorder.end())
      #expect(recorder.log.value.values.count == 1)
    }
    #expect(server.requests.count == 1)
    connection.cancel()
  }

  @Test func autoconnectBeginsWithTheFirstSubscriber() async throws {
    let server = try server()
    let automatic = publisher("/user", of: server).multicast { PassthroughSubject<Loaded, URLError>() }.autoconnect()
    let log = await automatic.recorded()
    #expect(log.values.count == 1)
    #expect(server.requests.count == 1)
  }
}
