import Foundation
import Testing
import URLLoadingTestServers

@testable import ArchiveProtocol

/// Archives that real tools make, compared with what they were made of.
struct ZipToolTests {
  /// What the recipes find in variables.
  static var preamble: String {
    get throws { "PYTHON='\(try PackageFolder.python)'\nWRITER='\(writer.replacing("'", with: "'\\''"))'\n" }
  }

  private static let writer = """
    import os, sys, zipfile
    z = zipfile.ZipFile(sys.argv[1], 'w', getattr(zipfile, sys.argv[2]))
    for folder, _, files in os.walk('.'):
      for f in files: z.write(os.path.join(folder, f))
    z.comment = b'a comment with PK\\x05\\x06 in it'
    z.close()
    """

  /// How each archive is made, and the password.
  static let recipes: [(name: String, script: String, password: String?)] = [
    ("zip-deflate", "zip -qr $1 .", nil),
    ("zip-store", "zip -qr0 $1 .", nil),
    ("zip-bzip2", "zip -qr -Z bzip2 $1 .", nil),
    ("zip-zip64", "zip -qr -fz $1 .", nil),
    ("zip-stream", "zip -qr - . | cat >$1", nil),
    ("zip-stream-store", "zip -qr0 - . | cat >$1", nil),
    ("zip-encrypted", "zip -qr -P secret $1 .", "secret"),
    ("zip-encrypted-store", "zip -qr0 -P secret $1 .", "secret"),
    ("zip-encrypted-stream", "zip -qr -P secret - . | cat >$1", "secret"),
    ("zip-selfextracting", "zip -qr $1.zip .; { echo '#!/bin/sh'; cat $1.zip; } >$1", nil),
    ("zip-adjusted", "zip -qr $1.zip .; { echo '#!/bin/sh'; cat $1.zip; } >$1; zip -qA $1", nil),
    ("zip-updated", "zip -qr $1 .; zip -q $1 text.txt; zip -qd $1 one; zip -q $1 one", nil),
    ("7z-deflate", "7z a -tzip $1 . >/dev/null", nil),
    ("7z-store", "7z a -tzip -mx0 $1 . >/dev/null", nil),
    ("7z-bzip2", "7z a -tzip -mm=BZip2 $1 . >/dev/null", nil),
    ("7z-lzma", "7z a -tzip -mm=LZMA $1 . >/dev/null", nil),
    ("7z-ppmd", "7z a -tzip -mm=PPMd $1 . >/dev/null", nil),
    ("7z-xz", "7z a -tzip -mm=XZ $1 . >/dev/null", nil),
    ("7z-zipcrypto", "7z a -tzip -psecret -mem=ZipCrypto $1 . >/dev/null", "secret"),
    ("7z-aes128", "7z a -tzip -psecret -mem=AES128 $1 . >/dev/null", "secret"),
    ("7z-aes256", "7z a -tzip -psecret -mem=AES256 $1 . >/dev/null", "secret"),
    ("7z-aes256-store", "7z a -tzip -mx0 -psecret -mem=AES256 $1 . >/dev/null", "secret"),
    ("python-deflate", "$PYTHON -c \"$WRITER\" $1 ZIP_DEFLATED", nil),
    ("python-store", "$PYTHON -c \"$WRITER\" $1 ZIP_STORED", nil),
    ("python-bzip2", "$PYTHON -c \"$WRITER\" $1 ZIP_BZIP2", nil),
    ("python-lzma", "$PYTHON -c \"$WRITER\" $1 ZIP_LZMA", nil),
    ("bsdtar-deflate", "LC_ALL=C.UTF-8 bsdtar -cf $1 --format zip *", nil),
    ("bsdtar-store", "LC_ALL=C.UTF-8 bsdtar -cf $1 --format zip --options zip:compression=store *", nil),
    ("bsdtar-stream", "LC_ALL=C.UTF-8 bsdtar -cf - --format zip * | cat >$1", nil),
    (
      "bsdtar-aes256",
      "LC_ALL=C.UTF-8 bsdtar -cf $1 --format zip --options zip:encryption=aes256 --passphrase secret *", "secret"
    ),
    (
      "bsdtar-zipcrypt",
      "LC_ALL=C.UTF-8 bsdtar -cf $1 --format zip --options zip:encryption=zipcrypt --passphrase secret *", "secret"
    ),
  ]

  static func make(_ script: String, of tree: SourceTree, in place: TemporaryDirectory) async throws -> URL {
    try await tree.archive("x.zip", try preamble + script, in: place)
  }

  @Test(arguments: recipes) func readsAllMembers(name: String, script: String, password: String?) async throws {
    let tree = try SourceTree()
    let place = try TemporaryDirectory("zip")
    let source = try FileByteSource(try await Self.make(script, of: tree, in: place))
    let reader = ZipReader(source: source)
    let entries = try reader.readEntries()
    let files = entries.filter { $0.kind == .file }
    #expect(Set(files.map(\.name)) == Set(tree.files.keys))
    #expect(files.count == tree.files.count)
    for entry in files {
      let content = try #require(tree.files[entry.name])
      #expect(entry.size == Int64(content.count))
      #expect(abs((entry.modificationDate ?? .distantPast).timeIntervalSinceNow) < 15 * 3_600)
      #expect(
        try TestFiles.firstDifference(reader.bytes(of: entry, source: source, password: password), content) == nil,
        "\(entry.name)")
      for offset in [1, content.count / 2, content.count - 1, content.count, content.count + 1] where offset > 0 {
        let part = try reader.bytes(of: entry, from: Int64(offset), source: source, password: password, by: 70_001)
        #expect(
          TestFiles.firstDifference(part, Array(content.dropFirst(offset))) == nil, "\(entry.name) from \(offset)")
      }
      guard entry.isEncrypted else { continue }
      #expect(throws: ArchiveError.passwordRequired) { try reader.bytes(of: entry, source: source) }
      try expectWrongPassword(of: entry, reader, source)
    }
    #expect(files.contains { $0.isEncrypted } == (password != nil))
  }

  /// Most wrong passwords are known at once; some only by what they lead to.
  private func expectWrongPassword(of entry: ArchiveEntry, _ reader: ZipReader, _ source: any ByteSource) throws {
    var known = 0
    for password in ["wrong", "Secret", "secret ", "x", "1", "2", "3", "4"] {
      do {
        let bytes = try reader.bytes(of: entry, source: source, password: password)
        // Traditional encryption checks one byte of the password, and an empty member has nothing else to check.
        if !bytes.isEmpty || entry.size != 0 { Issue.record("'\(password)' opens \(entry.name)") }
      } catch ArchiveError.wrongPassword {
        known += 1
      } catch ArchiveError.damaged(let what) {
        #expect(what.contains("password is wrong"))
      }
    }
    #expect(known >= 6)
  }

  @Test func saysWhatItCannotUnpack() async throws {
    let tree = try SourceTree()
    let place = try TemporaryDirectory("zip")
    for (options, what) in [
      ("-mm=Deflate64", "zip's packing method Deflate64"),
      ("-mm=LZMA -psecret -mem=AES256", "LZMA under AES in a zip archive"),
    ] {
      let file = try await Self.make("rm -f $1; 7z a -tzip \(options) $1 text.txt >/dev/null", of: tree, in: place)
      let source = try FileByteSource(file)
      let reader = ZipReader(source: source)
      let entry = try #require(try reader.readEntries().first)
      #expect(throws: ArchiveError.unsupported(what)) {
        try reader.bytes(of: entry, source: source, password: "secret")
      }
    }
  }

  /// Packed streams of other tools inside a zip: no Debian tool writes such archives.
  @Test(arguments: [("--zstd", 93 as UInt16), ("--xz", 95)]) func readsOtherMethods(option: String, method: UInt16)
    async throws
  {
    let tree = try SourceTree()
    let place = try TemporaryDirectory("zip")
    for name in ["text.txt", "dir/sub/pattern.bin", "dir/zeros"] {
      let file = try await tree.archive("x", "bsdtar -cf $1 --format raw \(option) '\(name)'", in: place)
      let content = try #require(tree.files[name])
      var member = ZipSample.Member(name)
      member.method = method
      member.content = Array(try Data(contentsOf: file))
      member.size = UInt32(content.count)
      member.checksum = ZipSample.checksum(content)
      let source = MemoryByteSource(ZipSample([member]).bytes())
      let reader = ZipReader(source: source)
      let entry = try #require(try reader.readEntries().first)
      #expect(try TestFiles.firstDifference(reader.bytes(of: entry, source: source), content) == nil)
      var liar = entry
      liar.checksum = entry.checksum.map { $0 ^ 1 }
      #expect(throws: ArchiveError.self) { try reader.bytes(of: liar, source: source) }
    }
  }

  @Test func readsLinks() async throws {
    let tree = try SourceTree()
    let place = try TemporaryDirectory("zip")
    for script in [
      "ln -s dir/sub/../zeros link; zip -qry $1 .", "LC_ALL=C.UTF-8 bsdtar -cf $1 --format zip *",
      "7z a -tzip -snl $1 . >/dev/null", "zip -qry -P secret $1 .",
    ] {
      let source = try FileByteSource(try await Self.make("rm -f $1\n" + script, of: tree, in: place))
      let reader = ZipReader(source: source)
      let entry = try #require(try reader.readEntries().first { $0.name == "link" })
      #expect(entry.kind == .symbolicLink(target: []))
      let target = try reader.readLinkTarget(of: entry, source: source, password: Array("secret".utf8))
      #expect(target == Array("dir/sub/../zeros".utf8), "\(script)")
    }
    var long = ZipSample.Member("link")
    long.content = [UInt8](repeating: 97, count: 5_000)
    let source = MemoryByteSource(ZipSample([long]).bytes())
    let reader = ZipReader(source: source)
    let entry = try #require(try reader.readEntries().first)
    #expect(throws: ArchiveError.damaged("a symbolic link with a target of 5000 bytes")) {
      try reader.readLinkTarget(of: entry, source: source, password: nil)
    }
  }

  @Test func findsDirectoriesAndDates() async throws {
    let tree = try SourceTree()
    let place = try TemporaryDirectory("zip")
    let script = "TZ=America/New_York touch -d '2001-02-03 04:05:06 UTC' text.txt; TZ=America/New_York "
    for tool in ["zip -qr $1 .", "7z a -tzip $1 . >/dev/null", "bsdtar -cf $1 --format zip *"] {
      let source = try FileByteSource(try await Self.make("rm -f $1\n" + script + tool, of: tree, in: place))
      let entries = try ZipReader(source: source).readEntries()
      let text = try #require(entries.first { $0.name == "text.txt" })
      #expect(text.modificationDate == Date(timeIntervalSince1970: 981_173_106), "\(tool)")
      #expect(entries.first { $0.name == "hollow" }?.kind == .directory)
    }
  }

  /// Every flipped bit of a packed member is noticed, and no byte is given as the last one before.
  @Test(arguments: [
    "zip -q $1 text.txt", "zip -q0 $1 text.txt", "7z a -tzip -mm=LZMA $1 text.txt >/dev/null",
    "zip -q -Z bzip2 $1 text.txt", "7z a -tzip -mm=PPMd $1 text.txt >/dev/null",
    "7z a -tzip -psecret -mem=AES256 $1 text.txt >/dev/null",
  ])
  func noticesDamage(script: String) async throws {
    let tree = try SourceTree()
    let place = try TemporaryDirectory("zip")
    let bytes = Array(try Data(contentsOf: try await Self.make(script, of: tree, in: place)))
    let original = try #require(tree.files["text.txt"])
    let sound = MemoryByteSource(bytes)
    let entry = try #require(try ZipReader(source: sound).readEntries().first)
    guard case .zip(let position, let size, _, _) = entry.location else { return }
    for step in 0..<64 {
      var damaged = bytes
      damaged[Int(position) + 38 + Int(size - 1) * step / 63] ^= 1 << UInt8(step % 8)
      let source = MemoryByteSource(damaged)
      let reader = ZipReader(source: source)
      do {
        let body = try reader.open(entry, from: 0, source: source, password: Array("secret".utf8))
        // Some bits of a packed stream, such as padding, mean nothing.
        #expect(try TestFiles.firstDifference(body.readAll(), original) == nil)
      } catch is ArchiveError {}
      // An error stays one.
      guard let body = try? reader.open(entry, from: 0, source: source, password: Array("secret".utf8)) else {
        continue
      }
      if (try? body.readAll()) == nil { #expect(throws: ArchiveError.self) { try body.readAll() } }
    }
  }

  @Test func aZipOfAPipeHasItsContent() async throws {
    let place = try TemporaryDirectory("zip")
    for (command, content) in [("echo dump", "dump\n"), ("true", "")] {
      let file = place.file("\(content.count).zip")
      try await Command.check("/bin/sh", ["-c", "\(command) | zip -q > \(file.path)"], directory: place.url)
      let source = MemoryByteSource(try Data(contentsOf: file))
      let reader = ZipReader(source: source)
      let entry = try #require(try reader.readEntries().first)
      #expect(entry.name == "-" && entry.kind == .file)
      #expect(try reader.bytes(of: entry, source: source) == Array(content.utf8))
    }
  }

  @Test func stopsWhenCancelledInside() async throws {
    let tree = try SourceTree()
    let place = try TemporaryDirectory("zip")
    let file = try await Self.make("7z a -tzip $1 dir/sub/pattern.bin text.txt >/dev/null", of: tree, in: place)
    let bytes = try Data(contentsOf: file)
    let index = MemoryByteSource(bytes)
    let entries = try ZipReader(source: index).readEntries()
    let entry = try #require(entries.first { $0.size == 400_000 })
    let source = MemoryByteSource(bytes)
    let body = try ZipReader(source: index).open(entry, from: 0, source: source, password: nil)
    var buffer = [UInt8](repeating: 0, count: 10)
    #expect(try buffer.withUnsafeMutableBytes { try body.read(into: $0) } == 10)
    source.cancel()
    #expect(throws: ArchiveError.cancelled) { try body.readAll() }
  }
}
