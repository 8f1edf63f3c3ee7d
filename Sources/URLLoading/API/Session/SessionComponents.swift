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
/// Mutable state: `known`, guarded by its lock.
final class SessionComponents: Sendable {
  /// A few at most: searched without a table.
  private let known = Locked<[(type: ObjectIdentifier, component: any URLSessionComponent)]>([])
  private let configuration: URLSessionConfiguration

  init(configuration: URLSessionConfiguration) {
    self.configuration = configuration
  }

  func component<Component: URLSessionComponent>(_ type: Component.Type) -> Component {
    known.withLock { known in
      for entry in known where entry.type == ObjectIdentifier(type) {
        // The key is the type, so the cast cannot fail.
        return unsafeDowncast(entry.component, to: Component.self)
      }
      let made = Component(configuration: configuration)
      known.append((ObjectIdentifier(type), made))
      return made
    }
  }

  /// The component of a type, if it was made.
  func existing<Component: URLSessionComponent>(_ type: Component.Type) -> Component? {
    known.withLock { known in known.first { $0.type == ObjectIdentifier(type) }?.component as? Component }
  }

  func flush() {
    for entry in known.withLock({ $0 }) { entry.component.flush() }
  }

  func invalidate() {
    let ended = known.withLock { known in
      defer { known = [] }
      return known
    }
    for entry in ended { entry.component.invalidate() }
  }
}

extension URLSession {
  /// What a protocol class keeps for all loads of this session: made at the first call for its type.
  public func component<Component: URLSessionComponent>(_ type: Component.Type) -> Component {
    components.component(type)
  }
}
