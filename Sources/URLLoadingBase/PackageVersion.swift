/// The version of this package. Nothing else says it: `Scripts/install-drop-in` reads it here, for the name of its folder.
package enum PackageVersion {
  package static let current = "0.1.0"
}
