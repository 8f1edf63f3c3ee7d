import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct UploadReaderTests {
  private func readAll(_ body: URLUploadBody, _ limit: Int = 7) throws -> Data {
    let reader = UploadReader(body)
    var all = Data()
    while true {
      let piece = try reader.read(limit)
      #expect(piece.count <= limit)
      if piece.isEmpty { return all }
      all.append(contentsOf: piece)
    }
  }

  private let text = Data("the quick brown fox jumps".utf8)

  @Test func everyKind() throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("body", text)
    #expect(try readAll(.data(text)) == text)
    #expect(try readAll(.file(file, length: Int64(text.count))) == text)
    #expect(try readAll(.stream(InputStream(data: text), length: nil)) == text)
    #expect(try readAll(.file(try folder.write("empty", Data()), length: 0)).isEmpty)
  }

  @Test func aFileThatGrewFails() throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("body", text)
    #expect { try readAll(.file(file, length: 10)) } throws: { $0.localizedDescription.contains("changed") }
  }

  /// The last piece is withheld: a server that counts never takes the parts of two versions for a whole.
  @Test(arguments: [1, 7, 100]) func aFileThatChangesInPlaceFails(limit: Int) throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("body", text)
    let reader = UploadReader(.file(file, length: Int64(text.count)))
    var pieces = 0
    #expect {
      while true {
        // Behind the opening, and before the end.
        if pieces == 0 {
          let handle = try FileHandle(forWritingTo: file)
          try handle.write(contentsOf: Data("THE".utf8))
          try handle.close()
          var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
          utimensat(AT_FDCWD, file.path, &times, 0)
        }
        let piece = try reader.read(limit)
        pieces += piece.count
        if piece.isEmpty { break }
      }
    } throws: { $0.localizedDescription.contains("changed while it was sent") }
    #expect(pieces < text.count)
  }

  @Test func aFileThatShrankFails() throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("body", text)
    #expect {
      try readAll(.file(file, length: 1000))
    } throws: { error in
      (error as? URLError)?.localizedDescription.contains(file.path) == true
    }
  }

  @Test func whatCannotBeReadFails() throws {
    let folder = try TemporaryDirectory()
    #expect(throws: URLError.self) { try readAll(.file(folder.file("missing"), length: 3)) }
    #expect(throws: (any Error).self) { try readAll(.file(folder.url, length: 3)) }
    let stream = try #require(InputStream(fileAtPath: folder.file("missing").path))
    #expect(throws: (any Error).self) { try readAll(.stream(stream, length: nil)) }
  }
}
