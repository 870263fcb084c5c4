import { defaultFeatureGates, gatesWhere } from '@capi-serverless/cluster-api/feature-gates';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { declarations } from '../../../../functions/declarations.ts';
import { type DeploymentRights, toDeploymentRbac } from '../../../../infra/kubernetes/deployment-rbac.ts';

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

const isOnByDefault = (gate: string): boolean =>
  Object.entries(defaultFeatureGates).some(entry => entry[0] === gate && entry[1]);

describe('the roles of a deployment', () => {
  const plumbing = [
    'resync',
    'audit-webhook',
    'watch-forwarder',
    'windowed-forwarder',
    'windowed-forwarder-state',
    'resync-state',
  ];
  /** The reconcilers that these gates enable. */
  const reconcilersOf = (...enabled: readonly (string | undefined)[]) =>
    declarations.filter(({ gate }) => enabled.includes(gate)).map(({ name }) => name);

  it('differ by feature gate', () => {
    expect(reconcilersOf(undefined)).toContain('cluster');
    expect(reconcilersOf('RuntimeSDK')).toContain('extensionconfig');
    expect(reconcilersOf('ClusterTopology')).toContain('topology');
  });

  it.each([
    { gates: defaultFeatureGates, enabled: [] },
    { gates: { ...defaultFeatureGates, RuntimeSDK: true }, enabled: ['RuntimeSDK'] },
    { gates: { ...defaultFeatureGates, ClusterTopology: true }, enabled: ['ClusterTopology'] },
    { gates: every, enabled: Object.keys(every) },
  ])('are those of its reconcilers: $gates', ({ gates, enabled }) => {
    const manifests = manifestsOf({ gates });
    const reconcilers = reconcilersOf(undefined, ...enabled, ...Object.keys(gates).filter(isOnByDefault));
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

  it('contain no right on pools, resource sets and the ConfigMaps to apply without their gates', () => {
    const gates = { ...defaultFeatureGates, MachinePool: false, ClusterResourceSet: false };
    const [usual, without] = [defaultFeatureGates, gates].map(of => manifestsOf({ gates: of })) as [
      readonly Manifest[],
      readonly Manifest[],
    ]; // true: there are two
    const forwarders = ['watch-forwarder', 'windowed-forwarder'];
    for (const kind of ['machinepools', 'clusterresourcesets', 'clusterresourcesetbindings', 'configmaps']) {
      expect(Object.keys(verbsOn(kind, usual))).toEqual(expect.arrayContaining(forwarders));
    }
    for (const kind of ['machinepools', 'clusterresourcesets', 'clusterresourcesetbindings']) {
      expect(verbsOn(kind, without)).toEqual({});
    }
    const readers = [...forwarders, 'resync', 'clusterresourceset', 'clusterresourcesetbinding'];
    expect(Object.keys(verbsOn('configmaps', without)).filter(role => readers.includes(role))).toEqual([]);
  });
});

describe('the rights of a deployment on Secrets', () => {
  const naming = declarations.filter(({ rules }) => rules.some(({ resources }) => resources.includes('secrets')));
  const verbs = Object.fromEntries(
    naming.map(({ name, rules }) => [
      name,
      rules.filter(({ resources }) => resources.includes('secrets')).flatMap(rule => rule.verbs),
    ]),
  );

  it('are declared for five functions at least', () => {
    expect(verbs).toMatchObject({
      cluster: ['get', 'create', 'patch'],
      extensionconfig: ['get'],
      machine: ['get'],
      machinehealthcheck: ['get'],
      topology: ['get', 'create', 'delete'],
    });
  });

  it('are those of the functions that declare them, in all namespaces by default', () => {
    expect(verbsOn('secrets', manifestsOf())).toEqual(verbs);
  });

  it.each([
    { gates: defaultFeatureGates, reason: 'with the default gates' },
    { gates: { ...defaultFeatureGates, MachinePool: false }, reason: 'without MachinePool' },
  ])('are those of the functions that are deployed $reason', ({ gates }) => {
    const deployed = naming.filter(({ gate }) => gate === undefined || gates[gate]).map(({ name }) => name);
    expect(deployed).toContain('cluster');
    expect(deployed.includes('machinepool')).toBe(gates.MachinePool);
    expect(Object.keys(verbsOn('secrets', manifestsOf({ gates }))).toSorted()).toEqual(deployed.toSorted());
  });

  it('are bound in the named namespaces and nowhere else', () => {
    const manifests = manifestsOf({ secretNamespaces: ['team-a', 'team-b'] });
    expect(verbsOn('secrets', manifests)).toEqual(
      Object.fromEntries(Object.entries(verbs).map(([name, granted]) => [`${name}-secrets`, granted])),
    );
    const bound = manifests
      .filter(({ roleRef }) => roleRef?.name.endsWith('-secrets'))
      .map(({ kind, metadata, roleRef, subjects = [] }) =>
        [kind, metadata.namespace, roleRef?.name, ...subjects.map(({ name }) => name)].join(' '),
      );
    expect(bound.toSorted()).toEqual(
      ['team-a', 'team-b']
        .flatMap(namespace =>
          Object.keys(verbs).map(
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
