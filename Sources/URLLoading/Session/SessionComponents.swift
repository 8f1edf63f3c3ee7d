internal import URLLoadingBase

/// What a protocol class keeps for all loads of one session, such as its pool of connections.
///
/// A class gets it from its session by type (``URLSession/component(_:)``); the session makes it at the first call and invalidates it
/// at its own end.
public protocol URLSessionComponent: AnyObject, Sendable {
  /// Makes the component of a session with this configuration.
  init(configuration: URLSessionConfiguration)

  /// The session is flushed: closes idle connections, so that later loads use new ones.
  func flush()

  /// The session has ended; no load follows.
  func invalidate()
}

/// The components of a session, by type.
///
/// Mutable state: `state`, guarded by its lock.
final class SessionComponents: Sendable {
  private struct State {
    /// A few at most: searched without a table.
    var known: [(type: ObjectIdentifier, component: any URLSessionComponent)] = []
  }

  private let state = Locked(State())
  private let configuration: URLSessionConfiguration

  init(configuration: URLSessionConfiguration) {
    self.configuration = configuration
  }

  func component<Component: URLSessionComponent>(_ type: Component.Type) -> Component {
    state.withLock { state in
      for known in state.known where known.type == ObjectIdentifier(type) {
        // The key is the type, so the cast cannot fail.
        return unsafeDowncast(known.component, to: Component.self)
      }
      let made = Component(configuration: configuration)
      state.known.append((ObjectIdentifier(type), made))
      return made
    }
  }

  /// The component of a type, if it was made.
  func existing<Component: URLSessionComponent>(_ type: Component.Type) -> Component? {
    state.withLock { state in state.known.first { $0.type == ObjectIdentifier(type) }?.component as? Component }
  }

  func flush() {
    for known in state.withLock({ $0.known }) { known.component.flush() }
  }

  func invalidate() {
    let ended = state.withLock { state in
      defer { state.known = [] }
      return state.known
    }
    for known in ended { known.component.invalidate() }
  }
}

extension URLSession {
  /// What a protocol class keeps for all loads of this session: made at the first call for its type.
  public func component<Component: URLSessionComponent>(_ type: Component.Type) -> Component {
    components.component(type)
  }
}
