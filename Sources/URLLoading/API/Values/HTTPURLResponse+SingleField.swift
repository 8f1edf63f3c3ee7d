internal import URLLoadingHTTPSemantics

extension HTTPURLResponse {
  /// The value of a field of which there may be one; nil where there is none, and where several differ.
  package func agreedValue(of name: String) -> String? { fields.single(name).agreed }

  /// The first value of a field of which there may be one.
  package func firstValue(of name: String) -> String? { fields.single(name).first }
}
