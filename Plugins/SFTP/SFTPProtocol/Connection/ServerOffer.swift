/// A server's version (RFC 4253, section 4.2) and algorithms (section 7.1), which it sends before anything is encrypted.
struct ServerOffer: Sendable, Equatable {
  var version: String?
  var keyExchange: [String] = []
  var hostKey: [String] = []
  var cipherOut: [String] = []
  var cipherIn: [String] = []
  var macOut: [String] = []
  var macIn: [String] = []
  /// Whether the algorithms were received.
  var isComplete = false
  /// The first line, if it is not the version.
  var foreignLine: String?

  /// The longest packet that a server may begin with (RFC 4253, section 6.1).
  static let largestCount = 35_000 + 8192

  /// Reads as many first bytes of a connection as there are.
  init(firstBytes: [UInt8]) {
    var rest = firstBytes[...]
    while let newline = rest.firstIndex(of: 0x0A) {
      var line = rest[..<newline]
      if line.last == 0x0D { line = line.dropLast() }
      rest = rest[(newline + 1)...]
      let text = String(decoding: line.prefix(255), as: UTF8.self)
      if text.hasPrefix("SSH-") {
        version = SSHFailure.printable(text)
        break
      }
      if foreignLine == nil { foreignLine = SSHFailure.printable(text) }
    }
    if version == nil, foreignLine == nil, !firstBytes.isEmpty {
      foreignLine = SSHFailure.printable(String(decoding: firstBytes.prefix(80), as: UTF8.self))
    }
    guard version != nil else { return }
    readKeyExchange(rest)
  }

  private mutating func readKeyExchange(_ bytes: ArraySlice<UInt8>) {
    var packet = SSHFieldReader(bytes)
    guard let length = packet.uint32(), let padding = packet.byte(), length <= 35_000, Int(length) > Int(padding) + 1,
      let payload = packet.bytes(Int(length) - Int(padding) - 1)
    else { return }
    var reader = SSHFieldReader(payload)
    // SSH_MSG_KEXINIT and a cookie
    guard reader.byte() == 20, reader.bytes(16) != nil else { return }
    let lists = (0..<6).compactMap { _ in reader.nameList() }
    guard lists.count == 6 else { return }
    (keyExchange, hostKey, cipherOut) = (lists[0], lists[1], lists[2])
    (cipherIn, macOut, macIn) = (lists[3], lists[4], lists[5])
    isComplete = true
  }

  /// Whether the server is OpenSSH's, which takes RSA keys under the names of SHA-2 signatures since version 7.2.
  var isOpenSSH: Bool { version?.hasPrefix("SSH-2.0-OpenSSH_") ?? false }
}
