import ArgumentParser

/// Options of what is shown.
struct ReportOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Show requests, responses, connections and timings on standard error.")
  var verbose = false

  @Flag(help: "Show secrets with -v, too.")
  var showSecrets = false

  @Flag(name: .shortAndLong, help: "Show no progress and no errors.")
  var silent = false

  @Flag(name: [.customShort("S"), .long], help: "Show errors nonetheless.")
  var showError = false

  @Flag(help: "Show no progress.")
  var noProgressMeter = false

  /// Adds the options to the others.
  func apply(to options: inout LoadOptions) {
    options.report.isVerbose = verbose
    options.report.showsSecrets = showSecrets
    options.report.isSilent = silent
    options.report.showsErrors = showError
    options.report.showsProgress = !noProgressMeter
  }
}
