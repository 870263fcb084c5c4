import { describe, expect, it } from 'vitest';
import { admittedKinds, hookAt, hookName, hookPath } from '../../../../shared/admission/hooks.ts';
import { coreCrds } from '../../../../shared/api/crds.ts';

const kindOf = (kind: string) => {
  const of = admittedKinds.find(each => each.kind === kind);
  if (of === undefined) {
    throw new Error(`No hook of ${kind}`);
  }
  return of;
};

describe('the hooks', () => {
  it.each([
    { hook: 'mutate', kind: 'Machine', path: '/mutate-cluster-x-k8s-io-v1beta2-machine' },
    { hook: 'validate', kind: 'IPAddress', path: '/validate-ipam-cluster-x-k8s-io-v1beta2-ipaddress' },
    { hook: 'validate', kind: 'ClusterClass', path: '/validate-cluster-x-k8s-io-v1beta2-clusterclass' },
    { hook: 'mutate', kind: 'ClusterResourceSet', path: '/mutate-addons-cluster-x-k8s-io-v1beta2-clusterresourceset' },
  ] as const)('have paths by group, version and kind: $path', ({ hook, kind, path }) => {
    expect(hookPath(hook, kindOf(kind))).toBe(path);
    expect(hookAt(path)).toEqual({ hook, of: kindOf(kind) });
  });

  it.each([
    { path: '/mutate-cluster-x-k8s-io-v1beta2-clusterclass', reason: 'a kind without defaults' },
    { path: '/mutate-cluster-x-k8s-io-v1beta1-machine', reason: 'another version' },
    { path: '/validate-cluster-x-k8s-io-v1beta2-machine/', reason: 'another path' },
    { path: '', reason: 'no path' },
  ])('have no other paths: $reason', ({ path }) => {
    expect(hookAt(path)).toBeUndefined();
  });

  it.each([
    { hook: 'mutate', kind: 'Machine', name: 'default.machine.cluster.x-k8s.io' },
    { hook: 'validate', kind: 'Cluster', name: 'validation.cluster.cluster.x-k8s.io' },
    { hook: 'mutate', kind: 'ExtensionConfig', name: 'default.extensionconfig.runtime.addons.cluster.x-k8s.io' },
    { hook: 'validate', kind: 'ExtensionConfig', name: 'validation.extensionconfig.runtime.cluster.x-k8s.io' },
  ] as const)('have the names of upstream: $name', ({ hook, kind, name }) => {
    expect(hookName(hook, kindOf(kind))).toBe(name);
  });

  it('have the plurals of the definitions', () => {
    const plurals = new Map(coreCrds.map(({ spec }) => [spec.names.kind, `${spec.names.plural}.${spec.group}`]));
    const wrong = admittedKinds.filter(
      ({ kind, plural, group }) => plurals.has(kind) && plurals.get(kind) !== `${plural}.${group}`,
    );
    expect(wrong).toEqual([]);
    expect(admittedKinds).toHaveLength(13);
    expect(admittedKinds.filter(({ checksDeletes }) => checksDeletes).map(({ kind }) => kind)).toEqual([
      'Cluster',
      'ClusterClass',
      'IPAddress',
      'IPAddressClaim',
    ]);
  });
});
