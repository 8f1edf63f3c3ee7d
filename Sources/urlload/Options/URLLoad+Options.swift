import URLLoading

extension URLLoad {
  /// The options, checked. A missing password is asked for last.
  func options() throws(Failure) -> LoadOptions {
    var options = LoadOptions()
    for text in urls { options.urls.append(try OptionReader.url(text)) }
    options.outputs = try OutputPlan(urls: urls.count, files: output, usesSuggestedNames: remoteName).targets
    if let method { options.method = try OptionReader.method(method) }
    options.body = try body()
    if let range { options.range = try OptionReader.range(range) }
    options.headOnly = head
    options.verbose = verbose
    options.retries = try count(retry, from: 0, of: "--retry")
    options.parallel = try count(parallel, from: 1, of: "--parallel")
    try connection.apply(to: &options)
    try options.askPassword()
    return options
  }

  private func body() throws(Failure) -> LoadOptions.Body? {
    if let uploadFile {
      guard data.isEmpty else {
        throw Failure(.usage, "-T and -d exclude each other", advice: "send either a file or data")
      }
      guard urls.count == 1 else {
        throw Failure(.usage, "-T uploads to one URL", advice: "give one URL")
      }
      return try OptionReader.upload(uploadFile)
    }
    return data.isEmpty ? nil : .data(try OptionReader.data(data))
  }

  private func count(_ value: Int, from minimum: Int, of option: String) throws(Failure) -> Int {
    guard (minimum...1000).contains(value) else {
      throw Failure(.usage, "\(option) \(value) cannot be", advice: "give a number from \(minimum) to 1000")
    }
    return value
  }
}
