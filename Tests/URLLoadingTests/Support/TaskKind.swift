import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Every way to load a URL.
enum TaskKind: String, CaseIterable, Sendable {
  case dataDelegate, dataHandler, dataAsync
  case downloadDelegate, downloadHandler, downloadAsync
  case bytes

  static let uploads: [UploadKind] = UploadKind.allCases
}

/// Every way to upload.
enum UploadKind: String, CaseIterable, Sendable {
  case dataDelegate, dataHandler, dataAsync
  case fileDelegate, fileHandler, fileAsync
  case stream
}

extension RecordedSession {
  func load(_ url: URL, by kind: TaskKind) async -> LoadRecord { await load(URLRequest(url: url), by: kind) }

  /// Loads a request to its end, which must come within a time.
  func load(_ request: URLRequest, by kind: TaskKind) async -> LoadRecord {
    let session = session
    switch kind {
    case .dataDelegate: return await run(session.dataTask(with: request))
    case .downloadDelegate: return await run(session.downloadTask(with: request))
    case .dataHandler:
      return await handled { done in session.dataTask(with: request) { done($0, $1, $2) } }
    case .downloadHandler:
      return await handled { done in
        session.downloadTask(with: request) { done($0.flatMap { try? Data(contentsOf: $0) }, $1, $2) }
      }
    case .dataAsync: return await waited { try await session.data(for: request) }
    case .downloadAsync:
      return await waited {
        let (file, response) = try await session.download(for: request)
        defer { try? FileManager.default.removeItem(at: file) }
        return (try Data(contentsOf: file), response)
      }
    case .bytes:
      return await waited {
        let (bytes, response) = try await session.bytes(for: request)
        var body = Data()
        for try await byte in bytes { body.append(byte) }
        return (body, response)
      }
    }
  }

  /// Uploads to the end, which must come within a time.
  func upload(_ body: Data, to request: URLRequest, by kind: UploadKind) async throws -> LoadRecord {
    let session = session
    let folder = try TemporaryDirectory()
    let file = try folder.write("body", body)
    switch kind {
    case .dataDelegate: return await run(session.uploadTask(with: request, from: body))
    case .fileDelegate: return await run(session.uploadTask(with: request, fromFile: file))
    case .stream:
      var streamed = request
      streamed.httpBodyStream = InputStream(data: body)
      return await run(session.uploadTask(withStreamedRequest: streamed))
    case .dataHandler:
      return await handled { done in session.uploadTask(with: request, from: body) { done($0, $1, $2) } }
    case .fileHandler:
      return await handled { done in session.uploadTask(with: request, fromFile: file) { done($0, $1, $2) } }
    case .dataAsync: return await waited { try await session.upload(for: request, from: body) }
    case .fileAsync: return await waited { try await session.upload(for: request, fromFile: file) }
    }
  }

  private func handled(
    _ make: (@escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) -> URLSessionTask
  ) async -> LoadRecord {
    let record = Watched(LoadRecord())
    let task = make { body, response, error in
      record.update {
        $0.completions += 1
        $0.body = body ?? Data()
        $0.response = response
        $0.error = error
      }
    }
    task.resume()
    #expect(await record.wait(timeout: .seconds(20)) { $0.completions > 0 }, "no completion")
    return record.value
  }

  private func waited(_ load: @escaping @Sendable () async throws -> (Data, URLResponse)) async -> LoadRecord {
    let record = Watched(LoadRecord())
    let loading = Task {
      do {
        let (body, response) = try await load()
        record.update {
          $0.body = body
          $0.response = response
          $0.completions = 1
        }
      } catch {
        record.update {
          $0.error = error
          $0.completions = 1
        }
      }
    }
    if await !record.wait(timeout: .seconds(20), until: { $0.completions > 0 }) {
      Issue.record("no completion")
      loading.cancel()
    }
    return record.value
  }
}

extension RecordedSession {
  /// A session that knows `fake:` URLs.
  static func fake(
    _ recorder: LoadRecorder = LoadRecorder(), configure: (URLSessionConfiguration) -> Void = { _ in }
  ) -> RecordedSession {
    RecordedSession(recorder) { configuration in
      configuration.protocolClasses = [FakeProtocol.self]
      configure(configuration)
    }
  }
}
