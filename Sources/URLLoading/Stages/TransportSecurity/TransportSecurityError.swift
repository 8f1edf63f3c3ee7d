/// What is wrong with a dictionary of App Transport Security.
struct TransportSecurityError: Error, Equatable {
  /// The way to what is wrong: the keys from the top, with dots between.
  let path: String
  /// What is wrong, as the end of a sentence that begins with the path.
  let problem: String
  /// What would be right, as the end of a sentence.
  let remedy: String

  /// What loads fail with.
  func error(for url: URL?) -> URLError {
    URLError(
      .appTransportSecurityRequiresSecureConnection,
      message: "App Transport Security is not as it has to be. \(path): \(problem); right would be \(remedy).",
      url: url)
  }
}
