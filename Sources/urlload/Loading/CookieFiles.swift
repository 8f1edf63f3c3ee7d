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
      let content = NetscapeCookieFile(try LocalInput.content(of: path))
      cookies += content.cookies
      for line in content.malformedLines { notices.append("urlload: passed over in \(path), \(line)") }
    }
  }

  /// Whether a value of `-b` is no file, but cookies themselves: as for curl, what has an equals sign and is no file's name.
  static func areCookies(_ text: String) -> Bool { text.contains("=") && access(text, F_OK) != 0 }

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
