import { describe, expect, it } from 'vitest';
import { clusterKind, clusterWatches } from '../../../../functions/cluster/watches.ts';
import { kindsOfCluster } from '../../../../shared/api/cluster/reader.ts';
import { toWatchRules } from '../../../../shared/event-source/watch-rules.ts';
import { aDeclaration } from '../../../support/kernel.ts';

function texts(...declarations: Parameters<typeof toWatchRules>[0]): readonly string[] {
  return toWatchRules(declarations).flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap(group => resources.map(resource => `${verbs.join(',')} ${resource}.${group}`)),
  );
}

describe('the RBAC rules of a process that watches', () => {
  it('cover its kinds and the identity of the management cluster', () => {
    expect(texts(aDeclaration())).toEqual(['list,watch widgets.conformance.example.com', 'get namespaces.']);
  });

  it('cover referenced kinds if a declaration watches them, and never Secrets', () => {
    const cluster = aDeclaration({
      name: 'cluster',
      primary: clusterKind,
      watches: clusterWatches,
      references: kindsOfCluster,
    });
    expect(texts(cluster)).toEqual([
      'list,watch clusters.cluster.x-k8s.io',
      'list,watch machines.cluster.x-k8s.io',
      'list,watch machinedeployments.cluster.x-k8s.io',
      'list,watch machinepools.cluster.x-k8s.io',
      'list,watch *.infrastructure.cluster.x-k8s.io',
      'list,watch *.bootstrap.cluster.x-k8s.io',
      'list,watch *.controlplane.cluster.x-k8s.io',
      'get customresourcedefinitions.apiextensions.k8s.io',
      'get namespaces.',
    ]);
  });
});
