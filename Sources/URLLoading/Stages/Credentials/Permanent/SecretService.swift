/// The Secret Service of the user's session (freedesktop.org's Secret Service API), as libsecret speaks to it. All calls block.
// Safe to share: GLib's functions may be called on any thread, and the objects here do not change.
struct SecretService: @unchecked Sendable {
  /// An item that the service keeps: what it is found by, which is no secret, and the secret.
  struct Item: Sendable {
    var attributes: [String: String]
    var secret: String
  }

  /// Ends a call that takes too long.
  // Safe to share: GLib's cancellables are.
  final class Cancellation: @unchecked Sendable {
    fileprivate let object: SecretLibrary.Object?
    private let library: SecretLibrary

    init(_ library: SecretLibrary) {
      self.library = library
      object = library.newCancellation()
    }

    deinit { if let object { library.releaseObject(object) } }

    func cancel() { library.cancel(object) }
  }

  let library: SecretLibrary
  private let names: [String]
  private let schema: SecretLibrary.Object

  /// Connects to the session's bus.
  /// - Parameters:
  ///   - schema: the name of a kind of items.
  ///   - names: of their attributes.
  init(
    _ library: SecretLibrary, schema: String, names: [String], _ cancellation: Cancellation
  ) throws(CredentialVaultFailure) {
    self.library = library
    self.names = names
    var error: SecretLibrary.Object?
    // 2: the session's bus. Held for good: it is the process's one connection.
    guard let bus = library.sessionBus(2, cancellation.object, &error) else {
      throw .unavailable("the session bus cannot be reached: \(Self.take(error, library))")
    }
    // GLib would end the process when the bus goes.
    library.setExitOnClose(bus, 0)
    // Of attributes and their types; 0 is the one of strings.
    let types = Self.table(names.map { ($0, nil) }, library)
    defer { library.releaseTable(types) }
    guard let made = library.newSchema(schema, 0, types) else { throw .unavailable("libsecret made no schema") }
    self.schema = made
  }

  /// Keeps a secret, in the place of one with the same attributes.
  func store(_ item: Item, label: String, _ cancellation: Cancellation) throws(CredentialVaultFailure) {
    let table = Self.table(item.attributes.map { ($0.key, $0.value) }, library)
    defer { library.releaseTable(table) }
    var error: SecretLibrary.Object?
    guard library.store(schema, table, "default", label, item.secret, cancellation.object, &error) != 0 else {
      throw .refused(Self.take(error, library))
    }
  }

  /// Forgets all that has these attributes.
  func clear(_ attributes: [String: String], _ cancellation: Cancellation) throws(CredentialVaultFailure) {
    let table = Self.table(attributes.map { ($0.key, $0.value) }, library)
    defer { library.releaseTable(table) }
    var error: SecretLibrary.Object?
    // It says false, too, where there was nothing.
    if library.clear(schema, table, cancellation.object, &error) == 0, error != nil {
      throw .refused(Self.take(error, library))
    }
  }

  /// What has these attributes, and is not locked: nobody is asked to unlock something.
  func search(_ attributes: [String: String], _ cancellation: Cancellation) throws(CredentialVaultFailure) -> [Item] {
    let table = Self.table(attributes.map { ($0.key, $0.value) }, library)
    defer { library.releaseTable(table) }
    var error: SecretLibrary.Object?
    // SECRET_SEARCH_ALL and SECRET_SEARCH_LOAD_SECRETS.
    let list = library.search(schema, table, 1 << 1 | 1 << 3, cancellation.object, &error)
    if let error { throw .refused(Self.take(error, library)) }
    defer { library.freeList(list, library.releaseObjectPointer) }
    var items: [Item] = []
    // A GList: the element, the next one, the one before.
    var node = list
    while let current = node {
      let pointers = current.assumingMemoryBound(to: SecretLibrary.Object?.self)
      if let found = pointers[0], let item = item(found, cancellation) { items.append(item) }
      node = pointers[1]
    }
    return items
  }

  private func item(_ found: SecretLibrary.Object, _ cancellation: Cancellation) -> Item? {
    var error: SecretLibrary.Object?
    guard let value = library.secret(found, cancellation.object, &error) else {
      if let error { library.freeError(error) }
      return nil
    }
    defer { library.releaseSecret(value) }
    guard let text = library.text(value), let table = library.attributes(found) else { return nil }
    defer { library.releaseTable(table) }
    var attributes: [String: String] = [:]
    for name in names {
      if let text = library.lookUp(table, name) {
        attributes[name] = String(cString: text.assumingMemoryBound(to: CChar.self))
      }
    }
    return Item(attributes: attributes, secret: String(cString: text))
  }

  /// A table of texts, which it owns.
  private static func table(_ pairs: [(String, String?)], _ library: SecretLibrary) -> SecretLibrary.Object? {
    let hasValues = pairs.contains { $0.1 != nil }
    let table = library.newTable(
      library.hashText, library.equalTexts, library.freeText, hasValues ? library.freeText : nil)
    for (name, value) in pairs {
      _ = library.insert(table, library.copyText(name), value.flatMap { library.copyText($0) })
    }
    return table
  }

  /// The words of a GError, which is freed: a number, another, a text.
  private static func take(_ error: SecretLibrary.Object?, _ library: SecretLibrary) -> String {
    guard let error else { return "it does not say why" }
    defer { library.freeError(error) }
    let text = error.load(fromByteOffset: 8, as: UnsafePointer<CChar>?.self)
    return text.map { String(cString: $0) } ?? "it does not say why"
  }
}
