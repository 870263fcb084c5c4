// English plurals of kinds, used in messages and in lower case as the resource name of a CRD.

/** The first matching ending applies: `cut` characters are removed, then `add` is appended. */
const endings: readonly { readonly ending: RegExp; readonly cut: number; readonly add: string }[] = [
  { ending: /person$/i, cut: 4, add: 'ople' },
  { ending: /child$/i, cut: 0, add: 'ren' },
  { ending: /datum$/i, cut: 2, add: 'a' },
  { ending: /matrix$/i, cut: 1, add: 'ces' },
  { ending: /ex$/i, cut: 2, add: 'ices' },
  { ending: /(?:ea|oa|l|r)f$/i, cut: 1, add: 'ves' },
  { ending: /fe$/i, cut: 2, add: 'ves' },
  { ending: /sis$/i, cut: 2, add: 'es' },
  { ending: /(?:[^aeiou]|qu)y$/i, cut: 1, add: 'ies' },
  { ending: /(?:x|ch|sh|ss|us)$/i, cut: 0, add: 'es' },
  { ending: /io$/i, cut: 0, add: 's' },
  { ending: /o$/i, cut: 0, add: 'es' },
  // Series, Kubernetes and Settings are already plural or have the same plural.
  { ending: /s$/i, cut: 0, add: '' },
];

/** The plural of the kind in its case: `MachineSet` → `MachineSets`, `Proxy` → `Proxies`. */
export function pluralKind(kind: string): string {
  const rule = endings.find(({ ending }) => ending.test(kind));
  return rule === undefined ? `${kind}s` : kind.slice(0, kind.length - rule.cut) + rule.add;
}

/** The resource name of a kind: the lower-cased plural. */
export function pluralOf(kind: string): string {
  return pluralKind(kind.toLowerCase());
}

/** Returns true if `text` is this kind or its resource name. */
export function isKind(kind: string, text: string): boolean {
  return text === kind || text === pluralOf(kind);
}

/** The name of the kind's CustomResourceDefinition: `<plural>.<group>`. */
export function crdNameOf(kind: { readonly group: string; readonly kind: string }): string {
  return `${pluralOf(kind.kind)}.${kind.group}`;
}
