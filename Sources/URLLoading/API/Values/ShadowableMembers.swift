/// Gives classes members that their subclasses, and extensions of these, may declare for themselves.
///
/// What a class declares, a subclass can only override. Code that is written for FoundationNetworking may declare in a subclass whatever that
/// library's class does not have; so what is not Apple's either is declared in extensions of this protocol.
public protocol ShadowableMembers {}

extension ShadowableMembers {
  /// What the function makes; nil where that is nothing, or an instance of another class.
  init?(made: () -> Any?) {
    guard let instance = made() as? Self else { return nil }
    self = instance
  }
}
