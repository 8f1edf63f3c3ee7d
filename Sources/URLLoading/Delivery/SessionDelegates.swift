/// The delegates of a session or a task, by protocol: dynamic casts are slow, so they are made once.
///
/// An object, because all tasks of a session have the same.
final class SessionDelegates: Sendable {
  static let none = SessionDelegates(nil)

  let session: DelegateReceivers<any URLSessionDelegate>?
  let task: DelegateReceivers<any URLSessionTaskDelegate>?
  let data: DelegateReceivers<any URLSessionDataDelegate>?
  let download: DelegateReceivers<any URLSessionDownloadDelegate>?
  let webSocket: DelegateReceivers<any URLSessionWebSocketDelegate>?
  let stream: DelegateReceivers<any URLSessionStreamDelegate>?

  /// Those of a session.
  init(_ delegate: (any URLSessionDelegate)?) {
    let traits = delegate.map { DelegateTraits.of($0) }
    session = Self.receivers(delegate, traits)
    task = Self.receivers(delegate as? any URLSessionTaskDelegate, traits)
    data = Self.receivers(delegate as? any URLSessionDataDelegate, traits)
    download = Self.receivers(delegate as? any URLSessionDownloadDelegate, traits)
    webSocket = Self.receivers(delegate as? any URLSessionWebSocketDelegate, traits)
    stream = Self.receivers(delegate as? any URLSessionStreamDelegate, traits)
  }

  /// Those of a task: its own, where it has one, before these.
  func overridden(by own: (any URLSessionTaskDelegate)?) -> SessionDelegates {
    own.map { SessionDelegates($0, before: self) } ?? self
  }

  private init(_ own: any URLSessionTaskDelegate, before sessions: SessionDelegates) {
    let traits = DelegateTraits.of(own)
    session = sessions.session
    task = Self.receivers(own, traits, before: sessions.task)
    data = Self.receivers(own as? any URLSessionDataDelegate, traits, before: sessions.data)
    download = Self.receivers(own as? any URLSessionDownloadDelegate, traits, before: sessions.download)
    webSocket = Self.receivers(own as? any URLSessionWebSocketDelegate, traits, before: sessions.webSocket)
    stream = Self.receivers(own as? any URLSessionStreamDelegate, traits, before: sessions.stream)
  }

  /// Which delegate would be asked about a connection; nil if it is known that there is none.
  ///
  /// Until the first challenge shows which methods there are, it may be named though it has none.
  var answersAboutConnections: ConnectionAnswerer {
    if let first = session?.first, first.traits.has(.sessionChallenge) == true { return .session }
    guard let task else {
      return session.map { $0.first.traits.has(.sessionChallenge) != false } == true ? .session : .nobody
    }
    let isOwn = task.first.object != session?.first.object
    if isOwn, task.first.traits.has(.challenge) != false { return .task(task.first.delegate) }
    let mayAnswer = session.map { $0.first.traits.has(.sessionChallenge) != false } == true || !task.lacks(.challenge)
    return mayAnswer ? .session : .nobody
  }

  /// Who answers challenges about connections.
  enum ConnectionAnswerer {
    case nobody
    case session
    case task(any URLSessionTaskDelegate)
  }

  private static func receivers<Delegate: Sendable>(
    _ delegate: Delegate?, _ traits: DelegateTraits?, before next: DelegateReceivers<Delegate>? = nil
  ) -> DelegateReceivers<Delegate>? {
    guard let delegate, let traits else { return next }
    let first = DelegateReceivers<Delegate>.Receiver(
      delegate: delegate, object: ObjectIdentifier(delegate as AnyObject), traits: traits)
    return DelegateReceivers(first: first, second: next.flatMap { $0.first.object == first.object ? nil : $0.first })
  }
}
