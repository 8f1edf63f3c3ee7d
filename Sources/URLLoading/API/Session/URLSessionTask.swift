// Safe to share: see below; everything else is immutable.
/// One load of one resource, made by a ``URLSession``. It begins when it is resumed.
///
/// Mutable state: `registryPlace`, guarded by the registry's lock. All else is in the task's load, which guards it.
open class URLSessionTask: NSObject, NSCopying, ProgressReporting, @unchecked Sendable {
  /// The priority of tasks that say nothing else: 0.5.
  public static let defaultPriority: Float = 0.5
  /// A priority below the default: 0.25.
  public static let lowPriority: Float = 0.25
  /// A priority above the default: 0.75.
  public static let highPriority: Float = 0.75

  /// The state of a task.
  @frozen public enum State: Int, Sendable {
    /// It loads.
    case running = 0
    /// It waits for ``URLSessionTask/resume()``.
    case suspended = 1
    /// It was cancelled, and is about to complete.
    case canceling = 2
    /// It has ended.
    case completed = 3
  }

  let load: Load

  /// A number that no other task of the session has.
  open var taskIdentifier: Int { identifier }
  private let identifier: Int

  /// Where the session's registry holds the task, while it does.
  var registryPlace: TaskRegistry.Place?

  /// Makes a task that belongs to no session and loads nothing: it stays suspended, whatever is called. There for subclasses that
  /// stand for real tasks in tests, and override what they need.
  public override init() {
    load = Load.detached()
    identifier = 0
    super.init()
  }

  init(load: Load) {
    identifier = load.taskIdentifier()
    self.load = load
    super.init()
  }

  deinit {
    // The owner of the last reference sees what others wrote to the task.
    if registryPlace != nil { load.session.taskRegistry.remove(self) }
  }

  /// The task itself: a task is one load, which has no copies.
  open override func copy() -> Any { self }

  /// The task itself.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Commands

  /// Begins, or ends a suspension. Suspensions nest: as many resumes are needed. More than that do nothing.
  open func resume() { load.resume(self) }

  /// Pauses the load and its request timeout. Only downloads can be relied on to continue afterwards: a server may close a
  /// connection that is idle for long.
  open func suspend() { load.suspend() }

  /// Ends the task with `URLError.cancelled`. Returns at once; other calls to the delegate may come before the end.
  open func cancel() { load.cancel(self) }

  // MARK: Requests and response

  /// The request that the task was made with.
  open var originalRequest: URLRequest? { load.isDetached ? nil : load.plan.request }

  /// The request that is being loaded: after redirects another than the original one; with the session's additional
  /// headers, cookies, and the body.
  open var currentRequest: URLRequest? { load.currentRequest }

  /// The response, once there is one.
  open var response: URLResponse? { load.response }

  /// Why the task failed; nil while it runs, and when it succeeded. A server's status is not an error.
  open var error: (any Error)? { load.error }

  /// The state of the task.
  open var state: State { load.state }

  // MARK: Delegate and labels

  /// A delegate of this task alone: asked first, and the session's for what it lacks. Can be set until the task is
  /// resumed; retained until it ends, and nil from then on.
  open var delegate: (any URLSessionTaskDelegate)? {
    get { load.read { $0.ownDelegate } }
    set { load.setDelegate(newValue) }
  }

  /// A label for people.
  open var taskDescription: String? {
    get { load.read { $0.description } }
    set { load.setDescription(newValue) }
  }

  /// A hint from 0 to 1 that protocols may go by; over HTTP/2 the weight of the stream (RFC 9113, section 5.3.2).
  open var priority: Float {
    get { load.read { $0.priority } }
    set { load.setPriority(newValue) }
  }

  /// Whether a delegate gets the body as it comes. With false it gets all of it in one call at the end, which costs less and holds it in
  /// memory; a load that fails gives none. Can be set until the task is resumed. True unless set, and false for downloads and tasks with
  /// a completion handler, on which it has no effect.
  open var prefersIncrementalDelivery: Bool {
    get { load.isIncremental }
    set { load.setHints { $0.prefersIncrementalDelivery = newValue } }
  }

  // MARK: For background sessions

  /// When the load may begin at the earliest; nil for at once. As on Apple's systems, only tasks of background sessions
  /// use it.
  open var earliestBeginDate: Date? {
    get { load.read { $0.hints?.earliestBeginDate } }
    set { load.setHints { $0.earliestBeginDate = newValue } }
  }

  /// The most bytes that the task is expected to send, header fields included, as a hint to the scheduler of background
  /// sessions; `NSURLSessionTransferSizeUnknown` unless set.
  open var countOfBytesClientExpectsToSend: Int64 {
    get { load.read { $0.hints?.expectedToSend } ?? NSURLSessionTransferSizeUnknown }
    set { load.setHints { $0.expectedToSend = newValue } }
  }

  /// The most bytes that the task is expected to receive, header fields included, as a hint to the scheduler of background
  /// sessions: a download does not begin before the disk has room for it; `NSURLSessionTransferSizeUnknown` unless set.
  open var countOfBytesClientExpectsToReceive: Int64 {
    get { load.read { $0.hints?.expectedToReceive } ?? NSURLSessionTransferSizeUnknown }
    set { load.setHints { $0.expectedToReceive = newValue } }
  }

  // MARK: Progress

  /// The task's progress in bytes, both directions together. Cancelling and pausing it does so to the task.
  open var progress: Progress { load.progress(of: self) }

  /// Bytes of the body that came.
  open var countOfBytesReceived: Int64 { load.read { $0.counts.received } }

  /// Bytes of the body that were sent.
  open var countOfBytesSent: Int64 { load.read { $0.counts.sent } }

  /// Bytes of the body to come; -1 when unknown, 0 before there is one.
  open var countOfBytesExpectedToReceive: Int64 { load.read { $0.counts.expectedToReceive } }

  /// Bytes of the body to send: -1 for a stream of unknown length, 0 for none.
  open var countOfBytesExpectedToSend: Int64 { load.expectedBytesToSend }
}
