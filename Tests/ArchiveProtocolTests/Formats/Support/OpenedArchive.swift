import Foundation
import Testing
import URLLoadingTestServers

@testable import ArchiveProtocol

/// An archive with its reader and its directory.
struct OpenedArchive {
  let source: any ByteSource
  let reader: any ArchiveReader
  let entries: [ArchiveEntry]
  /// The last entry of each name.
  let byPath: [String: ArchiveEntry]

  init(_ file: URL, options: ArchiveConfiguration = .all) throws {
    try self.init(LocalByteSource(file), name: file.lastPathComponent, options: options)
  }

  init(_ source: any ByteSource, name: String? = nil, options: ArchiveConfiguration = .all) throws {
    self.source = source
    reader = try ArchiveOpening.reader(for: source, archiveName: name, configuration: options)
    entries = try reader.readEntries()
    byPath = Dictionary(entries.map { (String(decoding: $0.path, as: UTF8.self), $0) }, uniquingKeysWith: { $1 })
  }

  /// The names of files, sorted.
  var fileNames: [String] { byPath.filter { $0.value.kind == .file }.keys.sorted() }

  @discardableResult
  func read(_ path: String, from offset: Int64 = 0, source: (any ByteSource)? = nil) throws -> Data {
    try read(try #require(byPath[path], "no member \(path)"), from: offset, source: source)
  }

  @discardableResult
  func read(_ entry: ArchiveEntry, from offset: Int64 = 0, source: (any ByteSource)? = nil) throws -> Data {
    let body = try reader.open(entry, from: offset, source: source ?? self.source, password: nil)
    return try Self.drain(body)
  }

  /// All of a body. Buffers of a length that fits to nothing show mistakes at borders.
  static func drain(_ body: any MemberBody, limit: Int = .max) throws -> Data {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_521, alignment: 1)
    defer { buffer.deallocate() }
    var data = Data()
    while true {
      let count = try body.read(into: buffer)
      if count == 0 { return data }
      data.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      if data.count > limit { throw ArchiveError.damaged("more than \(limit) bytes") }
    }
  }

  /// Compares the members' bytes with those of the files that they were made of, whole and from an offset.
  func expect(_ files: [String: Data], sourceLocation: SourceLocation = #_sourceLocation) throws {
    for (name, data) in files.sorted(by: { $0.key < $1.key }) {
      let read = try self.read(name)
      #expect(
        TestFiles.firstDifference(read, data) == nil, "\(name): \(read.count) bytes", sourceLocation: sourceLocation)
      let offset = data.count / 3
      #expect(
        try TestFiles.firstDifference(self.read(name, from: Int64(offset)), data.dropFirst(offset)) == nil,
        "\(name) from \(offset)",
        sourceLocation: sourceLocation)
      #expect(
        try self.read(name, from: Int64(data.count)).isEmpty, "\(name) from its end", sourceLocation: sourceLocation)
    }
  }
}

extension ArchiveConfiguration {
  /// Every format.
  static var all: ArchiveConfiguration {
    var options = ArchiveConfiguration()
    options.optionalFormats = Set(OptionalFormat.allCases)
    return options
  }
}
