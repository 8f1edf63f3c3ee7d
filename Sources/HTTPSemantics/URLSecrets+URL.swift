import Foundation

extension URLSecrets {
  /// The URL without users and passwords: its own, and those of URLs inside of it.
  package static func removingAllCredentials(_ url: URL) -> URL {
    let text = url.absoluteString
    let cleared = Self.cleared(text, .removeUser)
    return cleared == text ? url : URL(string: cleared) ?? removingCredentials(url)
  }

  /// The URL without its own user and password.
  package static func removingCredentials(_ url: URL) -> URL {
    guard url.user != nil || url.password != nil,
      var components = URLComponents(url: url.absoluteURL, resolvingAgainstBaseURL: true)
    else { return url }
    components.user = nil
    components.password = nil
    return components.url ?? url
  }
}
