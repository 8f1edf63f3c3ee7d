import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// The forms of what delegates are asked: the default of each calls the other.
@Suite(.timeLimit(.minutes(4))) struct DelegateFormsTests {
  /// Implements nothing.
  final class Empty: NSObject, URLSessionDataDelegate, Sendable {}

  private static let changed = CachedURLResponse(
    response: URLResponse(), data: Data("changed".utf8), storagePolicy: .allowedInMemoryOnly)
  private static let request = URLRequest(url: "http://changed/")

  final class Handlers: NSObject, URLSessionDataDelegate, Sendable {
    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
      completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) { completionHandler(DelegateFormsTests.changed) }
    func urlSession(
      _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
      completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) { completionHandler(.useNewRequest, DelegateFormsTests.request) }
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) { completionHandler(InputStream(data: Data("whole".utf8))) }
    func urlSession(
      _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
      completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) { completionHandler(InputStream(data: Data("from \(offset)".utf8))) }
  }

  final class Asynchronous: NSObject, URLSessionDataDelegate, Sendable {
    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse
    ) async -> CachedURLResponse? {
      await Task.yield()
      return DelegateFormsTests.changed
    }
    func urlSession(
      _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
    ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
      await Task.yield()
      return (.useNewRequest, DelegateFormsTests.request)
    }
    func urlSession(_ session: URLSession, needNewBodyStreamForTask task: URLSessionTask) async -> InputStream? {
      await Task.yield()
      return InputStream(data: Data("whole".utf8))
    }
    func urlSession(
      _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask, from offset: Int64
    ) async -> InputStream? {
      await Task.yield()
      return InputStream(data: Data("from \(offset)".utf8))
    }
  }

  private let session = URLSession(configuration: .ephemeral)
  private let proposed = CachedURLResponse(response: URLResponse(), data: Data())

  // MARK: What is asked, by either form

  private func cached(_ delegate: any URLSessionDataDelegate, byHandler: Bool) async -> CachedURLResponse? {
    let task = session.dataTask(with: URL(stringLiteral: "data:,x"))
    guard byHandler else { return await delegate.urlSession(session, dataTask: task, willCacheResponse: proposed) }
    return await withCheckedContinuation { continuation in
      delegate.urlSession(session, dataTask: task, willCacheResponse: proposed) { continuation.resume(returning: $0) }
    }
  }

  private func delayed(
    _ delegate: any URLSessionDataDelegate, byHandler: Bool
  ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
    let task = session.dataTask(with: URL(stringLiteral: "data:,x"))
    let request = URLRequest(url: "http://original/")
    guard byHandler else { return await delegate.urlSession(session, task: task, willBeginDelayedRequest: request) }
    return await withCheckedContinuation { continuation in
      delegate.urlSession(session, task: task, willBeginDelayedRequest: request) {
        continuation.resume(returning: ($0, $1))
      }
    }
  }

  private func stream(_ delegate: any URLSessionDataDelegate, from offset: Int64?, byHandler: Bool) async -> String? {
    let task = session.dataTask(with: URL(stringLiteral: "data:,x"))
    switch (byHandler, offset) {
    case (false, nil): return Self.text(await delegate.urlSession(session, needNewBodyStreamForTask: task))
    case (false, let offset?):
      return Self.text(await delegate.urlSession(session, needNewBodyStreamForTask: task, from: offset))
    case (true, nil):
      return await withCheckedContinuation { continuation in
        delegate.urlSession(session, task: task, needNewBodyStream: { continuation.resume(returning: Self.text($0)) })
      }
    case (true, let offset?):
      return await withCheckedContinuation { continuation in
        delegate.urlSession(session, task: task, needNewBodyStreamFrom: offset) {
          continuation.resume(returning: Self.text($0))
        }
      }
    }
  }

  private static func text(_ stream: InputStream?) -> String? {
    guard let stream else { return nil }
    stream.open()
    defer { stream.close() }
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = stream.read(&buffer, maxLength: buffer.count)
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }

  @Test(arguments: [true, false]) func eitherFormIsAskedByBoth(_ byHandler: Bool) async {
    for delegate in [Handlers(), Asynchronous()] as [any URLSessionDataDelegate] {
      #expect(await cached(delegate, byHandler: byHandler) === Self.changed)
      let (disposition, request) = await delayed(delegate, byHandler: byHandler)
      #expect(disposition == .useNewRequest && request == Self.request)
      #expect(await stream(delegate, from: nil, byHandler: byHandler) == "whole")
      #expect(await stream(delegate, from: 7, byHandler: byHandler) == "from 7")
    }
  }

  @Test(arguments: [true, false]) func whatIsNotImplementedChangesNothing(_ byHandler: Bool) async {
    let delegate = Empty()
    #expect(await cached(delegate, byHandler: byHandler) === proposed)
    let (disposition, request) = await delayed(delegate, byHandler: byHandler)
    #expect(disposition == .continueLoading && request == nil)
    #expect(await stream(delegate, from: nil, byHandler: byHandler) == nil)
    #expect(await stream(delegate, from: 7, byHandler: byHandler) == nil)
    delegate.urlSessionDidFinishEvents(forBackgroundURLSession: session)
  }

  @Test func dispositionsHaveApplesRawValues() {
    #expect(URLSession.DelayedRequestDisposition.continueLoading.rawValue == 0)
    #expect(URLSession.DelayedRequestDisposition.useNewRequest.rawValue == 1)
    #expect(URLSession.DelayedRequestDisposition.cancel.rawValue == 2)
  }

  /// A load asks the `async` form, of the task's delegate and of the session's.
  @Test(arguments: [true, false]) func aBodyStreamByTheAsyncFormIsSent(_ isOfTask: Bool) async throws {
    let server = try ScriptedServer.http { HTTPResponse(text: String(decoding: $0.body, as: UTF8.self)) }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    let recorder = LoadRecorder(onStream: { _ in InputStream(data: Data("sessions".utf8)) })
    let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
    var request = URLRequest(url: server.url("/"))
    request.httpMethod = "POST"
    let task = session.uploadTask(withStreamedRequest: request)
    task.delegate = isOfTask ? Asynchronous() : Empty()
    task.resume()
    #expect(await recorder.records.wait { $0[task.taskIdentifier]?.completions == 1 })
    #expect(recorder.record(of: task.taskIdentifier).text == (isOfTask ? "whole" : "sessions"))
    session.invalidateAndCancel()
  }
}
