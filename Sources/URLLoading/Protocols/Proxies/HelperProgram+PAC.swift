internal import URLLoadingBase

extension HelperProgram {
  /// The program that runs proxy scripts.
  static let pac = HelperProgram(name: "urlload-pac", variable: "URL_LOADING_PAC_HELPER")
}
