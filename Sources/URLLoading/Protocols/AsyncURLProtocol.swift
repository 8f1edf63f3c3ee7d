internal import URLLoadingBase

// Safe to share: the mutable state is guarded as said below; subclasses answer for theirs.
/// A protocol class whose loading is one `async` function.
///
/// A subclass overrides ``URLProtocol/canInit(with:)-(URLRequest)`` and ``load(_:to:)``. The load's end cancels the task that runs the
/// function; its writes are suspended while the consumer is slow. A whole class:
///
/// ```swift
/// final class GreetingProtocol: AsyncURLProtocol, @unchecked Sendable {
///   override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "greeting" }
///
///   override func load(_ request: URLRequest, to writer: Writer) async throws {
///     try await writer.respond(mimeType: "text/plain")
///     try await writer.write(Data("Hello, \(request.url?.host() ?? "world")!".utf8))
///   }
/// }
/// ```
///
/// Mutable state: `loading`, guarded by its lock.
open class AsyncURLProtocol: URLProtocol, @unchecked Sendable {
  private let loading = Locked<Task<Void, Never>?>(nil)

  /// `nonblocking`, since the function runs in a task of its own. A subclass adds its own capabilities.
  open override class var capabilities: Capabilities { .nonblocking }

  /// Loads the request: responds, writes the body, and returns when that is whole.
  /// - Throws: what the load fails with.
  open func load(_ request: URLRequest, to writer: Writer) async throws {
    throw URLError(
      .unsupportedURL, message: "\(type(of: self)) does not implement load(_:to:).", url: request.url)
  }

  /// Lists the directory that the URL names, for a class that declares ``URLProtocol/Capabilities/listing``: called in place of
  /// ``load(_:to:)`` for a listing.
  /// - Throws: what the load fails with.
  open func list(_ request: URLRequest, to writer: Writer) async throws {
    throw URLError(
      .unsupportedURL, message: "\(type(of: self)) does not implement list(_:to:).", url: request.url)
  }

  /// Responds with what the URL names (``URLResponse/init(_:)-(URLResourceInfo)``), for a class that declares
  /// ``URLProtocol/Capabilities/resourceInfo``: called in place of ``load(_:to:)`` for ``URLSession/resourceInfo(at:delegate:)``. Others are
  /// asked by a `HEAD` like any other.
  /// - Throws: what the load fails with.
  open func describe(_ request: URLRequest, to writer: Writer) async throws {
    try await load(request, to: writer)
  }

  /// Starts the function.
  public final override func startLoading() {
    let client = sessionClient
    let writer = Writer(self, gate: client?.gate ?? URLProtocolGate())
    let demand = client?.urlProtocolDemand(self) ?? URLProtocolDemand()
    let (wantsEntries, wantsInfo) = (demand.wantsEntries, demand.wantsInfo)
    let task = Task {
      do {
        if wantsEntries {
          try await self.list(self.request, to: writer)
        } else if wantsInfo {
          try await self.describe(self.request, to: writer)
        } else {
          try await self.load(self.request, to: writer)
        }
        try await writer.waitForEnd()
        guard !writer.lacksResponse else {
          throw URLError(
            .badServerResponse, message: "\(type(of: self)) returned without a response.", url: self.request.url)
        }
        self.client?.urlProtocolDidFinishLoading(self)
      } catch {
        self.client?.urlProtocol(self, didFailWithError: error)
      }
    }
    loading.withLock { $0 = task }
  }

  /// Cancels the function.
  public final override func stopLoading() {
    loading.withLock { $0 }?.cancel()
  }
}
