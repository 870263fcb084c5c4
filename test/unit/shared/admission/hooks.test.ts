import { describe, expect, it } from 'vitest';
import { type HookKind, hookName } from '../../../../shared/admission/hooks.ts';

describe('the hooks', () => {
  const named: readonly { hook: HookKind; group: string; kind: string; name: string }[] = [
    { hook: 'mutate', group: 'cluster.x-k8s.io', kind: 'Machine', name: 'default.machine.cluster.x-k8s.io' },
    { hook: 'validate', group: 'cluster.x-k8s.io', kind: 'Cluster', name: 'validation.cluster.cluster.x-k8s.io' },
    {
      ...{ hook: 'mutate', group: 'runtime.cluster.x-k8s.io', kind: 'ExtensionConfig' },
      name: 'default.extensionconfig.runtime.addons.cluster.x-k8s.io',
    },
    {
      ...{ hook: 'validate', group: 'runtime.cluster.x-k8s.io', kind: 'ExtensionConfig' },
      name: 'validation.extensionconfig.runtime.cluster.x-k8s.io',
    },
  ];
  it.each(named)('have the names of upstream: $name', ({ hook, name, ...of }) => {
    expect(hookName(hook, of)).toBe(name);
  });
});
