// The names of the webhooks of Cluster API, which are in the texts of refused writes.

export type HookKind = 'mutate' | 'validate';

/** Returns the name of a hook in its configuration. */
export function hookName(hook: HookKind, { group, kind }: { readonly group: string; readonly kind: string }): string {
  const isDefault = hook === 'mutate';
  // The default hook of ExtensionConfigs has the group of the addons in its name, as in upstream.
  const named = isDefault && kind === 'ExtensionConfig' ? 'runtime.addons.cluster.x-k8s.io' : group;
  return `${isDefault ? 'default' : 'validation'}.${kind.toLowerCase()}.${named}`;
}
