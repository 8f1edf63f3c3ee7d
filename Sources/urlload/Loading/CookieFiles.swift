import URLLoading

/// The cookies of `-b`, and the file of `-c`.
struct CookieFiles: Sendable {
  /// What the files of `-b` have; of one cookie the last is sent.
  private(set) var cookies: [HTTPCookie] = []
  /// What was passed over, a line each.
  private var notices: [String] = []
  /// `-` is standard output.
  private var jar: String?

  init() {}

  /// - Parameters:
  ///   - files: those of `-b`; `-` is standard input.
  ///   - jar: that of `-c`; `-` is standard output. It need not be there yet where it is one of `files`, too.
  init(reading files: [String], writing jar: String?) throws(Failure) {
    self.jar = jar
    for path in files where path != jar || access(path, F_OK) == 0 {
      let content = NetscapeCookieFile(try Self.content(of: path))
      cookies += content.cookies
      for line in content.malformedLines { notices.append("urlload: passed over in \(path), \(line)") }
    }
  }

  private static func content(of path: String) throws(Failure) -> Data {
    let descriptor = open(path == "-" ? "/dev/stdin" : path, O_RDONLY | O_CLOEXEC)
    let code = errno
    if descriptor >= 0 {
      defer { close(descriptor) }
      return try content(of: descriptor, path)
    }
    // A name that no file can have, or that leads through what is no directory, is no file's either.
    guard path.contains("="), [ENOENT, ENAMETOOLONG, ENOTDIR].contains(code) else { throw Failure(reading: path, code) }
    // curl takes it for cookies then. That may be secret, and is not shown.
    throw Failure(
      .usage, "there is no file of this name for -b", advice: "send cookies themselves with -H 'Cookie: NAME=VALUE'")
  }

  private static func content(of descriptor: Int32, _ path: String) throws(Failure) -> Data {
    var content = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Failure(reading: path, errno) }
      if count == 0 { return content }
      content += buffer.prefix(count)
    }
  }

  /// Tells what was passed over.
  func tell(_ console: Console) {
    for notice in notices { console.line(SafeText.line(notice)) }
  }

  /// Writes the cookies of a session into the file of `-c`, if there is one.
  /// - Returns: why that failed.
  func keep(_ storage: HTTPCookieStorage?) -> Failure? {
    guard let jar else { return nil }
    do {
      let file = NetscapeCookieFile(cookies: storage?.cookies ?? [])
      if jar == "-" {
        try FileHandle.standardOutput.write(contentsOf: file.data)
      } else {
        try file.write(to: URL(fileURLWithPath: jar))
      }
      return nil
    } catch {
      return Failure(.localFile, error.localizedDescription, advice: "name a file for -c that you may write")
    }
  }
}
