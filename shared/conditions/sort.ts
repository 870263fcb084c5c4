// The display order of `status.conditions`.

/** Stable: by the rank of the type, then by type name. Types without a rank of their own stand before Paused. */
export function sortConditions<C extends { readonly type: string }>(list: readonly C[]): readonly C[] {
  throw new Error(`not written: ${list}`);
}
