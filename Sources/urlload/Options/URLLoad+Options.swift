import URLLoading

extension URLLoad {
  /// The options, checked. A missing password is asked for last.
  func options() throws(Failure) -> LoadOptions {
    var options = LoadOptions()
    let members = try source.members(urls)
    for member in members.joined() { options.urls.append(try OptionReader.url(member.text)) }
    let plan = try OutputPlan(
      urls: members, files: output.output, usesSuggestedNames: output.remoteName, directory: output.outputDir)
    options.outputs = plan.targets
    try connection.apply(to: &options)
    try request.apply(to: &options)
    try output.apply(to: &options)
    try transfer.apply(to: &options)
    if plan.needsOrder { options.parallel = 1 }
    report.apply(to: &options)
    try options.askPassword()
    return options
  }
}
