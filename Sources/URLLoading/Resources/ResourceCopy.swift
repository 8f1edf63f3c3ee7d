internal import URLLoadingHTTPSemantics

/// A copy from one URL to another: what one loads the other stores, as it comes. Nobody holds the body.
struct ResourceCopy {
  let session: URLSession
  let source: URL
  let target: URL
  /// Whether a file at the target is replaced.
  let overwrites: Bool
  let delegate: (any URLSessionTaskDelegate)?

  /// What was copied.
  struct Copied {
    var validators: ResourceValidators
    var count: Int64
  }

  /// Loads and stores; the target is whole, or not there under its name, as far as its class stores so.
  func carryOut() async throws -> Copied {
    // A source of this machine holds nothing that others wait for.
    guard !source.isFileURL, source.scheme?.lowercased() != "data" else { return try await stream() }
    return try await session.component(CopyLimit.self).run { try await stream() }
  }

  private func stream() async throws -> Copied {
    let body = CopiedBody(session, loading, delegate)
    // The source is not loaded on for a target that has failed.
    defer { body.end() }
    let (stream, head) = try await body.open()
    do {
      let response = try await session.store(stream, storing(head), head.resourceInfo?.permissions, delegate)
      if let response = response as? HTTPURLResponse, let error = ResourceVerb.store.error(for: response) {
        throw error
      }
    } catch {
      // Why the source has ended says more than that the body did.
      throw body.failure ?? error
    }
    do {
      return Copied(validators: head.validators, count: try await body.count())
    } catch is CancellationError where !Task.isCancelled {
      throw URLError(
        .badServerResponse,
        message: "\(target.redactedDescription) says that all is stored, and has not taken all of it.", url: target)
    }
  }

  private var loading: URLRequest {
    var request = ResourceVerb.load.request(source)
    // Another coding has another length.
    request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    return request
  }

  /// The request that stores what follows a response.
  private func storing(_ head: URLResponse) -> URLRequest {
    var request = ResourceVerb.store.request(target)
    let http = head as? HTTPURLResponse
    if let length = CopiedBody.length(of: head) {
      request.setValue("\(length)", forHTTPHeaderField: "Content-Length")
    }
    let type = http?.value(forHTTPHeaderField: "Content-Type") ?? head.mimeType ?? "application/octet-stream"
    request.setValue(type, forHTTPHeaderField: "Content-Type")
    if let date = head.resourceInfo?.modificationDate {
      request.setValue(HTTPDate.string(from: date), forHTTPHeaderField: "Last-Modified")
    }
    if !overwrites { request.setValue("*", forHTTPHeaderField: "If-None-Match") }
    return request
  }
}
