import ArgumentParser

/// Options of attempts, and of several loads.
struct TransferOptions: ParsableArguments {
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Try again after transient failures, so often at most.", valueName: "N")
  )
  var retry: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Seconds between attempts; longer and longer unless given.", valueName: "SECONDS"))
  var retryDelay: Double?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("How many URLs to load at a time, 8 unless given.", valueName: "N"))
  var parallelMax: String?

  @Flag(help: "Begin no load after the first that failed.")
  var failEarly = false

  @Flag(help: "Load in the background, after the command's end as well: see urlload jobs.")
  var background = false

  /// Checks the options and adds them to the others.
  func apply(to options: inout LoadOptions) throws(Failure) {
    if let retry { options.retries = try OptionReader.count(retry, from: 0, of: "--retry") }
    if let parallelMax { options.parallel = try OptionReader.count(parallelMax, from: 1, of: "--parallel-max") }
    options.stopsAtFailure = failEarly
    if let retryDelay {
      guard retryDelay >= 0, retryDelay <= 3600 else {
        throw Failure(.usage, "--retry-delay \(retryDelay) cannot be", advice: "give seconds from 0 to 3600")
      }
      options.retryDelay = retryDelay
    }
  }
}
