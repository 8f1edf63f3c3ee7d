import Foundation

extension URL: @retroactive ExpressibleByStringLiteral {
  /// A URL in a test. One that cannot be parsed becomes `about:invalid`, at which the test then fails.
  public init(stringLiteral text: StaticString) {
    self = URL(string: "\(text)") ?? URL(fileURLWithPath: "/unparsable")
  }
}
