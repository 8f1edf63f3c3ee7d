internal import URLLoadingBase

/// What a protocol class keeps for all loads of one session, such as its pool of connections.
///
/// A class asks its session for it by type (``URLSession/resource(_:)``); the session makes one at the first request and ends
/// it with itself.
public protocol URLSessionResource: AnyObject, Sendable {
  /// Makes the resource of a session with this configuration.
  init(configuration: URLSessionConfiguration)

  /// The session is flushed: what is idle is closed, so that later loads start anew.
  func flush()

  /// The session is no more; no load will come.
  func invalidate()
}

/// The resources of a session, by type.
///
/// Mutable state: `state`, guarded by its lock.
final class SessionResources: Sendable {
  private struct State {
    /// A few at most, so that none needs a table.
    var known: [(type: ObjectIdentifier, resource: any URLSessionResource)] = []
  }

  private let state = Locked(State())
  private let configuration: URLSessionConfiguration

  init(configuration: URLSessionConfiguration) {
    self.configuration = configuration
  }

  func resource<Resource: URLSessionResource>(_ type: Resource.Type) -> Resource {
    state.withLock { state in
      for known in state.known where known.type == ObjectIdentifier(type) {
        // The key is the type, so the cast cannot fail.
        return unsafeDowncast(known.resource, to: Resource.self)
      }
      let made = Resource(configuration: configuration)
      state.known.append((ObjectIdentifier(type), made))
      return made
    }
  }

  /// The resource of a type, where somebody has asked for it before.
  func existing<Resource: URLSessionResource>(_ type: Resource.Type) -> Resource? {
    state.withLock { state in state.known.first { $0.type == ObjectIdentifier(type) }?.resource as? Resource }
  }

  func flush() {
    for known in state.withLock({ $0.known }) { known.resource.flush() }
  }

  func invalidate() {
    let ended = state.withLock { state in
      defer { state.known = [] }
      return state.known
    }
    for known in ended { known.resource.invalidate() }
  }
}

extension URLSession {
  /// What a protocol class keeps for all loads of this session: made at the first call for its type.
  public func resource<Resource: URLSessionResource>(_ type: Resource.Type) -> Resource {
    resources.resource(type)
  }
}
