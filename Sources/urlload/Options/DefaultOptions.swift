import ArgumentParser

/// Options of curl that name what is done in any case: they are accepted, and do nothing.
struct DefaultOptions: ParsableArguments {
  @Flag(name: [.customShort("L"), .customLong("location")], help: "Redirects are followed.")
  var location = false

  @Flag(name: [.customShort("N"), .customLong("no-buffer")], help: "What comes is written at once.")
  var noBuffer = false

  @Flag(
    help:
      "Compressed answers are asked for, and decoded. A body whose Content-Encoding is unknown is written as it came, where curl fails."
  )
  var compressed = false

  @Flag(name: [.customShort("Z"), .customLong("parallel")], help: "Several URLs are loaded at a time.")
  var parallel = false

  @Flag(name: [.customLong("http2")], help: "HTTP/2 is spoken where a server has it.")
  var http2 = false

  @Flag(name: [.customLong("tlsv1.2")], help: "TLS 1.2 is the oldest that is spoken.")
  var tls12 = false

  @Flag(name: [.customShort("J"), .customLong("remote-header-name")], help: "-O goes by the server's name.")
  var remoteHeaderName = false

  @Flag(help: "A path is sent as it is written, with its dots.")
  var pathAsIs = false

  @Flag(help: "Small pieces are sent at once.")
  var tcpNodelay = false

  @Flag(help: "Connections are not probed, unless --keepalive-time says so.")
  var noKeepalive = false

  @Flag(help: "Connections of FTP are passive.")
  var ftpPasv = false

  @Flag(help: "Progress is shown as a bar.")
  var progressBar = false

  @Flag(name: [.customLong("retry-connrefused")], help: "A refused connection is tried again, with --retry.")
  var retryConnrefused = false
}
