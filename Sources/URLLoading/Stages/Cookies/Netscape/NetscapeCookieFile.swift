internal import URLLoadingBase

/// Cookies in the text format of Netscape's browser, `cookies.txt`, which curl, wget, Python and many others read and write.
///
/// ```swift
/// let file = try NetscapeCookieFile(contentsOf: url)
/// for cookie in file.cookies { HTTPCookieStorage.shared.setCookie(cookie) }
/// for line in file.malformedLines { print(line) }
///
/// try NetscapeCookieFile(cookies: HTTPCookieStorage.shared.cookies ?? []).write(to: url)
/// ```
///
/// A line is a cookie: its domain, whether that has subdomains (`TRUE` or `FALSE`), the path, whether encryption is
/// needed, the end in seconds since 1970 (0 or nothing for that of the session), the name and the value, with a tab
/// between each two. `#HttpOnly_` before the domain hides a cookie from scripts; any other line that begins with `#` is
/// a comment (curl.se/docs/http-cookies.html). The format has no ``HTTPCookie/sameSitePolicy`` and no properties of
/// version 1.
public struct NetscapeCookieFile: Sendable {
  /// The cookies, in the order of the lines. What had expired when the file was read is not among them.
  public var cookies: [HTTPCookie]

  /// The lines that are neither a cookie nor a comment; they are passed over.
  public let malformedLines: [MalformedLine]

  /// A line that was passed over.
  public struct MalformedLine: Hashable, Sendable, CustomStringConvertible {
    /// The number of the line, counted from 1.
    public let number: Int

    /// What is wrong with it, in words that say nothing of the cookie's value.
    public let reason: String

    /// `line 3: there are 5 fields in place of 7, …`
    public var description: String { "line \(number): \(reason)" }
  }

  /// A file of these cookies.
  public init(cookies: [HTTPCookie]) {
    self.cookies = cookies
    malformedLines = []
  }

  /// Reads the content of a file; whatever it is, that is no error.
  public init(_ data: Data) {
    self.init(data, now: Date())
  }

  init(_ data: Data, now: Date) {
    var cookies: [HTTPCookie] = []
    var malformedLines: [MalformedLine] = []
    for (index, line) in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      do throws(NetscapeCookieLine.LineError) {
        guard let cookie = try NetscapeCookieLine.cookie(in: line), !cookie.isExpired(at: now) else { continue }
        cookies.append(cookie)
      } catch {
        malformedLines.append(MalformedLine(number: index + 1, reason: error.description))
      }
    }
    self.cookies = cookies
    self.malformedLines = malformedLines
  }

  /// Reads a file.
  ///
  /// - Throws: an error of Foundation where it cannot be read; what it contains is never an error.
  public init(contentsOf url: URL) throws {
    self.init(try Data(contentsOf: url))
  }

  /// The content of the file, in UTF-8 but for cookies that a server has set in other octets, which stay as they came. A cookie whose domain, path, name or value has a tab or a line end has no form in it, and is left
  /// out.
  public var data: Data {
    let head = "# Netscape HTTP Cookie File\n# https://curl.se/docs/http-cookies.html\n\n"
    return cookies.reduce(into: Data(head.utf8)) { data, cookie in
      guard let line = NetscapeCookieLine.text(for: cookie) else { return }
      data += OctetText("\(line)\n", isLatin1: cookie.contents.isLatin1).octets
    }
  }

  /// Writes the file atomically, readable only by its owner (mode 0600). An existing file that is not regular, such as
  /// a pipe, is written to directly.
  ///
  /// - Throws: a `CocoaError` that says which file could not be written, and why.
  public func write(to url: URL) throws {
    try PrivateFile.write(data, to: url)
  }
}
