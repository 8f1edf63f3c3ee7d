import Glibc
internal import URLLoadingCBlockCache
internal import URLLoadingCCurl
internal import URLLoadingCOpenSSL

/// What the installed libcurl can do. Its first use prepares libcurl for the process.
struct CurlLibrary: Sendable {
  static let shared = CurlLibrary()

  /// The file of trusted certificates: that which libcurl was built with, or its substitute.
  let defaultCAFile: String?
  /// The folder of trusted certificates that libcurl was built with.
  let defaultCADirectory: String?
  /// The system's file of trusted certificates, where libcurl was built for another system, whose file is not there.
  let substituteCAFile: String?
  /// Why nothing can be loaded with this libcurl; nil where it is new enough.
  let refusal: InvalidRequest?
  /// See EasyHandle+FirstField: 7.83 to 8.2.
  let misjudgesFirstFields: Bool
  /// Since 8.22 libcurl looks at an idle connection once a second, and may reuse one that the server has closed since.
  let reusesClosedConnections: Bool
  /// Since 8.21 libcurl percent-encodes the bytes of a Digest login's name that are not ASCII, which no server decodes.
  let manglesDigestNames: Bool
  /// Since 8.7 the size of requests that libcurl tells is that of heads and bodies.
  let countsBodiesInRequests: Bool
  /// See SessionShares.
  let forgetsNewestSessions: Bool
  /// What a handle could do when it was paused stays noted for its next transfer. One that waits before it sends, as a request for an upgrade
  /// does, then neither reads nor ends, and libcurl is due at once for ever. Seen with 8.14; 8.21 notes nothing, and what notes it is of 8.4.
  let keepsReadiness: Bool
  /// The answer to an upload over HTTP/2 is lost if RST_STREAM comes with it, in one record of TLS.
  let losesEarlyAnswers: Bool
  /// See MultiHandle+ReadAhead: since 8.15, and so with 8.23.
  let leavesInput: Bool

  /// libcurl speaks HTTP/3. One that does not takes its option without a word, and uses HTTP/2.
  let speaksHTTP3: Bool
  /// OpenSSL's own QUIC, which Debian 13's libcurl stands on, now and then never sends all of a request.
  let losesHTTP3Requests: Bool
  /// libcurl speaks TLS by the OpenSSL that this package is linked with, whose functions know its objects.
  let usesLinkedOpenSSL: Bool

  private init() {
    // Where the program has initialised libcurl, with an allocator of its choice, this only increments the reference count.
    curl_global_init_mem(
      Int(CURL_GLOBAL_DEFAULT), block_cache_malloc, block_cache_free, block_cache_realloc, block_cache_strdup,
      block_cache_calloc)
    let version = ccurl_version()?.pointee
    let builtIn = version?.cainfo.map { String(cString: $0) }
    substituteCAFile = builtIn.flatMap { Self.isReadable($0) ? nil : Self.systemCAFiles.first(where: Self.isReadable) }
    defaultCAFile = substituteCAFile ?? builtIn
    defaultCADirectory = version?.capath.map { String(cString: $0) }
    let library = version?.ssl_version.map { String(cString: $0) }
    let linked = OpenSSL_version(OPENSSL_VERSION_STRING).map { String(cString: $0) }
    usesLinkedOpenSSL = linked.map { library == "OpenSSL/\($0)" } ?? false
    let number = version?.version_num ?? 0
    // CURL_VERSION_HTTP3, whose definition Swift cannot import.
    speaksHTTP3 = (version?.features ?? 0) & (1 << 25) != 0 && usesLinkedOpenSSL
    // libcurl names ngtcp2, and has no name for OpenSSL's.
    let quic = version?.quic_version.map { String(cString: $0) }
    losesHTTP3Requests = speaksHTTP3 && quic?.contains("ngtcp2/") != true
    refusal = Self.refusal(of: number, version?.version.map { String(cString: $0) } ?? "none")
    misjudgesFirstFields = (0x07_53_00..<0x08_03_00).contains(number)
    losesEarlyAnswers = number < 0x08_01_00
    countsBodiesInRequests = number >= 0x08_07_00
    forgetsNewestSessions = number >= 0x08_0C_00
    keepsReadiness = (0x08_04_00..<0x08_15_00).contains(number)
    leavesInput = number >= 0x08_0F_00 && library?.hasPrefix("GnuTLS") != true
    manglesDigestNames = number >= 0x08_15_00
    reusesClosedConnections = number >= 0x08_16_00
  }

  static func refusal(of number: UInt32, _ version: String) -> InvalidRequest? {
    number < 0x07_58_00 ? .oldLibrary(version) : nil
  }

  /// Where Debian, Fedora, openSUSE and Alpine have it.
  private static let systemCAFiles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
  ]

  private static func isReadable(_ path: String) -> Bool { access(path, R_OK) == 0 }
}
