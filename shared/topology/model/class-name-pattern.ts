// Patterns for the names of classes in `matchResources` of a ClusterClass patch. Pure.

/** One `*` at the beginning or at the end of the pattern matches any text. `*` alone matches every name. */
export function matchesClassName(name: string, pattern: string): boolean {
  if (pattern.startsWith('*')) {
    return name.endsWith(pattern.slice(1));
  }
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
