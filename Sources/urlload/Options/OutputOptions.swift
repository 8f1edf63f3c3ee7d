import ArgumentParser
import URLLoading

/// Options of what is written, and where.
struct OutputOptions: ParsableArguments {
  @Option(
    name: .shortAndLong, parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Write into this file; once for each URL. - is standard output, #1 what stands for the first set of a pattern.",
      valueName: "FILE"), completion: .file())
  var output: [String] = []

  @Flag(
    name: [.customShort("O"), .long, .customLong("remote-name-all")],
    help: "Write into a file named by the server or the URL; never over another.")
  var remoteName = false

  @Option(
    help: ArgumentHelp("The directory of the files of -o and -O.", valueName: "DIRECTORY"), completion: .directory)
  var outputDir: String?

  @Flag(help: "Make the directories of files.")
  var createDirs = false

  @Option(
    name: [.customShort("C"), .long, .customLong("continue")], parsing: .unconditional,
    help: ArgumentHelp(
      "Resume a load: - behind what FILE.part has, else behind so many bytes.", valueName: "-|OFFSET"))
  var continueAt: String?

  @Flag(help: "Keep no part of what failed.")
  var removeOnError = false

  @Flag(name: [.customShort("R"), .long], help: "Give files the time of the last change that the server tells.")
  var remoteTime = false

  @Option(help: ArgumentHelp("Refuse what is larger, such as 10M.", valueName: "BYTES"))
  var maxFilesize: String?

  @Flag(
    name: [.customShort("i"), .customLong("include"), .customLong("show-headers")],
    help: "Write the heads of responses before bodies.")
  var include = false

  @Option(
    name: [.customShort("D"), .long],
    help: ArgumentHelp("Write the heads of responses into this file; - is standard output.", valueName: "FILE"),
    completion: .file())
  var dumpHeader: String?

  @Option(
    help: ArgumentHelp("Write the entity tag of what was loaded into this file.", valueName: "FILE"),
    completion: .file())
  var etagSave: String?

  @Flag(help: "Replace no file, also with -o: write into one with a number behind its name.")
  var noClobber = false

  @Flag(name: .shortAndLong, help: "Write nothing of a status of 400 or above.")
  var fail = false

  @Flag(help: "Write the body of a status of 400 or above wherever the output goes, also into a file.")
  var failWithBody = false

  @Option(
    name: [.customShort("w"), .long], parsing: .unconditional,
    help: ArgumentHelp(
      "Write this on standard output behind each load, as curl does: '%{http_code}\\n'.", valueName: "FORMAT"))
  var writeOut: String?

  /// Checks the options and adds them to the others.
  func apply(to options: inout LoadOptions) throws(Failure) {
    options.createsDirectories = createDirs
    options.removesParts = removeOnError
    options.keepsTime = remoteTime
    if let maxFilesize {
      let size = try OptionReader.bytes(maxFilesize, of: "--max-filesize")
      options.largestSize = size > 0 ? size : nil
    }
    options.keepsFiles = noClobber
    if let etagSave {
      try EntityTagFile.check(etagSave, of: "--etag-save")
      guard options.urls.count == 1 else {
        throw Failure(.usage, "--etag-save is for one URL", advice: "load each with a file of its own")
      }
      options.entityTagFile = etagSave
    }
    options.report.includesHeads = include
    options.report.headFile = dumpHeader
    options.dropsErrorBodies = fail
    options.keepsErrorBodies = failWithBody
    if let writeOut {
      options.report.format =
        writeOut.hasPrefix("@")
        ? String(decoding: try LocalInput.content(of: String(writeOut.dropFirst())), as: UTF8.self) : writeOut
    }
    guard let continueAt else { return }
    guard !include else {
      throw Failure(.usage, "-C and -i exclude each other", advice: "write heads elsewhere with -D FILE")
    }
    guard !options.headOnly else {
      throw Failure(.usage, "-C and -I exclude each other", advice: "write the head into a file of its own, without -C")
    }
    guard options.range == nil, options.body == nil else {
      throw Failure(.usage, "-C continues a whole resource", advice: "leave out -r, -d, -F and -T")
    }
    guard !noClobber || continueAt == "-" else {
      throw Failure(
        .usage, "-C OFFSET and --no-clobber exclude each other", advice: "-C - continues what is in FILE.part")
    }
    if continueAt == "-" {
      options.continuation = .part
    } else {
      let count = Int64(try OptionReader.count(continueAt, from: 0, to: .max, of: "-C"))
      if options.outputs.allSatisfy({ $0 == .standardOutput }) {
        // What was written there is known to nobody but the user.
        if count > 0 { options.range = .from(count) }
        options.rangeOption = "-C"
      } else {
        options.continuation = .offset(count)
      }
    }
  }
}
