/// A property of a session's configuration where it is declared: its value, its default, and, by its type, its reach.
///
/// Tests compare the reach with what the transfer service is told, and with the article WithoutEffect. It has the layout of its value.
@propertyWrapper
struct SessionProperty<Value, Reach: SessionReach> {
  var wrappedValue: Value
}

extension SessionProperty: Sendable where Value: Sendable {}

extension URLSessionConfiguration {
  typealias Sent<Value> = SessionProperty<Value, SessionReaches.Sent>
  typealias Queued<Value> = SessionProperty<Value, SessionReaches.Queued>
  typealias OnlyQueued<Value> = SessionProperty<Value, SessionReaches.OnlyQueued>
  typealias InRequests<Value> = SessionProperty<Value, SessionReaches.InRequests>
  typealias Local<Value> = SessionProperty<Value, SessionReaches.Local>
  typealias WithoutEffect<Value> = SessionProperty<Value, SessionReaches.WithoutEffect>
}
