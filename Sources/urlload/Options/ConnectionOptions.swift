import ArgumentParser
import URLLoading
internal import URLLoadingBase

/// Options of the connection, for every command.
struct ConnectionOptions: ParsableArguments {
  @Option(
    name: [.customShort("H"), .long], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A field of the request; may be repeated. 'Name:' takes it away, 'Name;' sends it empty, @FILE has a line for each.",
      valueName: "'Name: value'"))
  var header: [String] = []

  @Option(
    name: [.customShort("A"), .long], parsing: .unconditional,
    help: ArgumentHelp("What the User-Agent field says.", valueName: "NAME"))
  var userAgent: String?

  @Option(
    name: .shortAndLong, parsing: .unconditional,
    help: ArgumentHelp(
      "Log in, at once where a password is given; a missing one is asked for.", valueName: "USER[:PASSWORD]"))
  var user: String?

  @Flag(help: "Log in only when the server asks, and in the way that it asks for, not at once.")
  var anyauth = false

  @Flag(help: "Log in by basic authentication alone, or by the best way of those that are named beside it.")
  var basic = false

  @Flag(help: "Log in by Digest, when the server asks.")
  var digest = false

  @Flag(help: "Log in by NTLM, when the server asks.")
  var ntlm = false

  @Flag(help: "Log in by Negotiate with a ticket of Kerberos, when the server asks; -u : stands for its user.")
  var negotiate = false

  @Flag(name: .shortAndLong, help: "Log in as ~/.netrc says.")
  var netrc = false

  @Flag(help: "The same where that file is there.")
  var netrcOptional = false

  @Option(help: ArgumentHelp("Log in as this file says.", valueName: "FILE"), completion: .file())
  var netrcFile: String?

  @Option(help: ArgumentHelp("Log in with this token (Authorization: Bearer).", valueName: "TOKEN"))
  var oauth2Bearer: String?

  @Option(
    name: [.customShort("b"), .long], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Send these cookies, or those of a file, which curl and wget write as well.", valueName: "NAME=VALUE|FILE"))
  var cookie: [String] = []

  @Option(
    name: [.customShort("c"), .long],
    help: ArgumentHelp("Write all cookies into this file in the end; it need not be there for -b.", valueName: "FILE"),
    completion: .file())
  var cookieJar: String?

  @Flag(name: [.customShort("k"), .long], help: "Accept any certificate and any SSH host key. A warning says so.")
  var insecure = false

  @Option(
    help: ArgumentHelp("Certificate authorities to trust instead of the system's (PEM).", valueName: "FILE"),
    completion: .file())
  var cacert: String?

  @Option(
    name: [.customShort("E"), .long],
    help: ArgumentHelp("The client certificate: a file (PEM, P12) or a pkcs11: URI.", valueName: "FILE[:PASSPHRASE]"),
    completion: .file())
  var cert: String?

  @Option(
    help: ArgumentHelp("PEM or P12; by the file unless given.", valueName: "TYPE"), completion: .list(["PEM", "P12"]))
  var certType: String?

  @Option(help: ArgumentHelp("The private key, where the file of -E has none.", valueName: "FILE"), completion: .file())
  var key: String?

  @Option(help: ArgumentHelp("The passphrase of the key.", valueName: "PHRASE"))
  var pass: String?

  @Option(
    name: [.customShort("x"), .long],
    help: ArgumentHelp("A proxy: http://, socks4:// or socks5://HOST:PORT; \"\" for none.", valueName: "URL"))
  var proxy: String?

  @Option(
    name: [.customShort("U"), .long], parsing: .unconditional,
    help: ArgumentHelp("Log in to the proxy.", valueName: "USER:PASSWORD"))
  var proxyUser: String?

  @Option(help: ArgumentHelp("Hosts that are reached without a proxy; * for all.", valueName: "HOST,…"))
  var noproxy: String?

  @Flag(name: [.customShort("4"), .long], help: "Connect to IPv4 addresses alone.")
  var ipv4 = false

  @Flag(name: [.customShort("6"), .long], help: "Connect to IPv6 addresses alone.")
  var ipv6 = false

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Connect to this address instead of looking the host up.", valueName: "HOST:PORT:ADDRESS"))
  var resolve: [String] = []

  @Option(
    help: ArgumentHelp("Connect from this address, in digits, or from this interface.", valueName: "ADDRESS|NAME"))
  var interface: String?

  @Option(help: ArgumentHelp("Connect from this port, or from one of a range.", valueName: "PORT[-PORT]"))
  var localPort: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Probe connections on which nothing happens every so many seconds.", valueName: "SECONDS"))
  var keepaliveTime: Double?

  @Option(
    help: ArgumentHelp("Send HTTP requests to this Unix socket, whatever the URL's host.", valueName: "PATH"),
    completion: .file())
  var unixSocket: String?

  @Flag(name: [.customLong("http1.1")], help: "Speak HTTP/1.1, also where a server has HTTP/2.")
  var http1 = false

  @Flag(help: "Try HTTP/3 first, where the installed libcurl has it.")
  var http3 = false

  @Flag(help: "Speak HTTP/3 and nothing else.")
  var http3Only = false

  @Flag(name: [.customLong("tlsv1.3")], help: "Accept TLS 1.3 alone, not TLS 1.2.")
  var tls13 = false

  @Option(
    help: ArgumentHelp("The newest version of TLS to offer: 1.2 or 1.3.", valueName: "VERSION"),
    completion: .list(["1.2", "1.3"]))
  var tlsMax: String?

  @Option(
    name: [.customShort("m"), .long], parsing: .unconditional,
    help: ArgumentHelp("Seconds that one attempt may take; 0 for any number.", valueName: "SECONDS"))
  var maxTime: Double?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Seconds until the connection has to be made.", valueName: "SECONDS"))
  var connectTimeout: Double?

  @Option(help: ArgumentHelp("Bytes a second of each transfer, such as 200k or 1M.", valueName: "RATE"))
  var limitRate: String?

  @Option(
    help: ArgumentHelp("Keep the indexes of archives in this directory.", valueName: "DIRECTORY"),
    completion: .directory)
  var archiveIndex: String?

  @Option(
    help: ArgumentHelp("Write what is loaded into this file, as an HTTP archive (HAR 1.2).", valueName: "FILE"),
    completion: .file())
  var har: String?

  /// Checks the options and adds them to the others.
  func apply(to options: inout LoadOptions) throws(Failure) {
    try applyFields(to: &options)
    try applySecurity(to: &options)
    try applyNetwork(to: &options)
    options.archiveIndex = archiveIndex.map { URL(fileURLWithPath: $0, isDirectory: true) }
    if let har {
      let archive = try OptionReader.archive(har)
      OpenArchive.shared.set(archive)
      options.archive = archive
    }
  }

  /// The ways of logging in that are named; nil for all.
  private var loginMethods: Set<String>? {
    let named = [
      (basic, NSURLAuthenticationMethodHTTPBasic), (digest, NSURLAuthenticationMethodHTTPDigest),
      (ntlm, NSURLAuthenticationMethodNTLM), (negotiate, NSURLAuthenticationMethodNegotiate),
    ].filter(\.0).map(\.1)
    if anyauth { return LoadOptions.allLoginMethods }
    return named.isEmpty ? nil : Set(named)
  }

  private func applyFields(to options: inout LoadOptions) throws(Failure) {
    // Those of -H go before those of other options.
    if let userAgent { options.headers.append(try OptionReader.header("User-Agent: \(userAgent)")) }
    if let oauth2Bearer { options.headers.append(try OptionReader.header("Authorization: Bearer \(oauth2Bearer)")) }
    let pairs = cookie.filter(CookieFiles.areCookies)
    // The library sends no others beside a field of the request.
    let isEngineOn = cookie.count > pairs.count || cookieJar != nil
    if !pairs.isEmpty, !isEngineOn {
      options.headers.append(try OptionReader.header("Cookie: \(pairs.joined(separator: "; "))"))
    }
    for text in header {
      let lines = text.hasPrefix("@") ? try LocalInput.lines(of: String(text.dropFirst())) : [text]
      for line in lines { options.headers.append(try OptionReader.header(line)) }
    }
    options.login = user.map(OptionReader.login)
    options.loginMethods = loginMethods
    if netrc || netrcOptional || netrcFile != nil {
      options.netrc = try Netrc(path: netrcFile, isOptional: netrcOptional && !netrc)
    }
    let files = cookie.filter { !$0.isEmpty && !CookieFiles.areCookies($0) }
    options.cookies = try CookieFiles(reading: files, writing: cookieJar, pairs: isEngineOn ? pairs : [])
  }

  private func applySecurity(to options: inout LoadOptions) throws(Failure) {
    options.isInsecure = insecure
    let authority = cacert ?? ProcessEnvironment.nonemptyValue(of: "CURL_CA_BUNDLE")
    if let authority {
      guard access(authority, R_OK) == 0 else { throw Failure(reading: authority, errno) }
      options.authorityFile = authority
      if cacert == nil { options.authoritySource = "CURL_CA_BUNDLE" }
    }
    if let cert {
      options.identity = try ClientCertificate(cert, type: certType, key: key, passphrase: pass).identity()
    } else if key != nil {
      throw Failure(.usage, "--key has no certificate", advice: "name its file with -E")
    }
    if tls13 { options.tlsMinimum = .TLSv13 }
    switch tlsMax {
    case nil, "default", "1.3": break
    case "1.2": options.tlsMaximum = .TLSv12
    case let version?:
      throw Failure(.usage, "--tls-max \(SafeText.escaped(version)) cannot be", advice: "TLS 1.2 and 1.3 are spoken")
    }
  }

  private func applyNetwork(to options: inout LoadOptions) throws(Failure) {
    if let maxTime { options.maxTime = try OptionReader.seconds(maxTime, of: "--max-time") }
    if let connectTimeout {
      options.network.connectionTimeout = try OptionReader.seconds(connectTimeout, of: "--connect-timeout")
    }
    if let proxy, !proxy.isEmpty {
      let variables = ["no_proxy", "NO_PROXY"].lazy.compactMap(ProcessEnvironment.nonemptyValue)
      options.proxy = .through(try ProxyOption(proxy, login: proxyUser, exceptions: noproxy ?? variables.first))
    } else if proxy != nil || noproxy == "*" {
      options.proxy = .direct
    } else if let noproxy {
      // The library's own reading of the variables goes by this one; where it is empty, by the other.
      setenv("no_proxy", noproxy, 1)
      unsetenv("NO_PROXY")
    }
    guard !ipv4 || !ipv6 else {
      throw Failure(.usage, "-4 and -6 exclude each other", advice: "leave both out to connect by either")
    }
    options.network.addressFamily = ipv4 ? .ipv4 : ipv6 ? .ipv6 : .any
    for text in resolve {
      let (key, addresses) = try OptionReader.address(text)
      options.network.hostAddresses[key] = addresses
    }
    options.network.localInterface = try interface.map(OptionReader.interface)
    options.network.localPorts = try localPort.map(OptionReader.ports)
    if let keepaliveTime {
      options.network.keepAliveInterval = try OptionReader.seconds(keepaliveTime, of: "--keepalive-time")
    }
    if let unixSocket {
      options.network.unixSocketPath = try OptionReader.absolutePath(unixSocket, of: "--unix-socket")
    }
    guard !http1 || !http3 && !http3Only else {
      throw Failure(.usage, "--http1.1 excludes --http3", advice: "leave one of them out")
    }
    if http1 { options.network.maximumHTTPVersion = .http1 }
    if http3 { options.network.maximumHTTPVersion = .http3 }
    options.assumesHTTP3 = http3
    options.usesHTTP3Alone = http3Only
    if let limitRate {
      let rate = Int(try OptionReader.bytes(limitRate, of: "--limit-rate"))
      options.network.maximumReceivedBytesPerSecond = rate > 0 ? rate : nil
      options.network.maximumSentBytesPerSecond = rate > 0 ? rate : nil
    }
  }
}

extension LoadOptions {
  /// Asks for the user's password, if there is none.
  mutating func askPassword() throws(Failure) {
    guard let login, login.password == nil else { return }
    // The file has one for each server.
    if !urls.isEmpty, urls.allSatisfy({ self.login(for: $0)?.password != nil }) { return }
    self.login?.password = Terminal.askSecret("Password for \(login.user): ")
    if self.login?.password == nil {
      throw Failure(.usage, "no password, and no terminal to ask for it", advice: "write -u USER:PASSWORD")
    }
  }
}
