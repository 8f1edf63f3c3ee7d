/// How a session reaches servers, beyond Apple's properties: `configuration.network.addressFamily = .ipv4`.
///
/// Applies to `http`, `https`, `ftp` and `ftps` loads, WebSocket and stream tasks, and to other schemes whose class
/// supports it. SFTP uses ``addressFamily``, ``hostAddresses`` and ``connectionTimeout``. Times of connections are kept to the second.
public struct NetworkSettings: URLProtocolSettings, Hashable, Codable {
  /// The addresses of hosts that connections are made to.
  @frozen public enum AddressFamily: String, Sendable, Codable {
    /// Whichever connects first.
    case any
    /// IPv4 alone.
    case ipv4
    /// IPv6 alone.
    case ipv6
  }

  /// A version of HTTP.
  @frozen public enum HTTPVersion: Int, Sendable, Comparable, Codable {
    /// HTTP/1.1 (RFC 9112).
    case http1 = 1
    /// HTTP/2 (RFC 9113), over TLS.
    case http2 = 2
    /// HTTP/3 (RFC 9114), to origins that announce it (`Alt-Svc`, RFC 7838), where the installed libcurl has it.
    case http3 = 3

    /// Whether the first is older.
    public static func < (first: HTTPVersion, second: HTTPVersion) -> Bool { first.rawValue < second.rawValue }
  }

  /// Which addresses of a host connections are made to; any unless set.
  public var addressFamily = AddressFamily.any

  /// The addresses of hosts that are not looked up: `["example.org:443": ["127.0.0.1", "::1"]]`. The name `*` matches
  /// all hosts that are not listed. Requests and the verification of certificates still use the host's name.
  public var hostAddresses: [String: [String]] = [:]

  /// The path of a Unix socket that requests of `http` and `https` URLs, and WebSocket tasks, are sent to, whatever their host; nil,
  /// the default, for hosts. The path begins with a slash.
  ///
  /// `Host`, cookies, certificates and App Transport Security are still those of the URL's host, and redirects lead to the same
  /// socket, whatever host they name. The session uses no cache, no proxies and no HTTP/3. Background sessions refuse their tasks with it. A
  /// single URL names a socket of its own: `http+unix://%2Frun%2Fdocker.sock/info` (<doc:Architecture#Unix-sockets>).
  public var unixSocketPath: String?

  /// Where connections begin: an address of this machine in digits, or the name of an interface, such as `eth0`; nil, the default, for what
  /// the kernel chooses.
  public var localInterface: String?

  /// The local ports that connections may have; nil, the default, for what the kernel chooses. Each is taken by one connection at a time,
  /// whatever its host, and for a minute after that is closed; FTP needs two. With ``localInterface`` that has to be an address.
  public var localPorts: ClosedRange<UInt16>?

  /// How long a connection may be idle, in seconds, and be used again; nil, the default, for 118. One that was idle for longer is closed when
  /// the session next chooses a connection.
  public var maximumIdleTime: TimeInterval?

  /// How long after it was made a connection may get another request, in seconds; nil, the default, for any time. It is looked at when it
  /// is idle, so one of HTTP/2 stays for as long as its requests overlap.
  public var maximumConnectionAge: TimeInterval?

  /// How many requests a connection gets; nil, the default, for any number. It is closed after the last one; one of HTTP/2 when
  /// no other is under way on it, by when any number more may have been. Connections to a Unix socket are not counted.
  public var maximumRequestsPerConnection: Int?

  /// The time between probes of TCP (`SO_KEEPALIVE`) on a connection on which nothing happens, in seconds; nil, the default, for no probes, but
  /// for WebSocket and stream tasks, which have one a minute. A peer that answers none loses its connection.
  public var keepAliveInterval: TimeInterval?

  /// The timeout of connecting in seconds, with name lookup and handshakes; nil, the default, for that of the protocol class. Loads fail
  /// with `URLError.timedOut` then.
  public var connectionTimeout: TimeInterval?

  /// The newest version of HTTP to speak; HTTP/2 unless set, where a server agrees to it in the TLS handshake. See
  /// <doc:Architecture#HTTP3>.
  public var maximumHTTPVersion = HTTPVersion.http2

  /// The limit of the receive rate of each transfer, in bytes a second on average; nil, the default, for none. Loads of every
  /// scheme keep to it by pausing: bursts may exceed it by the bytes of a tenth of a second.
  public var maximumReceivedBytesPerSecond: Int?

  /// The limit of the send rate of each transfer, in bytes a second on average; nil, the default, for none.
  public var maximumSentBytesPerSecond: Int?

  /// How many redirects one load follows; 16 unless set. One more fails with `URLError.httpTooManyRedirects`.
  public var maximumRedirects = 16

  /// Whether ``URLSessionTaskTransactionMetrics/sentRequestHead`` is recorded, for logs; false unless set.
  public var recordsRequestHeads = false

  /// The settings with their default values.
  public init() {}

  /// Whether connections may not begin anywhere.
  var choosesLocalEnd: Bool { localInterface != nil || localPorts != nil }

  /// Bytes a second that a load receives at most; nil for no limit.
  var receiveRate: Int? { maximumReceivedBytesPerSecond.flatMap { $0 > 0 ? $0 : nil } }
}

extension URLSessionConfiguration {
  /// How the session reaches servers, beyond Apple's properties. Our addition.
  public var network: NetworkSettings {
    get { self[NetworkSettings.self] }
    set { self[NetworkSettings.self] = newValue }
  }
}
