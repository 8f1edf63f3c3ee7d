extension URLSessionConfiguration {
  /// When the loads of a session are tried again: the value of ``URLSessionConfiguration/retryPolicy``.
  ///
  /// ```swift
  /// configuration.retryPolicy = URLSessionConfiguration.RetryPolicy()
  /// ```
  ///
  /// A load is one task for its owner, however many attempts it takes: what an attempt that is not the last one answers is dropped. Each
  /// is an event (``URLSession/EventListener/task(_:willRetry:)``), and has a transaction in the metrics. ``maximumRetries``, ``budget``
  /// and the session's ``URLSessionConfiguration/timeoutIntervalForResource`` limit them together.
  ///
  /// Repeated are requests that may be: those with an idempotent method (RFC 9110, section 9.2.2), those with a field `Idempotency-Key`
  /// (draft-ietf-httpapi-idempotency-key-header), and those that ``repeatedMethods`` names. After a failure that kept the request from
  /// being sent, any may. A body that was read from a stream has to come from the delegate again.
  public struct RetryPolicy: Sendable, Hashable {
    /// What a session may spend on retries, so that they do not add to an outage: a bucket of tokens, of which each retry takes one.
    public struct Budget: Sendable, Hashable, Codable {
      /// Retries that each load adds when it begins: 0.2 unless set, which is one retry for five loads.
      public var retriesPerLoad = 0.2

      /// Retries that each second adds, so that a session with few loads has some, too; 1 unless set.
      public var retriesPerSecond = 1.0

      /// The most that is saved up, and what a session begins with; 10 unless set.
      public var savedRetries = 10.0

      /// A budget with the default values.
      public init() {}
    }

    /// The most retries of a load; 3 unless set.
    public var maximumRetries = 3

    /// The statuses of HTTP that are reason to try again; 408, 429, 502, 503 and 504 unless set. Those below 400 have no effect.
    public var statusCodes: Set<Int> = [408, 429, 502, 503, 504]

    /// The statuses by which the servers of this session say that they have not carried out a request, which may then be repeated
    /// whatever its method is; none unless set. Often 429 is one (RFC 6585, section 4), and only who knows the servers can say so.
    public var refusalStatusCodes: Set<Int> = []

    /// The failures that are reason to try again: unless set, that there is no connection, that it was lost, and that nothing came in
    /// time. What an FTP server calls temporary (RFC 959, section 4.2.1) is one, too, unless this is empty.
    public var failureCodes: Set<URLError.Code> = [
      .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet, .networkConnectionLost,
      .timedOut,
    ]

    /// Methods of requests that may be repeated though HTTP does not say so, in upper case; none unless set.
    public var repeatedMethods: Set<String> = []

    /// The longest time before the first retry, in seconds, which is doubled for each other one; 0.5 unless set.
    public var firstDelay: TimeInterval = 0.5

    /// The longest time that this grows to, in seconds; 30 unless set.
    public var maximumBackoff: TimeInterval = 30

    /// Whether the time is random, from 0 to the longest, so that those who failed together do not come back together; true unless set.
    public var isJittered = true

    /// The longest time that a server can ask for by `Retry-After` (RFC 9110, section 10.2.3), in seconds; 60 unless set. Where it asks for
    /// more, its response is the result.
    public var maximumDelay: TimeInterval = 60

    /// What the loads of a session may spend together; nil for no limit.
    public var budget: Budget? = Budget()

    /// A policy with the default values.
    public init() {}
  }
}
