/// Starts a server at the first request for it and gives the same one to everybody after that.
///
/// A server that failed to start is tried again at the next request.
package actor LazyServer<Server: Sendable> {
  private let start: @Sendable () async throws -> Server
  private var starting: Task<Server, any Error>?

  /// A server that `start` starts.
  package init(_ start: @escaping @Sendable () async throws -> Server) {
    self.start = start
  }

  /// The server, started if it is not running yet.
  package var server: Server {
    get async throws {
      let task = starting ?? Task { [start] in try await start() }
      starting = task
      do {
        return try await task.value
      } catch {
        if starting == task { starting = nil }
        throw error
      }
    }
  }
}
