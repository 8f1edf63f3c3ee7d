/// A session's delegate, by what it conforms to: casts are slow, so they are made once.
///
/// An object, because all tasks of a session have the same.
final class SessionDelegates: Sendable {
  static let none = SessionDelegates(nil)

  let session: (any URLSessionDelegate)?
  let task: (any URLSessionTaskDelegate)?
  let data: (any URLSessionDataDelegate)?
  let download: (any URLSessionDownloadDelegate)?

  init(_ delegate: (any URLSessionDelegate)?) {
    session = delegate
    task = delegate as? any URLSessionTaskDelegate
    data = delegate as? any URLSessionDataDelegate
    download = delegate as? any URLSessionDownloadDelegate
  }

  /// The delegates of a task: its own, where it has one, else these.
  func overridden(by own: (any URLSessionTaskDelegate)?) -> SessionDelegates {
    guard let own else { return self }
    return SessionDelegates(
      session: session, task: own, data: own as? any URLSessionDataDelegate ?? data,
      download: own as? any URLSessionDownloadDelegate ?? download)
  }

  private init(
    session: (any URLSessionDelegate)?, task: (any URLSessionTaskDelegate)?, data: (any URLSessionDataDelegate)?,
    download: (any URLSessionDownloadDelegate)?
  ) {
    self.session = session
    self.task = task
    self.data = data
    self.download = download
  }
}

extension URLSession {
  /// Who is asked when a delegate lacks a method: the session's, unless that is the one that lacks it.
  func taskDelegate(behind delegate: any URLSessionTaskDelegate) -> (any URLSessionTaskDelegate)? {
    delegates.task.flatMap { $0 === delegate ? nil : $0 }
  }

  func dataDelegate(behind delegate: any URLSessionDataDelegate) -> (any URLSessionDataDelegate)? {
    delegates.data.flatMap { $0 === delegate ? nil : $0 }
  }

  func downloadDelegate(behind delegate: any URLSessionDownloadDelegate) -> (any URLSessionDownloadDelegate)? {
    delegates.download.flatMap { $0 === delegate ? nil : $0 }
  }
}
