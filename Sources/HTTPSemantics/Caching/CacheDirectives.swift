internal import URLLoadingBase

/// The directives of `Cache-Control` fields (RFC 9111, section 5.2), of a request or a response.
///
/// Of what is said twice the most restrictive counts (section 4.2.1). A directive that forbids counts with whatever follows it, one that
/// allows only in the form that is defined. Unknown ones are ignored (section 5.2.3).
package struct CacheDirectives: Sendable, Equatable {
  /// The argument of a directive that counts seconds.
  package enum Seconds: Sendable, Equatable {
    case count(Int64)
    /// No number, or several that differ.
    case invalid

    /// For a directive that allows something: what is invalid allows nothing.
    package var granted: Int64? { if case .count(let seconds) = self { seconds } else { nil } }

    /// For a directive that limits something: what is invalid leaves no time at all.
    package var limit: Int64 { granted ?? 0 }
  }

  /// What a directive applies to that may name fields.
  package enum Scope: Sendable, Equatable {
    case nothing
    /// The fields of these names, which are in lower case.
    case fields(Set<String>)
    case all
  }

  package var noStore = false
  package var noCache = Scope.nothing
  package var maxAge: Seconds?

  // Of requests (section 5.2.1).
  package var maxStale: Seconds?
  package var minFresh: Seconds?
  package var onlyIfCached = false

  // Of responses (section 5.2.2).
  package var isPublic = false
  package var isPrivate = Scope.nothing
  package var sharedMaxAge: Seconds?
  package var mustRevalidate = false
  package var proxyRevalidate = false
  package var mustUnderstand = false

  // Extensions: RFC 8246, RFC 5861.
  package var immutable = false
  package var staleWhileRevalidate: Seconds?
  package var staleIfError: Seconds?

  package init(_ fields: HTTPFields) {
    for value in fields.values(of: "Cache-Control") { read(value) }
  }

  /// What follows the name of a directive.
  private enum Argument {
    case none
    case text(String)
    case malformed
  }

  private mutating func read(_ value: String) {
    var scanner = FieldScanner(value)
    while !scanner.isAtEnd {
      scanner.skipWhitespace()
      guard !scanner.skip(",") else { continue }
      let name = scanner.token()
      var argument = Argument.none
      if name != nil, scanner.skip("=") {
        argument = (scanner.quotedString() ?? scanner.token()).map { .text($0) } ?? .malformed
      }
      if !scanner.text(upTo: ",").isEmpty { argument = .malformed }
      if let name { apply(name.lowercased(), argument) }
    }
  }

  private mutating func apply(_ name: String, _ argument: Argument) {
    switch name {
    case "no-store": noStore = true
    case "no-cache": Self.widen(&noCache, argument)
    case "private": Self.widen(&isPrivate, argument)
    case "must-revalidate": mustRevalidate = true
    case "proxy-revalidate": proxyRevalidate = true
    case "must-understand": mustUnderstand = true
    case "only-if-cached": onlyIfCached = true
    case "public": if case .none = argument { isPublic = true }
    // Arguments have no meaning (RFC 8246, section 2).
    case "immutable": immutable = true
    case "max-age": Self.count(&maxAge, argument)
    case "s-maxage": Self.count(&sharedMaxAge, argument)
    case "min-fresh": Self.count(&minFresh, argument)
    case "stale-while-revalidate": Self.count(&staleWhileRevalidate, argument)
    case "stale-if-error": Self.count(&staleIfError, argument)
    // Without an argument: of any age (section 5.2.1.2).
    case "max-stale":
      if case .none = argument {
        Self.merge(&maxStale, .count(DeltaSeconds.infinity))
      } else {
        Self.count(&maxStale, argument)
      }
    default: break
    }
  }

  /// Recipients ought to accept a token and a quoted string alike (section 5.2).
  private static func count(_ seconds: inout Seconds?, _ argument: Argument) {
    guard case .text(let text) = argument, let number = DeltaSeconds.parse(text) else {
      seconds = .invalid
      return
    }
    merge(&seconds, .count(number))
  }

  private static func merge(_ seconds: inout Seconds?, _ new: Seconds) {
    seconds = seconds == nil || seconds == new ? new : .invalid
  }

  /// A list without a name is no list, and a response is nothing without the fields that the rules read: many caches take each list for
  /// none (sections 5.2.2.4 and 5.2.2.7).
  private static func widen(_ scope: inout Scope, _ argument: Argument) {
    guard scope != .all, case .text(let list) = argument else {
      scope = .all
      return
    }
    let names = list.split(separator: ",").map { $0.trimmingFieldWhitespace.lowercased() }.filter { !$0.isEmpty }
    var all = Set(names)
    if case .fields(let others) = scope { all.formUnion(others) }
    scope = all.isEmpty || !all.isDisjoint(with: StoredFields.endToEndFields) ? .all : .fields(all)
  }
}
