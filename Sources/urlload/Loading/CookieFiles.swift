import URLLoading

/// The cookies of `-b`, and the file of `-c`.
struct CookieFiles: Sendable {
  /// What the files of `-b` have; of one cookie the last is sent.
  private(set) var cookies: [HTTPCookie] = []
  /// What was passed over, a line each.
  private var notices: [String] = []
  /// `-` is standard output.
  private var jar: String?
  /// `NAME=VALUE`, which are sent with those of files.
  private var pairs: [(name: String, value: String)] = []

  /// Marks cookies that were given themselves, which no response has set.
  private static let mark = "given with urlload -b"

  /// In bytes; a browser's cookies are a few hundred KB.
  private static let sizeLimit = 16 << 20

  init() {}

  /// - Parameters:
  ///   - files: those of `-b`; `-` is standard input.
  ///   - jar: that of `-c`; `-` is standard output.
  ///   - pairs: cookies that were given themselves, which are sent with those of files.
  init(reading files: [String], writing jar: String?, pairs: [String] = []) throws(Failure) {
    self.jar = jar
    self.pairs = pairs.flatMap(Self.split)
    for path in files {
      // As with curl, the file need not be there yet.
      guard path == "-" || access(path, F_OK) == 0 || errno != ENOENT else {
        if path != jar { notices.append("urlload: there is no file of cookies \(path)") }
        continue
      }
      let content = NetscapeCookieFile(try LocalInput.content(of: path, limit: Self.sizeLimit))
      cookies += content.cookies
      for line in content.malformedLines { notices.append("urlload: passed over in \(path), \(line)") }
    }
  }

  /// Whether a value of `-b` is no file, but cookies themselves: as for curl, what has an equals sign and is no file's name.
  static func areCookies(_ text: String) -> Bool { text.contains("=") && access(text, F_OK) != 0 }

  private static func split(_ text: String) -> [(name: String, value: String)] {
    text.split(separator: ";").compactMap { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      return (parts[0].trimmingCharacters(in: .whitespaces), parts[1].trimmingCharacters(in: .whitespaces))
    }
  }

  /// Puts the cookies into the storage of a session; those that were given themselves for the hosts of these URLs.
  func fill(_ storage: HTTPCookieStorage?, for urls: [URL]) {
    for cookie in cookies { storage?.setCookie(cookie) }
    for cookie in own(urls) { storage?.setCookie(cookie) }
  }

  private func own(_ urls: [URL]) -> [HTTPCookie] {
    let hosts = Set(urls.filter { $0.scheme?.lowercased().hasPrefix("http") == true }.compactMap { $0.host() })
    return hosts.sorted().flatMap { host in
      pairs.compactMap { pair in
        HTTPCookie(properties: [
          .name: pair.name, .value: pair.value, .domain: host, .path: "/", .comment: Self.mark,
        ])
      }
    }
  }

  /// Tells what was passed over.
  func tell(_ console: Console) {
    for notice in notices { console.line(SafeText.line(notice)) }
  }

  /// The cookie of a file whose place one that was given itself has taken.
  private func replaced(by cookie: HTTPCookie) -> HTTPCookie? {
    cookies.last {
      $0.name == cookie.name && $0.domain == cookie.domain && $0.path == cookie.path
        && $0.expiresDate ?? .distantFuture > Date()
    }
  }

  /// Writes the cookies of a session into the file of `-c`, if there is one.
  /// - Returns: why that failed.
  func keep(_ storage: HTTPCookieStorage?) -> Failure? {
    guard let jar else { return nil }
    let kept = (storage?.cookies ?? []).compactMap { $0.comment == Self.mark ? replaced(by: $0) : $0 }
    do {
      let file = NetscapeCookieFile(cookies: kept)
      if jar == "-" {
        try DescriptorWriter.write(file.data, to: STDOUT_FILENO, "standard output")
      } else {
        try file.write(to: URL(fileURLWithPath: jar))
      }
      return nil
    } catch let failure as Failure {
      return failure
    } catch {
      return Failure(.localFile, error.localizedDescription, advice: "name a file for -c that you may write")
    }
  }
}
