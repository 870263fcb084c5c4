import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { declarations } from '../../../../functions/declarations.ts';
import { type DeploymentRights, toDeploymentRbac } from '../../../../infra/kubernetes/deployment-rbac.ts';
import { defaultFeatureGates, gatesWhere } from '../../../../packages/cluster-api/feature-gates.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[];
  readonly roleRef?: { readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string }[];
}

const every = gatesWhere(() => true);

function manifestsOf(rights: Partial<DeploymentRights> = {}): readonly Manifest[] {
  const usual = { gates: every, secretNamespaces: undefined, stateNamespaces: ['kube-system'], identity: 'groups' };
  const text = toDeploymentRbac(declarations, { ...usual, ...rights } as DeploymentRights); // true: all fields are given
  return parseAllDocuments(text).map(document => document.toJS());
}

const rolesOf = (manifests: readonly Manifest[]) => manifests.filter(({ kind }) => kind === 'ClusterRole');
const namesOf = (manifests: readonly Manifest[]) =>
  rolesOf(manifests).map(({ metadata }) => metadata.name.replace('capi-serverless-', ''));

/** Returns the verbs on a resource by role. */
function verbsOn(resource: string, manifests: readonly Manifest[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    rolesOf(manifests).flatMap(({ metadata, rules = [] }) => {
      const verbs = rules.filter(({ resources }) => resources.includes(resource)).flatMap(rule => rule.verbs);
      return verbs.length === 0 ? [] : [[metadata.name.replace('capi-serverless-', ''), verbs] as const];
    }),
  );
}

describe('the roles of a deployment', () => {
  const plumbing = [
    'resync',
    'audit-webhook',
    'watch-forwarder',
    'windowed-forwarder',
    'windowed-forwarder-state',
    'resync-state',
  ];
  const ungated = ['cluster', 'machine', 'machinedeployment', 'machinehealthcheck', 'machineset'];
  const ofTopologies = ['clusterclass', 'topology', 'machinedeployment-topology', 'machineset-topology'];

  it.each<{ readonly gates: typeof every; readonly reconcilers: readonly string[] }>([
    { gates: defaultFeatureGates, reconcilers: ungated },
    { gates: { ...defaultFeatureGates, RuntimeSDK: true }, reconcilers: [...ungated, 'extensionconfig'] },
    { gates: { ...defaultFeatureGates, ClusterTopology: true }, reconcilers: [...ungated, ...ofTopologies] },
    { gates: every, reconcilers: [...ungated, 'extensionconfig', ...ofTopologies] },
  ])('are those of its reconcilers: $gates', ({ gates, reconcilers }) => {
    const manifests = manifestsOf({ gates });
    expect(namesOf(manifests).toSorted()).toEqual([...reconcilers, ...plumbing].toSorted());
    const bound = new Set(manifests.map(({ roleRef }) => roleRef?.name));
    // The manifests of the watch-forwarder bind its role.
    expect(namesOf(manifests).filter(name => !bound.has(`capi-serverless-${name}`))).toEqual(['watch-forwarder']);
  });

  it('contain the rules for extensions only with RuntimeSDK', () => {
    const off = manifestsOf({ gates: { ...every, RuntimeSDK: false, InPlaceUpdates: false } });
    expect(verbsOn('extensionconfigs', off)).toEqual({
      // ClusterClasses watch ExtensionConfigs.
      resync: ['list'],
      'watch-forwarder': ['list', 'watch'],
      'windowed-forwarder': ['list', 'watch'],
    });
    expect(verbsOn('extensionconfigs', manifestsOf())).toMatchObject({ topology: ['list'], clusterclass: ['list'] });
    const namespaces = rolesOf(off).flatMap(({ rules = [] }) =>
      rules.filter(({ resources }) => resources[0] === 'namespaces'),
    );
    expect(namespaces.filter(rule => !('resourceNames' in rule))).toEqual([]);
  });

  it('contain the right of the cluster function on MachinePools only with MachinePool', () => {
    expect(verbsOn('machinepools', manifestsOf())['cluster']).toEqual(['list', 'delete']);
    expect(verbsOn('machinepools', manifestsOf({ gates: { ...every, MachinePool: false } }))['cluster']).toBe(
      undefined,
    );
  });
});

describe('the rights of a deployment on Secrets', () => {
  const verbs = {
    cluster: ['get', 'create', 'patch'],
    extensionconfig: ['get'],
    machine: ['get'],
    machinehealthcheck: ['get'],
    topology: ['get', 'create', 'delete'],
  };

  it('are those of five functions, in all namespaces by default', () => {
    expect(verbsOn('secrets', manifestsOf())).toEqual(verbs);
  });

  it('are those of the functions for Clusters and Machines with the default gates', () => {
    expect(verbsOn('secrets', manifestsOf({ gates: defaultFeatureGates }))).toEqual({
      cluster: verbs.cluster,
      machine: verbs.machine,
      machinehealthcheck: verbs.machinehealthcheck,
    });
  });

  it('are bound in the named namespaces and nowhere else', () => {
    const manifests = manifestsOf({ secretNamespaces: ['team-a', 'team-b'] });
    expect(verbsOn('secrets', manifests)).toEqual({
      'cluster-secrets': verbs.cluster,
      'extensionconfig-secrets': verbs.extensionconfig,
      'machine-secrets': verbs.machine,
      'machinehealthcheck-secrets': verbs.machinehealthcheck,
      'topology-secrets': verbs.topology,
    });
    const bound = manifests
      .filter(({ roleRef }) => roleRef?.name.endsWith('-secrets'))
      .map(({ kind, metadata, roleRef, subjects = [] }) =>
        [kind, metadata.namespace, roleRef?.name, ...subjects.map(({ name }) => name)].join(' '),
      );
    expect(bound.toSorted()).toEqual(
      ['team-a', 'team-b']
        .flatMap(namespace =>
          ['cluster', 'extensionconfig', 'machine', 'machinehealthcheck', 'topology'].map(
            name => `RoleBinding ${namespace} capi-serverless-${name}-secrets capi-serverless:${name}`,
          ),
        )
        .toSorted(),
    );
  });
});

describe('the bindings of a deployment', () => {
  it('name one service account if the functions share a kubeconfig', () => {
    const manifests = manifestsOf({ identity: 'account', secretNamespaces: ['team-a'] });
    const subjects = manifests.flatMap(({ subjects: named = [] }) => named.map(({ kind, name }) => `${kind} ${name}`));
    expect([...new Set(subjects)]).toEqual(['ServiceAccount functions']);
    expect(manifests.slice(0, 2).map(({ kind }) => kind)).toEqual(['Namespace', 'ServiceAccount']);
  });

  it('are in the namespaces of the ConfigMaps that functions write', () => {
    const bound = manifestsOf({ stateNamespaces: ['a', 'b'] }).filter(({ kind }) => kind === 'RoleBinding');
    expect(bound.map(({ metadata }) => `${metadata.name} in ${metadata.namespace}`).toSorted()).toEqual(
      ['resync-state in a', 'resync-state in b', 'windowed-forwarder-state in a', 'windowed-forwarder-state in b'].map(
        text => `capi-serverless-${text}`,
      ),
    );
  });
});
