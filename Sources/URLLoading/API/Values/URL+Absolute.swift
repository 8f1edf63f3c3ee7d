extension URL {
  /// The URL without a base: as Apple's requests and responses have it. One that is absolute already is not looked into.
  var resolved: URL { baseURL == nil ? self : absoluteURL }
}
