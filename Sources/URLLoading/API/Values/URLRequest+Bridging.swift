// `_ObjectiveCBridgeable` is named although `ReferenceConvertible` implies it: the compiler takes `object as URLRequest`
// only from a conformance that is declared.
extension URLRequest: ReferenceConvertible, _ObjectiveCBridgeable {
  /// The class that a request becomes by `as`.
  public typealias ReferenceType = NSURLRequest
  /// The class that a request becomes by `as`.
  public typealias _ObjectiveCType = NSURLRequest

  /// The request as an object, with everything that protocol classes attached to it.
  public func _bridgeToObjectiveC() -> NSURLRequest {
    NSURLRequest(self)
  }

  /// Called by the compiler for `as!`.
  public static func _forceBridgeFromObjectiveC(_ source: NSURLRequest, result: inout URLRequest?) {
    result = source.request
  }

  /// Called by the compiler for `as?`.
  public static func _conditionallyBridgeFromObjectiveC(
    _ source: NSURLRequest, result: inout URLRequest?
  ) -> Bool {
    result = source.request
    return true
  }

  /// Called by the compiler for `as`. No object gives a request without a URL.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSURLRequest?) -> URLRequest {
    source?.request ?? URLRequest(RequestValues())
  }
}
