import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// What crashed FoundationNetworking.
@Suite(.timeLimit(.minutes(4))) struct TaskMisuseTests {
  @Test(arguments: TaskKind.allCases) func aTaskMadeAfterInvalidationFailsWithAClearError(_ kind: TaskKind) async throws
  {
    let session = RecordedSession()
    session.session.invalidateAndCancel()
    let throwing: [TaskKind] = [.dataAsync, .downloadAsync, .bytes, .dataHandler, .downloadHandler]
    // The delegate of an invalid session is gone, so that only these can be told.
    guard throwing.contains(kind) else { return }
    let record = await session.load(try await NginxServer.shared.url(), by: kind)
    #expect(record.code == .cancelled)
    #expect(record.error?.localizedDescription.contains("invalidated") == true)
  }

  @Test func aDelegateTaskMadeAfterInvalidationCompletes() async throws {
    let session = RecordedSession()
    session.session.invalidateAndCancel()
    let task = session.session.dataTask(with: try await NginxServer.shared.url())
    task.resume()
    #expect(try await eventually { task.state == .completed })
    #expect((task.error as? URLError)?.code == .cancelled)
  }

  @Test func aTaskMadeBeforeAndResumedAfterInvalidationFails() async throws {
    let session = RecordedSession()
    let url = try await NginxServer.shared.url()
    let done = Watched<(any Error)??>(nil)
    let task = session.session.dataTask(with: url) { _, _, error in done.update { $0 = .some(error) } }
    session.session.finishTasksAndInvalidate()
    #expect(try await eventually { session.session.delegate == nil })
    task.resume()
    #expect(await done.wait { $0 != nil })
    #expect((done.value.flatMap { $0 } as? URLError)?.code == .cancelled)
  }

  @Test func invalidatingTheSharedSessionHasNoEffect() async throws {
    URLSession.shared.finishTasksAndInvalidate()
    URLSession.shared.invalidateAndCancel()
    let (data, _) = try await URLSession.shared.data(from: "data:,alive")
    #expect(data == Data("alive".utf8))
  }

  @Test func aDelegateSetAfterResumeIsIgnored() async throws {
    let session = RecordedSession()
    let late = LoadRecorder()
    let task = session.session.dataTask(with: try await NginxServer.shared.url("/slow/small.txt"))
    task.resume()
    task.delegate = late
    #expect(task.delegate == nil)
    #expect(await session.run(task).body == DocumentRoot.small)
    #expect(late.records.value.isEmpty)
  }

  @Test func theDelegateOfATaskIsGoneAfterItsEnd() async throws {
    let session = RecordedSession()
    weak var weakDelegate: LoadRecorder?
    let task = session.session.dataTask(with: "data:,x")
    do {
      let own = LoadRecorder()
      weakDelegate = own
      task.delegate = own
    }
    #expect(weakDelegate != nil)
    task.resume()
    #expect(try await eventually { task.state == .completed && task.delegate == nil && weakDelegate == nil })
  }

  @Test func anUploadFromNilSendsNothing() async throws {
    let server = try ScriptedServer.http { HTTPResponse(text: "\($0.method) \($0.body.count)") }
    let session = RecordedSession()
    let result = Watched<String?>(nil)
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    session.session.uploadTask(with: request, from: nil) { data, _, error in
      result.update { $0 = error.map { "\($0)" } ?? String(decoding: data ?? Data(), as: UTF8.self) }
    }.resume()
    #expect(await result.wait { $0 != nil })
    #expect(result.value == "POST 0")
  }

  @Test func additionalHeadersThatAreNoStringsAreDescribed() async throws {
    let server = try ScriptedServer.http {
      HTTPResponse(text: "\($0.fields["X-Int"] ?? "-") \($0.fields["7"] ?? "-") \($0.fields["X-Bool"] ?? "-")")
    }
    let session = RecordedSession {
      $0.httpAdditionalHeaders = ["X-Int": 1, 7: "seven", "X-Bool": true]
    }
    #expect(await session.load(server.url()).text == "1 seven true")
  }

  @Test func handlersCalledTwiceCountOnce() async throws {
    final class Twice: NSObject, URLSessionDataDelegate, Sendable {
      func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
      ) {
        completionHandler(request)
        completionHandler(nil)
        completionHandler(request)
      }
      func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
      ) {
        completionHandler(.allow)
        completionHandler(.cancel)
      }
    }
    let session = RecordedSession()
    let task = session.session.dataTask(with: try await NginxServer.shared.url("/redirect/302"))
    task.delegate = Twice()
    let record = await session.run(task)
    #expect(record.error == nil && record.body == DocumentRoot.small)
  }

  @Test func aRequestWithoutUsableURLFails() async throws {
    let session = RecordedSession()
    #expect(await session.load("http:///path" as URL).error is URLError)
    #expect(await session.load("relative/path" as URL).error is URLError)
    #expect(await session.load("http://" as URL).error is URLError)
  }

  @Test func aMissingUploadFileFails() async throws {
    let session = RecordedSession()
    let task = session.session.uploadTask(
      with: URLRequest(url: try await NginxServer.shared.url()), fromFile: URL(fileURLWithPath: "/no/such/file"))
    #expect(await session.run(task).code == .fileDoesNotExist)
  }
}
