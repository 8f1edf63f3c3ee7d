import ArgumentParser
import URLLoading

/// Options of the connection, for every command.
struct ConnectionOptions: ParsableArguments {
  @Option(
    name: [.customShort("H"), .long], parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A field of the request; may be repeated.", valueName: "'Name: value'"))
  var header: [String] = []

  @Option(help: ArgumentHelp("Seconds that one attempt may take.", valueName: "SECONDS"))
  var maxTime: Double?

  @Option(help: ArgumentHelp("Certificate authorities to trust instead of the system's (PEM).", valueName: "FILE"))
  var cacert: String?

  @Option(help: ArgumentHelp("A proxy: http://, socks4:// or socks5://HOST:PORT.", valueName: "URL"))
  var proxy: String?

  @Option(
    name: .shortAndLong, parsing: .unconditional,
    help: ArgumentHelp("Log in; a missing password is asked for.", valueName: "USER[:PASSWORD]"))
  var user: String?

  @Option(
    name: [.customShort("b"), .long], parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Send the cookies of this file, which curl and wget write as well.", valueName: "FILE"))
  var cookie: [String] = []

  @Option(
    name: [.customShort("c"), .long],
    help: ArgumentHelp("Write all cookies into this file in the end; it need not be there for -b.", valueName: "FILE"))
  var cookieJar: String?

  @Option(help: ArgumentHelp("Keep the indexes of archives in this directory.", valueName: "DIRECTORY"))
  var archiveIndex: String?

  @Option(help: ArgumentHelp("Write what is loaded into this file, as an HTTP archive (HAR 1.2).", valueName: "FILE"))
  var har: String?

  /// Checks the options and adds them to the others.
  func apply(to options: inout LoadOptions) throws(Failure) {
    for text in header { options.headers.append(try OptionReader.header(text)) }
    if let maxTime {
      guard maxTime > 0 else {
        throw Failure(.usage, "--max-time \(maxTime) leaves no time", advice: "give a number of seconds above 0")
      }
      options.maxTime = maxTime
    }
    if let cacert {
      guard access(cacert, R_OK) == 0 else { throw Failure(reading: cacert, errno) }
      options.authorityFile = cacert
    }
    if let proxy { options.proxy = try ProxyOption(proxy) }
    options.login = user.map(OptionReader.login)
    options.cookies = try CookieFiles(reading: cookie, writing: cookieJar)
    options.archiveIndex = archiveIndex.map { URL(fileURLWithPath: $0, isDirectory: true) }
    if let har {
      let archive = try OptionReader.archive(har)
      OpenArchive.shared.set(archive)
      options.archive = archive
    }
  }
}

extension LoadOptions {
  /// Asks for the user's password, if there is none.
  mutating func askPassword() throws(Failure) {
    guard let login, login.password == nil else { return }
    self.login?.password = Terminal.askSecret("Password for \(login.user): ")
    if self.login?.password == nil {
      throw Failure(.usage, "no password, and no terminal to ask for it", advice: "write -u USER:PASSWORD")
    }
  }
}
