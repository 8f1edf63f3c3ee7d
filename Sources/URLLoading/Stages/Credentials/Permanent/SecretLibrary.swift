import Glibc
internal import URLLoadingBase

/// libsecret and what it needs of GLib, opened at run time, so that no program links them.
// Safe to share: pointers to functions, and objects that are made once and never freed.
struct SecretLibrary: @unchecked Sendable {
  /// A pointer of GLib's.
  typealias Object = UnsafeMutableRawPointer
  typealias Text = UnsafePointer<CChar>
  typealias ErrorPlace = UnsafeMutablePointer<Object?>

  let newTable: @convention(c) (Object?, Object?, Object?, Object?) -> Object?
  let insert: @convention(c) (Object?, Object?, Object?) -> Int32
  let lookUp: @convention(c) (Object?, Text?) -> Object?
  let releaseTable: @convention(c) (Object?) -> Void
  let copyText: @convention(c) (Text?) -> Object?
  let freeList: @convention(c) (Object?, Object?) -> Void
  let freeError: @convention(c) (Object?) -> Void
  let newCancellation: @convention(c) () -> Object?
  let cancel: @convention(c) (Object?) -> Void
  let releaseObject: @convention(c) (Object?) -> Void
  let sessionBus: @convention(c) (Int32, Object?, ErrorPlace?) -> Object?
  let setExitOnClose: @convention(c) (Object?, Int32) -> Void
  let newSchema: @convention(c) (Text?, Int32, Object?) -> Object?
  let store: @convention(c) (Object?, Object?, Text?, Text?, Text?, Object?, ErrorPlace?) -> Int32
  let clear: @convention(c) (Object?, Object?, Object?, ErrorPlace?) -> Int32
  let search: @convention(c) (Object?, Object?, Int32, Object?, ErrorPlace?) -> Object?
  let attributes: @convention(c) (Object?) -> Object?
  let secret: @convention(c) (Object?, Object?, ErrorPlace?) -> Object?
  let text: @convention(c) (Object?) -> Text?
  let releaseSecret: @convention(c) (Object?) -> Void

  // Functions that are handed on.
  let hashText: Object
  let equalTexts: Object
  let freeText: Object
  let releaseObjectPointer: Object

  /// Nil where there is no libsecret, or one that is older than 0.19.
  static let shared = SecretLibrary()

  private init?() {
    guard let handle = SystemLibrary.open("libsecret-1.so.0") else { return nil }
    // The libraries that libsecret needs are searched, too.
    func find(_ name: String) -> Object? { dlsym(handle, name) }
    guard let newTable = find("g_hash_table_new_full"), let insert = find("g_hash_table_insert"),
      let lookUp = find("g_hash_table_lookup"), let releaseTable = find("g_hash_table_unref"),
      let copyText = find("g_strdup"), let freeList = find("g_list_free_full"), let freeError = find("g_error_free"),
      let newCancellation = find("g_cancellable_new"), let cancel = find("g_cancellable_cancel"),
      let releaseObject = find("g_object_unref"), let sessionBus = find("g_bus_get_sync"),
      let setExitOnClose = find("g_dbus_connection_set_exit_on_close"), let newSchema = find("secret_schema_newv"),
      let store = find("secret_password_storev_sync"), let clear = find("secret_password_clearv_sync"),
      let search = find("secret_password_searchv_sync"), let attributes = find("secret_retrievable_get_attributes"),
      let secret = find("secret_retrievable_retrieve_secret_sync"), let text = find("secret_value_get_text"),
      let releaseSecret = find("secret_value_unref"), let hashText = find("g_str_hash"),
      let equalTexts = find("g_str_equal"), let freeText = find("g_free")
    else { return nil }
    self.newTable = unsafeBitCast(newTable, to: (@convention(c) (Object?, Object?, Object?, Object?) -> Object?).self)
    self.insert = unsafeBitCast(insert, to: (@convention(c) (Object?, Object?, Object?) -> Int32).self)
    self.lookUp = unsafeBitCast(lookUp, to: (@convention(c) (Object?, Text?) -> Object?).self)
    self.releaseTable = unsafeBitCast(releaseTable, to: (@convention(c) (Object?) -> Void).self)
    self.copyText = unsafeBitCast(copyText, to: (@convention(c) (Text?) -> Object?).self)
    self.freeList = unsafeBitCast(freeList, to: (@convention(c) (Object?, Object?) -> Void).self)
    self.freeError = unsafeBitCast(freeError, to: (@convention(c) (Object?) -> Void).self)
    self.newCancellation = unsafeBitCast(newCancellation, to: (@convention(c) () -> Object?).self)
    self.cancel = unsafeBitCast(cancel, to: (@convention(c) (Object?) -> Void).self)
    self.releaseObject = unsafeBitCast(releaseObject, to: (@convention(c) (Object?) -> Void).self)
    self.sessionBus = unsafeBitCast(sessionBus, to: (@convention(c) (Int32, Object?, ErrorPlace?) -> Object?).self)
    self.setExitOnClose = unsafeBitCast(setExitOnClose, to: (@convention(c) (Object?, Int32) -> Void).self)
    self.newSchema = unsafeBitCast(newSchema, to: (@convention(c) (Text?, Int32, Object?) -> Object?).self)
    self.store = unsafeBitCast(
      store, to: (@convention(c) (Object?, Object?, Text?, Text?, Text?, Object?, ErrorPlace?) -> Int32).self)
    self.clear = unsafeBitCast(clear, to: (@convention(c) (Object?, Object?, Object?, ErrorPlace?) -> Int32).self)
    self.search = unsafeBitCast(
      search, to: (@convention(c) (Object?, Object?, Int32, Object?, ErrorPlace?) -> Object?).self)
    self.attributes = unsafeBitCast(attributes, to: (@convention(c) (Object?) -> Object?).self)
    self.secret = unsafeBitCast(secret, to: (@convention(c) (Object?, Object?, ErrorPlace?) -> Object?).self)
    self.text = unsafeBitCast(text, to: (@convention(c) (Object?) -> Text?).self)
    self.releaseSecret = unsafeBitCast(releaseSecret, to: (@convention(c) (Object?) -> Void).self)
    self.hashText = hashText
    self.equalTexts = equalTexts
    self.freeText = freeText
    releaseObjectPointer = releaseObject
  }
}
