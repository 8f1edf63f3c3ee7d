import FoundationNetworking

/// A library that nothing links by itself.
public func sessionType() -> String {
  String(reflecting: URLSession.self)
}
