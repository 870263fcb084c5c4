// English plurals of kinds: in messages, and lower-cased as the resource name of a CRD.

/** The kind in the plural, its case kept: `MachineSet` → `MachineSets`, `Proxy` → `Proxies`. */
export function pluralKind(kind: string): string {
  throw new Error(`not written: ${kind}`);
}

/** The resource name of a kind: the lower-cased plural. */
export function pluralOf(kind: string): string {
  return pluralKind(kind.toLowerCase());
}

/** The name of the kind's CustomResourceDefinition: `<plural>.<group>`. */
export function crdNameOf(kind: { readonly group: string; readonly kind: string }): string {
  return `${pluralOf(kind.kind)}.${kind.group}`;
}
