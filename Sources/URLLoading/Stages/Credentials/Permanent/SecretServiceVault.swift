internal import URLLoadingBase

/// The Secret Service as the place of permanent credentials.
///
/// One item for each credential, found by the program, the protection space and the user; and one for each space that names its default.
/// Passwords are the items' secrets, so that tools of the desktop show and change them.
///
/// A call is given up after a limit, whether it runs or waits for another one. After one that ran that long the service is left alone for a
/// while (``VaultPause``), and calls say at once that it does not answer.
///
/// Mutable state: `service` and `pause`, each guarded by its lock.
final class SecretServiceVault: CredentialVault {
  /// One thread, so that what is kept and what is forgotten keep their order.
  private static let pool = BlockingPool(name: "URLLoading secrets", maximumThreadCount: 1)
  private static let schema = "org.swift-url-loading.Credential"
  private static let names = [
    "program", "kind", "host", "port", "protocol", "is-proxy", "proxy-type", "realm", "has-realm", "method", "user",
  ]

  private let program: String
  private let busAddress: String?
  private let timeLimit: Duration
  private let service = Locked<SecretService?>(nil)
  private let pause = Locked(VaultPause())

  /// - Parameters:
  ///   - program: whose credentials they are.
  ///   - busAddress: that of the session's bus; nil where there is none.
  ///   - timeLimit: after which a call is given up: a service may wait for the user, or for ever.
  init(program: String, busAddress: String?, timeLimit: Duration = .seconds(5)) {
    self.program = program
    self.busAddress = busAddress
    self.timeLimit = timeLimit
  }

  func credentials(_ take: @escaping @Sendable ([KeptCredential]?) -> Void) {
    run { (service, cancellation) throws(CredentialVaultFailure) in
      try service.search(["program": self.program], cancellation)
    } then: { result in
      take((try? result.get()).map { Self.credentials($0) })
    }
  }

  func keep(_ credential: KeptCredential, _ take: @escaping @Sendable (CredentialVaultFailure?) -> Void) {
    let attributes = attributes(credential)
    guard !([credential.password] + attributes.values).contains(where: { $0.utf8.contains(0) }) else {
      return take(.unfit("the Secret Service takes no text with a NUL character"))
    }
    let item = SecretService.Item(attributes: attributes, secret: credential.password)
    let label = "\(credential.user) at \(credential.space.host) (\(program))"
    run { (service, cancellation) throws(CredentialVaultFailure) in
      try service.store(item, label: label, cancellation)
      guard credential.isDefault else { return }
      let choice = SecretService.Item(attributes: self.defaultAttributes(credential.space), secret: credential.user)
      try service.store(choice, label: "default at \(credential.space.host) (\(self.program))", cancellation)
    } then: {
      take($0.failure)
    }
  }

  func forget(_ credential: KeptCredential, _ take: @escaping @Sendable (CredentialVaultFailure?) -> Void) {
    run { (service, cancellation) throws(CredentialVaultFailure) in
      try service.clear(self.attributes(credential), cancellation)
      if credential.isDefault { try service.clear(self.defaultAttributes(credential.space), cancellation) }
    } then: {
      take($0.failure)
    }
  }

  func forgetAll(_ take: @escaping @Sendable (CredentialVaultFailure?) -> Void) {
    run { (service, cancellation) throws(CredentialVaultFailure) in
      try service.clear(["program": self.program], cancellation)
    } then: {
      take($0.failure)
    }
  }

  // MARK: Calls

  /// Runs a call on a thread that may block, and answers when it has ended or the limit has passed.
  private func run<Value: Sendable>(
    _ call: @escaping @Sendable (SecretService, SecretService.Cancellation) throws(CredentialVaultFailure) -> Value,
    then take: @escaping @Sendable (Result<Value, CredentialVaultFailure>) -> Void
  ) {
    guard busAddress?.isEmpty == false else {
      return take(.failure(.unavailable("there is no session bus (DBUS_SESSION_BUS_ADDRESS)")))
    }
    guard !pause.withLock({ $0.isOn(at: .now) }) else { return take(.failure(.timedOut)) }
    let running = VaultCall<SecretService.Cancellation>()
    // From here on, since the thread may be held by another call.
    DispatchQueue.global().asyncAfter(deadline: .now() + timeLimit.dispatchInterval) {
      switch running.expire() {
      case .late: return
      case .waiting: break
      case .running(let cancellation):
        self.pause.withLock { $0.begin(at: .now) }
        cancellation.cancel()
      }
      take(.failure(.timedOut))
    }
    Self.pool.run {
      // Not before there is a use for it: it loads some ten libraries.
      guard let library = SecretLibrary.shared else {
        if running.end() { take(.failure(.unavailable("there is no libsecret (libsecret-1.so.0)"))) }
        return
      }
      let cancellation = SecretService.Cancellation(library)
      guard running.begin(cancellation) else { return }
      let result = Result { () throws(CredentialVaultFailure) in
        try call(self.connect(library, cancellation), cancellation)
      }
      guard running.end() else { return }
      self.pause.withLock { $0.stop() }
      take(result)
    }
  }

  private func connect(
    _ library: SecretLibrary, _ cancellation: SecretService.Cancellation
  ) throws(CredentialVaultFailure) -> SecretService {
    if let known = service.withLock({ $0 }) { return known }
    let made = try SecretService(library, schema: Self.schema, names: Self.names, cancellation)
    service.withLock { $0 = made }
    return made
  }

  // MARK: Attributes

  private func attributes(_ credential: KeptCredential) -> [String: String] {
    var attributes = attributes(credential.space, kind: "credential")
    attributes["user"] = credential.user
    return attributes
  }

  private func defaultAttributes(_ space: URLProtectionSpace) -> [String: String] {
    attributes(space, kind: "default")
  }

  private func attributes(_ space: URLProtectionSpace, kind: String) -> [String: String] {
    // All of them, always: what is not named would match anything.
    let attributes = [
      "program": program, "kind": kind, "host": URLProtectionSpace.comparable(space.host, of: space.protocol),
      "port": String(space.port),
      "method": space.authenticationMethod, "realm": space.realm ?? "", "has-realm": space.realm == nil ? "0" : "1",
      "is-proxy": space.isProxy() ? "1" : "0", "proxy-type": space.proxyType ?? "",
      "protocol": space.protocol?.lowercased() ?? "",
    ]
    return attributes
  }

  private static func credentials(_ items: [SecretService.Item]) -> [KeptCredential] {
    var defaults: [URLProtectionSpace: String] = [:]
    var found: [KeptCredential] = []
    for item in items {
      guard let space = space(item.attributes) else { continue }
      switch (item.attributes["kind"], item.attributes["user"]) {
      case ("default", _): defaults[space] = item.secret
      case ("credential", let user?): found.append(KeptCredential(space: space, user: user, password: item.secret))
      default: break
      }
    }
    return found.map { credential in
      var credential = credential
      credential.isDefault = defaults[credential.space] == credential.user
      return credential
    }
  }

  private static func space(_ attributes: [String: String]) -> URLProtectionSpace? {
    guard let host = attributes["host"], let port = attributes["port"].flatMap({ Int($0) }) else { return nil }
    func text(_ name: String) -> String? { attributes[name].flatMap { $0.isEmpty ? nil : $0 } }
    let realm = attributes["has-realm"] == "1" ? attributes["realm"] : nil
    guard attributes["is-proxy"] == "0" else {
      return URLProtectionSpace(
        proxyHost: host, port: port, type: text("proxy-type"), realm: realm, authenticationMethod: text("method"))
    }
    return URLProtectionSpace(
      host: host, port: port, protocol: text("protocol"), realm: realm, authenticationMethod: text("method"))
  }
}

extension Result where Failure == CredentialVaultFailure {
  fileprivate var failure: CredentialVaultFailure? {
    if case .failure(let failure) = self { return failure }
    return nil
  }
}
