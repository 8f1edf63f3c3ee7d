import Glibc
internal import URLLoadingCSSH2

/// libssh2's session over a socket that never blocks. Packets go to the queue of ``SSHSocket``: a call of libssh2 only
/// ever waits for the server.
///
/// Mutable state: all of it, confined to the connection's thread; libssh2's callbacks come during calls on that thread.
final class SSHSession {
  enum Step {
    case done
    /// Call again, with the same arguments, when the server has sent more.
    case wait
    case failed(Code)
  }

  /// An error of libssh2.
  struct Code: Error {
    let number: Int32
    let text: String
  }

  let socket: SSHSocket
  /// The text of the server's SSH_MSG_DISCONNECT.
  private(set) var disconnectMessage: String?
  /// The signature that the server waits for.
  var signing = SignatureRequest.none
  /// Answers the server's questions; nil gives up.
  var onQuestions: (([InteractivePrompt]) -> [String]?)?

  /// Whether libssh2 is at the beginning of a login by a key: see ``SSHMemory``.
  var beginsKeyLogin = false

  private let descriptor: Int32
  private var session: OpaquePointer?
  private var channel: OpaquePointer?
  /// The callback for signatures gets this pointer.
  private let context = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 1)

  /// Nil if there is no memory.
  init?(descriptor: Int32) {
    self.descriptor = descriptor
    socket = SSHSocket(descriptor)
    context.initialize(to: nil)
    // Not retained: this object frees the session first.
    let owner = Unmanaged.passUnretained(self).toOpaque()
    session = SSHMemory.makeSession(owner)
    guard session != nil else { return nil }
    context.pointee = owner
    libssh2_session_set_blocking(session, 0)
    installCallbacks(session)
  }

  deinit {
    free()
    context.deallocate()
  }

  /// Whether the connection is lost or ended.
  var isGone: Bool { socket.isGone || disconnectMessage != nil }

  func serverDisconnects(_ text: String) { disconnectMessage = SSHFailure.printable(text) }

  // MARK: Keys

  /// The algorithms of the installed libssh2.
  func supportedAlgorithms() -> AlgorithmPreferences {
    AlgorithmPreferences(
      keyExchange: supported(LIBSSH2_METHOD_KEX), hostKey: supported(LIBSSH2_METHOD_HOSTKEY),
      cipher: supported(LIBSSH2_METHOD_CRYPT_CS), mac: supported(LIBSSH2_METHOD_MAC_CS))
  }

  func prefer(_ preferences: AlgorithmPreferences) {
    let lists: [(Int32, [String])] = [
      (LIBSSH2_METHOD_KEX, preferences.keyExchange), (LIBSSH2_METHOD_HOSTKEY, preferences.hostKey),
      (LIBSSH2_METHOD_CRYPT_CS, preferences.cipher), (LIBSSH2_METHOD_CRYPT_SC, preferences.cipher),
      (LIBSSH2_METHOD_MAC_CS, preferences.mac), (LIBSSH2_METHOD_MAC_SC, preferences.mac),
    ]
    for (method, names) in lists where !names.isEmpty {
      libssh2_session_method_pref(session, method, names.joined(separator: ","))
    }
  }

  func exchangeKeys() -> Step {
    let step = step(libssh2_session_handshake(session, descriptor))
    if case .done = step { socket.keepsFirstBytes = false }
    return step
  }

  func hostKey() -> PublicKey? {
    var count = 0
    var type: Int32 = 0
    guard let start = libssh2_session_hostkey(session, &count, &type), count > 0 else { return nil }
    return PublicKey(blob: Array(UnsafeRawBufferPointer(start: start, count: count)))
  }

  /// The negotiated algorithm, by libssh2's number of the kind.
  func method(_ kind: Int32) -> String? {
    libssh2_session_methods(session, kind).map { String(cString: $0) }
  }

  private func supported(_ kind: Int32) -> [String] {
    var names: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    let count = libssh2_session_supported_algs(session, kind, &names)
    guard count > 0, let names else { return [] }
    defer { libssh2_free(session, names) }
    return (0..<Int(count)).compactMap { names[$0].map { String(cString: $0) } }
  }

  // MARK: Login

  /// The methods of login that a server accepts.
  enum Methods {
    case names([String])
    /// No login is needed.
    case loggedIn
    case wait
    case failed(Code)
  }

  func loginMethods(user: String) -> Methods {
    let list = withBytes(user) { libssh2_userauth_list(session, $0, UInt32(clamping: $1)) }
    if let list { return .names(String(cString: list).split(separator: ",").map(String.init)) }
    if libssh2_userauth_authenticated(session) != 0 { return .loggedIn }
    switch step(libssh2_session_last_errno(session)) {
    case .wait: return .wait
    case .failed(let code): return .failed(code)
    case .done: return .names([])
    }
  }

  func logIn(user: String, password: String) -> Step {
    step(
      withBytes(user) { name, nameCount in
        withBytes(password) { password, count in
          libssh2_userauth_password_ex(
            session, name, UInt32(clamping: nameCount), password, UInt32(clamping: count), nil)
        }
      })
  }

  /// Logs in by a key; ``signing`` has the bytes to sign if the server accepts the key.
  func logIn(user: String, publicKey: [UInt8]) -> Step {
    beginsKeyLogin = true
    defer { beginsKeyLogin = false }
    return step(libssh2_userauth_publickey(session, user, publicKey, publicKey.count, Self.sign, context))
  }

  /// Logs in by keyboard-interactive, with ``onQuestions`` for the answers.
  func logInByQuestions(user: String) -> Step {
    step(
      withBytes(user) {
        libssh2_userauth_keyboard_interactive_ex(session, $0, UInt32(clamping: $1), Self.answer)
      })
  }

  // MARK: The channel

  /// The channel's window in bytes: 40 ms at 400 MB/s.
  private static let window: UInt32 = 16 << 20

  /// Opens the channel, and starts its service.
  func openChannel(_ kind: SSHConnectionOptions.Channel) -> Step {
    if channel == nil {
      channel =
        switch kind {
        case .subsystem:
          libssh2_channel_open_ex(
            session, "session", 7, Self.window, UInt32(LIBSSH2_CHANNEL_PACKET_DEFAULT), nil, 0)
        case .tunnel(let host, let port):
          libssh2_channel_direct_tcpip_ex(session, host, Int32(port), "127.0.0.1", 22)
        }
      guard channel != nil else {
        let code = libssh2_session_last_errno(session)
        return step(code == 0 ? LIBSSH2_ERROR_CHANNEL_FAILURE : code)
      }
      // Standard error would fill the window.
      libssh2_channel_handle_extended_data2(channel, LIBSSH2_CHANNEL_EXTENDED_DATA_IGNORE)
    }
    guard case .subsystem(let name) = kind else { return .done }
    return step(withBytes(name) { libssh2_channel_process_startup(channel, "subsystem", 9, $0, UInt32(clamping: $1)) })
  }

  /// The number of bytes written; 0 while the window is full.
  func write(_ bytes: UnsafeRawBufferPointer) -> Result<Int, Code> {
    transferred(libssh2_channel_write_ex(channel, 0, bytes.bindMemory(to: CChar.self).baseAddress, bytes.count))
  }

  /// The number of bytes read; 0 where there are none now.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Result<Int, Code> {
    transferred(libssh2_channel_read_ex(channel, 0, buffer.bindMemory(to: CChar.self).baseAddress, buffer.count))
  }

  /// Whether the server sends nothing more on the channel.
  var isAtEnd: Bool { libssh2_channel_eof(channel) != 0 }

  /// The shortest keep-alive interval: libssh2 1.10 counts whole seconds, and turns 1 into 2.
  static let shortestKeepAlive = Duration.seconds(2)

  func keepAlive() {
    libssh2_keepalive_config(session, 1, 2)
    var next: Int32 = 0
    libssh2_keepalive_send(session, &next)
  }

  // MARK: The end

  /// Sends SSH_MSG_DISCONNECT where that does not block, and frees everything.
  func end() {
    guard session != nil, !socket.isDead else { return }
    socket.endTurn()
    libssh2_session_disconnect_ex(session, SSH_DISCONNECT_BY_APPLICATION, "", "")
    _ = socket.flush()
    free()
  }

  private func free() {
    socket.isDead = true
    signing = .refused
    var turns = 0
    while let freed = session, libssh2_session_free(freed) == LIBSSH2_ERROR_EAGAIN, turns < 100 { turns += 1 }
    session = nil
    channel = nil
  }

  // MARK: Results

  private func step(_ result: Int32) -> Step {
    switch result {
    case 0: .done
    case LIBSSH2_ERROR_EAGAIN: .wait
    default: .failed(code(result))
    }
  }

  private func transferred(_ result: Int) -> Result<Int, Code> {
    if result >= 0 { return .success(result) }
    return result == Int(LIBSSH2_ERROR_EAGAIN) ? .success(0) : .failure(code(Int32(clamping: result)))
  }

  private func code(_ number: Int32) -> Code {
    var text: UnsafeMutablePointer<CChar>?
    libssh2_session_last_error(session, &text, nil, 0)
    return Code(number: number, text: text.map { SSHFailure.printable(String(cString: $0)) } ?? "")
  }

  private func withBytes<Result>(_ text: String, _ body: (UnsafePointer<CChar>?, Int) -> Result) -> Result {
    var text = text
    return text.withUTF8 { bytes in
      body(UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self), bytes.count)
    }
  }
}
