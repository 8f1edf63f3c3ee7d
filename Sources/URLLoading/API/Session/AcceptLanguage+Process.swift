internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

extension AcceptLanguage {
  /// The field's value for this process; nil in the locales C and POSIX. The environment is looked at once.
  static let ofProcess = value(environment: ProcessEnvironment.value(of:))
}
