// Compares resource versions: increasing decimal numbers that can exceed the range of a JavaScript number.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions

export function isOlderVersion(version: string, than: string): boolean {
  return version.length < than.length || (version.length === than.length && version < than);
}
