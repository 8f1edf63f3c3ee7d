import URLLoading

/// What the user asked for, checked.
struct LoadOptions: Sendable {
  /// What is sent with the request.
  enum Body: Equatable, Sendable {
    case data(Data)
    case file(String)
    case standardInput
  }

  /// A field of the request.
  struct Header: Equatable, Sendable {
    let name: String
    let value: String
  }

  /// The answer to challenges. A missing password is asked for.
  struct Login: Equatable, Sendable {
    let user: String
    var password: String?
  }

  var urls: [URL] = []
  var outputs: [OutputPlan.Target] = []
  var method: String?
  var headers: [Header] = []
  var body: Body?
  var range: ByteRange?
  var headOnly = false
  var verbose = false
  var retries = 0
  var maxTime: TimeInterval?
  var authorityFile: String?
  var proxy: ProxyOption?
  var login: Login?
  var cookies = CookieFiles()
  var archiveIndex: URL?
  /// Hears of all loads.
  var archive: HTTPArchiveWriter?
  var parallel = 8
}
