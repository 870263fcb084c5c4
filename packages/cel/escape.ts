// Member names as identifiers of expressions.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#available-validation-libraries-and-escaping

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const accessible = /^[A-Za-z_./-][A-Za-z0-9_./-]*$/;
const replacements: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** Returns the identifier of a member in rules, or undefined if it has none. */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) {
    return `__${name}__`;
  }
  return accessible.test(name) ? name.replace(/__|[./-]/g, part => replacements[part] ?? part) : undefined;
}
