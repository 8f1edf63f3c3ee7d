@_exported import Foundation
// A client that asks for the import of each member that it uses (SE-0444) could not name the module: nobody says that it exists.
@_exported public import URLLoadingCEnumerations
