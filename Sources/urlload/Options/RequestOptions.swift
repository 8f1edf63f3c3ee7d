import ArgumentParser
import URLLoading

/// Options of what is asked for and sent.
struct RequestOptions: ParsableArguments {
  @Option(
    name: [.customShort("X"), .customLong("request")], parsing: .unconditional,
    help: ArgumentHelp("The method; those of HTTP are put in upper case.", valueName: "METHOD"))
  var method: String?

  @Option(
    name: [.short, .long, .customLong("data-ascii")], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Send this (POST); @FILE sends a file's content without line ends, @- standard input.", valueName: "DATA|@FILE"))
  var data: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("The same, a file's content as it is.", valueName: "DATA|@FILE"))
  var dataBinary: [String] = []

  @Option(parsing: .unconditionalSingleValue, help: ArgumentHelp("The same, @ having no meaning.", valueName: "DATA"))
  var dataRaw: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("The same, percent-encoded: CONTENT, NAME=CONTENT or NAME@FILE.", valueName: "DATA"))
  var dataUrlencode: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Send this as JSON (POST), and ask for JSON.", valueName: "DATA|@FILE"))
  var json: [String] = []

  /// What all of these come to after ``ArgumentExpander``, in their order.
  @Option(name: .customLong(DataPart.option), parsing: .unconditionalSingleValue, help: .hidden)
  var parts: [String] = []

  @Option(
    name: [.customShort("F"), .long], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A field of a form in parts (POST); @FILE sends a file, <FILE its content as text; ;type=TYPE and ;filename=NAME may follow.",
      valueName: "NAME=CONTENT"))
  var form: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("The same, @ and < having no meaning.", valueName: "NAME=TEXT"))
  var formString: [String] = []

  @Flag(name: [.customShort("G"), .long], help: "Put the data of -d into the URL's query.")
  var get = false

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Put this into the URL's query, percent-encoded as by --data-urlencode; behind a + as it is.", valueName: "DATA"))
  var urlQuery: [String] = []

  @Option(
    name: [.customShort("T"), .long], parsing: .unconditional,
    help: ArgumentHelp("Upload this file or pipe (PUT); - is standard input.", valueName: "FILE"), completion: .file())
  var uploadFile: String?

  @Option(
    name: .shortAndLong, parsing: .unconditional,
    help: ArgumentHelp("Load only these bytes: 0-99, 100- or -100.", valueName: "RANGE"))
  var range: String?

  @Option(
    name: [.customShort("z"), .long], parsing: .unconditional,
    help: ArgumentHelp(
      "Load only what was changed after this date, or after this file; with a - in front only what was not.",
      valueName: "DATE|FILE"), completion: .file())
  var timeCond: String?

  @Option(
    help: ArgumentHelp("Load only what has another entity tag than this file, of --etag-save.", valueName: "FILE"),
    completion: .file())
  var etagCompare: String?

  @Flag(name: [.customShort("I"), .long], help: "Write what is known about the resource, not the resource.")
  var head = false

  @Option(
    name: [.customShort("e"), .long], parsing: .unconditional,
    help: ArgumentHelp(
      "What the Referer field says; with ;auto behind it, or alone, redirects name the URL before them.",
      valueName: "URL"))
  var referer: String?

  @Flag(help: "Do not follow redirects: write what they say themselves.")
  var noLocation = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Follow so many redirects at most, 50 unless given; -1 for any number.", valueName: "N"))
  var maxRedirs: String?

  /// Checks the options and adds them to the others.
  func apply(to options: inout LoadOptions) throws(Failure) {
    if let method { try apply(method: method, to: &options) }
    if let range { options.range = try OptionReader.range(range) }
    options.headOnly = head
    if let referer {
      let mark = referer.firstRange(of: ";auto")
      options.refersToRedirects = mark != nil
      let start = referer[..<(mark?.lowerBound ?? referer.endIndex)]
      if mark == nil || !start.isEmpty {
        options.headers.insert(try OptionReader.header("Referer: \(start)"), at: 0)
      }
    }
    try applyConditions(to: &options)
    options.followsRedirects = !noLocation
    options.network.maximumRedirects = 50
    if let maxRedirs {
      let count = try OptionReader.count(maxRedirs, from: -1, to: 1_000_000, of: "--max-redirs")
      options.network.maximumRedirects = count < 0 ? .max : count
    }
    let parts = parts.compactMap(DataPart.init)
    if get {
      guard form.isEmpty, formString.isEmpty, uploadFile == nil else {
        throw Failure(
          .usage, "-G and \(uploadFile == nil ? "-F" : "-T") exclude each other",
          advice: "-G puts the data of -d into the URL, and sends nothing")
      }
      let query = try DataPart.body(parts)
      options.urls = options.urls.map { QueryData.adding(query, to: $0) }
    } else {
      options.body = try body(parts, urls: options.urls.count)
    }
    let query = try DataPart.body(urlQuery.map(QueryData.part))
    options.urls = options.urls.map { QueryData.adding(query, to: $0) }
    if parts.contains(where: { $0.kind == .json }) { options.addDefaultHeaders(ofJSON: !get) }
  }

  /// A request has standard methods in upper case alone, as Apple's does: to a server `get` would be another method (RFC 9110, section 9.1).
  private func apply(method: String, to options: inout LoadOptions) throws(Failure) {
    let method = try OptionReader.method(method)
    var request = URLRequest(url: URL(fileURLWithPath: "/"))
    request.httpMethod = method
    let sent = request.httpMethod ?? method
    options.method = sent
    if sent != method { options.notes.append("sends \(sent) for -X \(method): standard methods are in upper case") }
  }

  /// Fields of -H go before those of conditions.
  private func applyConditions(to options: inout LoadOptions) throws(Failure) {
    if let etagCompare {
      try EntityTagFile.check(etagCompare, of: "--etag-compare")
      guard options.urls.count == 1 else {
        throw Failure(.usage, "--etag-compare is for one URL", advice: "load each with a file of its own")
      }
      // Without a tag there is nothing that could be unchanged.
      if let tag = try EntityTagFile.read(etagCompare) {
        options.headers.insert(try OptionReader.header("If-None-Match: \(tag)"), at: 0)
      }
    }
    guard let timeCond else { return }
    let condition = try TimeCondition(timeCond)
    guard let header = condition.header else {
      options.notes.append("loads in any case: -z \(SafeText.escaped(timeCond)) is no date, and no file that is there")
      return
    }
    options.headers.insert(header, at: 0)
    options.timeCondition = condition
    if let other = options.urls.first(where: { !$0.speaksHTTP }) {
      options.notes.append("loads in any case, \(SafeText.url(other)): -z is for http and https alone")
    }
  }

  private func body(_ parts: [DataPart], urls: Int) throws(Failure) -> LoadOptions.Body? {
    let given = [(!parts.isEmpty, "-d"), (!form.isEmpty || !formString.isEmpty, "-F"), (uploadFile != nil, "-T")]
      .filter(\.0).map(\.1)
    guard given.count <= 1 else {
      throw Failure(
        .usage, "\(given[0]) and \(given[1]) exclude each other", advice: "send a file, a form in parts, or data")
    }
    if let uploadFile {
      guard urls == 1 else { throw Failure(.usage, "-T uploads to one URL", advice: "give one URL") }
      return try OptionReader.upload(uploadFile)
    }
    guard form.isEmpty, formString.isEmpty else {
      var body = MultipartFormData()
      for text in form { try FormPart(text).append(to: &body) }
      for text in formString { try FormPart(text, isLiteral: true).append(to: &body) }
      return .form(body)
    }
    return parts.isEmpty ? nil : .data(try DataPart.body(parts))
  }
}

extension LoadOptions {
  /// What `--json` stands for, where no field of that name was given.
  fileprivate mutating func addDefaultHeaders(ofJSON hasBody: Bool) {
    func lacks(_ name: String) -> Bool { !headers.contains { $0.name.lowercased() == name } }
    let type = "application/json"
    if hasBody, lacks("content-type") { headers.append(Header(name: "Content-Type", value: type)) }
    if lacks("accept") { headers.append(Header(name: "Accept", value: type)) }
  }
}
