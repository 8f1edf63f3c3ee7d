import URLLoading

/// What the user asked for, checked.
struct LoadOptions: Sendable {
  /// What is sent with the request.
  enum Body: Sendable {
    case data(Data)
    case file(String)
    /// What is read once, and has no length.
    case stream(DescriptorSource)
    /// A form in parts, whose files are read as they are sent.
    case form(MultipartFormData)
  }

  /// A field of the request.
  struct Header: Equatable, Sendable {
    let name: String
    /// Nil has the request go without the field.
    let value: String?
  }

  /// The answer to challenges. A missing password is asked for.
  struct Login: Equatable, Sendable {
    let user: String
    var password: String?
  }

  /// Which proxies loads go through.
  enum Proxy: Equatable, Sendable {
    /// Those of the environment and the system.
    case usual
    case direct
    case through(ProxyOption)
  }

  /// Where a load begins.
  enum Continuation: Equatable, Sendable {
    case none
    /// Behind what the part file has, if the resource is still the same.
    case part
    /// Behind so many bytes, whatever they are.
    case offset(Int64)
  }

  /// What is shown and written besides bodies.
  struct Report: Sendable {
    var isVerbose = false
    var showsSecrets = false
    /// No progress, and no errors unless `showsErrors` is set.
    var isSilent = false
    var showsErrors = false
    var showsProgress = true
    /// The heads of responses go before bodies.
    var includesHeads = false
    /// Where they go, too.
    var headFile: String?
    /// What is written on standard output after each body.
    var format: String?
  }

  var urls: [URL] = []
  var outputs: [OutputPlan.Target] = []
  var method: String?
  var headers: [Header] = []
  /// Requests that a redirect leads to name the URL before them as their referrer.
  var refersToRedirects = false
  var body: Body?
  /// What `-z` asks for; also of servers that do not know it.
  var timeCondition: TimeCondition?
  var range: ByteRange?
  /// The option that names it.
  var rangeOption = "-r"
  var headOnly = false
  var report = Report()
  var retries = 0
  /// Seconds between attempts; nil for longer and longer ones.
  var retryDelay: TimeInterval?
  var maxTime: TimeInterval?
  var authorityFile: String?
  /// The option or variable that names it.
  var authoritySource = "--cacert"
  var isInsecure = false
  var identity: SecIdentity?
  var tlsMinimum = tls_protocol_version_t.TLSv12
  var tlsMaximum = tls_protocol_version_t.TLSv13
  var network = NetworkSettings()
  /// Servers are taken to speak HTTP/3 before they have said so.
  var assumesHTTP3 = false
  var usesHTTP3Alone = false
  var proxy = Proxy.usual
  var login: Login?
  /// The ways of logging in to HTTP servers that the user has chosen, as protection spaces name them; nil for at once, as basic
  /// authentication, and then as the server asks.
  var loginMethods: Set<String>?
  var netrc: Netrc?
  var cookies = CookieFiles()
  var archiveIndex: URL?
  /// Hears of all loads.
  var archive: HTTPArchiveWriter?
  var parallel = 8
  var followsRedirects = true
  /// A status of 400 or above writes nothing.
  var dropsErrorBodies = false
  /// A status of 400 or above writes its body wherever it goes.
  var keepsErrorBodies = false
  var continuation = Continuation.none
  var createsDirectories = false
  /// Files that are there stay; others get a number after their names.
  var keepsFiles = false
  /// No load is begun after one that failed.
  var stopsAtFailure = false
  /// Where the entity tag of what was loaded is written.
  var entityTagFile: String?
  var removesParts = false
  /// Files get the time of the resource's last change.
  var keepsTime = false
  var largestSize: Int64?
  /// What is done in another way than it was asked for, a clause each.
  var notes: [String] = []

  static let allLoginMethods: Set<String> = [
    NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest, NSURLAuthenticationMethodNTLM,
    NSURLAuthenticationMethodNegotiate,
  ]

  /// Whether a login is sent when the server asks for it, in the way that it asks for; else at once, as basic authentication.
  var waitsForChallenge: Bool { loginMethods.map { $0 != [NSURLAuthenticationMethodHTTPBasic] } ?? false }

  /// The login for the server of a URL: that of `-u`, else of the netrc file, which also has the password for a user of either.
  func login(for url: URL) -> Login? {
    guard login?.password == nil, login != nil || url.password == nil, let host = url.host(percentEncoded: false)
    else { return login }
    return netrc?.login(for: host, user: login?.user ?? url.user(percentEncoded: false)) ?? login
  }
}

extension LoadOptions.Body {
  /// The file that is uploaded, whose name a directory on the server takes.
  var path: String? {
    switch self {
    case .file(let path), .stream(.path(let path)): path
    case .data, .form, .stream(.standardInput): nil
    }
  }
}
