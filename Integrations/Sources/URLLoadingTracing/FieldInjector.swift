import Tracing

/// Puts what an instrument says of a context into header fields.
struct FieldInjector: Injector {
  func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }
}
