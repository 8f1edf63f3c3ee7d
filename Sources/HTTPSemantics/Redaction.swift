import Foundation

/// What is written down or shown of a load, without its secrets: the one treatment of messages, archives, logs and the command's output.
package enum Redaction {
  /// A URL without its passwords and those of the URLs inside of it, in full length.
  package static func url(_ url: URL) -> String { URLSecrets.cleared(url.absoluteString, .hidePassword) }

  /// Text around URLs, without their passwords.
  package static func text(_ text: String) -> String { URLSecrets.cleared(text, .hideInText) }

  /// The value of a header field, without what may be a credential; of authentication a known scheme is left.
  package static func value(_ value: String, of field: String) -> String {
    guard SecretFields.contains(field) else { return text(value) }
    guard namesScheme.contains(field.lowercased()), let space = value.firstIndex(of: " ") else { return "***" }
    // Programs send bare tokens, too: a first word that is no scheme may be one, or its beginning.
    let scheme = value[..<space]
    return schemes.contains(scheme.lowercased()) ? "\(scheme) ***" : "***"
  }

  /// The text of an error: Foundation's and libcurl's words may repeat what they were given.
  package static func error(_ error: any Error) -> String {
    let message = text(error.localizedDescription)
    guard let query = (error as? URLError)?.failingURL?.query(), !query.isEmpty else { return message }
    // A protocol class may have quoted its URL.
    return message.replacing("?" + query, with: "?…")
  }

  private static let namesScheme = [
    "authorization", "proxy-authorization", "www-authenticate", "proxy-authenticate",
  ]

  /// IANA's registry of HTTP authentication schemes (RFC 9110 section 16.4.1), and NTLM, in lower case.
  private static let schemes: Set<String> = [
    "basic", "bearer", "concealed", "digest", "dpop", "gnap", "hoba", "mutual", "negotiate", "ntlm", "oauth",
    "privatetoken", "scram-sha-1", "scram-sha-256", "vapid",
  ]
}
