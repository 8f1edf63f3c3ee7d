import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// An ephemeral session with a recorder as its delegate; it is invalidated with this object.
final class RecordedSession: Sendable {
  /// How long a load may take.
  static let limit = Duration.seconds(Sanitizing.isOn ? 60 : 20)

  let session: URLSession
  let recorder: LoadRecorder

  init(_ recorder: LoadRecorder = LoadRecorder(), configure: (URLSessionConfiguration) -> Void = { _ in }) {
    let configuration = URLSessionConfiguration.ephemeral
    // No proxy, whatever the environment of the tests says.
    configuration.connectionProxyDictionary = [:]
    configure(configuration)
    self.recorder = recorder
    session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
  }

  deinit {
    session.invalidateAndCancel()
  }

  func load(_ url: URL, as kind: LoadKind = .delegate, timeout: Duration = RecordedSession.limit) async -> LoadRecord {
    await load(URLRequest(url: url), as: kind, timeout: timeout)
  }

  /// Loads a request to its end. A load that does not end in time is an issue, and its record has no completion.
  func load(_ request: URLRequest, as kind: LoadKind = .delegate, timeout: Duration = RecordedSession.limit) async
    -> LoadRecord
  {
    switch kind {
    case .async: await loadAsync(request, timeout: timeout)
    case .delegate: await run(session.dataTask(with: request), timeout: timeout)
    case .download: await run(session.downloadTask(with: request), timeout: timeout)
    }
  }

  /// Resumes a task of this session and waits for its end.
  func run(_ task: URLSessionTask, timeout: Duration = RecordedSession.limit) async -> LoadRecord {
    let identifier = task.taskIdentifier
    task.resume()
    if await !recorder.records.wait(timeout: timeout, until: { ($0[identifier]?.completions ?? 0) > 0 }) {
      Issue.record("no completion within \(timeout) of \(task.originalRequest?.url?.absoluteString ?? "a task")")
      task.cancel()
    }
    return recorder.record(of: identifier)
  }

  private func loadAsync(_ request: URLRequest, timeout: Duration) async -> LoadRecord {
    let result = Watched<LoadRecord?>(nil)
    let session = session
    let loading = Task {
      var record = LoadRecord()
      do {
        let (body, response) = try await session.data(for: request)
        record.body = body
        record.response = response
      } catch {
        record.error = error
      }
      record.completions = 1
      let done = record
      result.update { $0 = done }
    }
    if await !result.wait(timeout: timeout, until: { $0 != nil }) {
      Issue.record("no completion within \(timeout) of \(request.url?.absoluteString ?? "a request")")
      loading.cancel()
    }
    return result.value ?? LoadRecord()
  }
}
