// Resource versions are decimal numbers that only grow, longer than a number can hold.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions

export function isOlderVersion(version: string, than: string): boolean {
  return version.length < than.length || (version.length === than.length && version < than);
}
