/// A type whose name and module are those of one in the library.
public struct PackageVersion {
  /// A number that the library's type does not have.
  public static var current: Int { 44 }

  /// Nothing.
  public init() {}
}
