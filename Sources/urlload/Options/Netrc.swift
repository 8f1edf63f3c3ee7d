import Foundation

/// Logins by host, from a file in the form of ftp(1), which curl and wget read as well.
///
/// As with curl, nobody complains where others may read the file; `-v` says so.
struct Netrc: Equatable, Sendable {
  private struct Entry: Equatable, Sendable {
    /// Nil for every other host.
    var host: String?
    var user = ""
    var password = ""
  }

  private var entries: [Entry] = []
  /// Whether others than the user may read the file.
  private(set) var isReadableByOthers = false

  /// - Parameters:
  ///   - path: nil for `.netrc` in the home folder.
  ///   - isOptional: whether the file need not be there.
  init(path: String?, isOptional: Bool) throws(Failure) {
    let file = path ?? "\(LocalInput.home())/.netrc"
    var status = stat()
    let isThere = stat(file, &status) == 0
    self.init(isOptional && !isThere ? "" : String(decoding: try LocalInput.content(of: file), as: UTF8.self))
    isReadableByOthers = isThere && status.st_mode & 0o077 != 0
  }

  init(_ text: String) {
    var words = Self.words(text)[...]
    while let word = words.popFirst() {
      switch word {
      case "machine": entries.append(Entry(host: words.popFirst()?.lowercased() ?? ""))
      case "default": entries.append(Entry())
      case "login": if let user = words.popFirst(), !entries.isEmpty { entries[entries.count - 1].user = user }
      case "password":
        if let password = words.popFirst(), !entries.isEmpty { entries[entries.count - 1].password = password }
      case "account": words = words.dropFirst()
      default: break
      }
    }
  }

  /// Words are separated by space, and may be in quotes. A macro reaches to the next empty line, and is passed over.
  private static func words(_ text: String) -> [String] {
    var result: [String] = []
    var isMacro = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if isMacro {
        isMacro = !line.allSatisfy(\.isWhitespace)
        continue
      }
      var rest = line.drop(while: \.isWhitespace)
      while let first = rest.first, first != "#" {
        if rest.hasPrefix("macdef") {
          isMacro = true
          break
        }
        result.append(word(&rest))
        rest = rest.drop(while: \.isWhitespace)
      }
    }
    return result
  }

  private static func word(_ rest: inout Substring) -> String {
    guard rest.first == "\"" else {
      let word = rest.prefix { !$0.isWhitespace }
      rest = rest.dropFirst(word.count)
      return String(word)
    }
    rest.removeFirst()
    var word = ""
    while let character = rest.popFirst(), character != "\"" {
      word.append(character == "\\" ? rest.popFirst() ?? character : character)
    }
    return word
  }

  /// The login for a host.
  /// - Parameter user: whose; nil for whichever comes first.
  func login(for host: String, user: String? = nil) -> LoadOptions.Login? {
    // An entry without a user is for everyone, as for curl.
    let entry = entries.first {
      ($0.host == nil || $0.host == host.lowercased()) && (user == nil || $0.user.isEmpty || $0.user == user)
    }
    return entry.map { LoadOptions.Login(user: user ?? $0.user, password: $0.password) }
  }
}
