// Compares the desired state with upstream's results for the corpus. It must own the same fields with the same values.

import type { Intent, Unstructured } from '@capi-serverless/apimachinery';
import { readString, valueOr } from '@capi-serverless/cluster-api/contract';
import { answerQuestions } from '@capi-serverless/reconciler';
import { expect, it } from 'vitest';
import { toPassReads } from '../../../../../functions/topology/observe/pass-reads.ts';
import { readAnswers } from '../../../../../functions/topology/observe/planning.ts';
import { readState } from '../../../../../functions/topology/observe/state.ts';
import type { Current } from '../../../../../functions/topology/plan/current/current-topology.ts';
import { computeDesired } from '../../../../../functions/topology/plan/desired/compute.ts';
import type { Desired } from '../../../../../functions/topology/plan/desired/desired-topology.ts';
import { emptyEndpointPaths, toIntent } from '../../../../../functions/topology/plan/intent/filter.ts';
import { chooseNames } from '../../../../../functions/topology/plan/names/choose-names.ts';
import { type Cluster, readCluster } from '../../../../../shared/api/cluster/reader.ts';
import { readClassSpec } from '../../../../../shared/api/cluster-class/class-spec.ts';
import { readClusterTopology } from '../../../../../shared/topology/model/cluster-topology.ts';
import { describeCorpus, readCorpusCrds, readResult, readScenarios } from '../../../../parity/corpus.ts';
import { toSettledSnapshots } from '../../../../parity/recorded-state.ts';
import { fakeReads } from '../../../../support/fake-reads.ts';
import { fieldsOf } from '../../../../support/object-builder.ts';
import { settledVersions } from '../../../../support/settled-topology.ts';

const namespace = 'ns';

interface Recorded {
  readonly title: string;
  readonly objects: readonly Unstructured[];
  readonly cluster: Cluster;
  readonly clusterClass: Unstructured;
}

/** The snapshots with a topology whose objects exist, created from a class without patches. */
function readRecorded(apiVersions: ReadonlyMap<string, string>): readonly Recorded[] {
  return readScenarios()
    .filter(({ kind }) => kind === 'Topology')
    .flatMap(scenario =>
      toSettledSnapshots(readResult(scenario), { apiVersions, namespace, time: '2026-01-01T00:00:00Z' }).flatMap(
        ({ name, objects: given }): readonly Recorded[] => {
          // True: `toSettledSnapshots` sets a uid on every object, and resource versions are not read here.
          const objects = given as readonly Unstructured[];
          const cluster = objects.find(({ kind }) => kind === 'Cluster');
          const clusterClass = objects.find(({ kind }) => kind === 'ClusterClass');
          const read = cluster && readCluster(cluster);
          const isMade = read?.spec.controlPlaneRef.name !== '' && read?.metadata.deletionTimestamp === undefined;
          const hasPatches = readClassSpec(clusterClass?.spec).patches.length > 0;
          return read !== undefined && clusterClass !== undefined && isMade && !hasPatches
            ? [{ title: `${scenario.folder}, ${name}`, objects, cluster: read, clusterClass }]
            : [];
        },
      ),
    );
}

async function stateOf({ objects, cluster, clusterClass }: Recorded, definitions: readonly Unstructured[]) {
  const ask = fakeReads([...objects, ...definitions]);
  const topology = readClusterTopology(fieldsOf(cluster.object.spec)['topology']);
  const none = new Map();
  const source = {
    ...{
      cluster,
      topology,
      definitions: [],
      className: { namespace: cluster.metadata.namespace, name: clusterClass.metadata.name },
    },
    classSpec: readClassSpec(clusterClass.spec),
    variables: { cluster: [], controlPlane: [], machineDeployments: none, machinePools: none },
  };
  const state = await readState(source, toPassReads(ask));
  if (!state.ok) {
    throw new Error(state.error);
  }
  const names = await answerQuestions(chooseNames(state.value.blueprint, state.value.current), readAnswers(ask));
  if (!names.ok) {
    throw new Error(names.error);
  }
  return { ...state.value, names: names.value };
}

/** Every object keeps its current version. */
function versionsOf(current: Current, newest: string) {
  const versionAt = (object: Unstructured | undefined, path: string) => valueOr(readString(object, path), newest);
  const of = (workers: ReadonlyMap<string, { readonly object: Unstructured }>) =>
    new Map([...workers].map(([name, { object }]) => [name, versionAt(object, 'spec.template.spec.version')]));
  const base = settledVersions(versionAt(current.controlPlane.object, 'spec.version'));
  return {
    ...base,
    machineDeployments: { ...base.machineDeployments, versions: of(current.machineDeployments) },
    machinePools: { ...base.machinePools, versions: of(current.machinePools) },
  };
}

function intentsOf({ infrastructureCluster, controlPlane, machineDeployments, machinePools }: Desired) {
  const workers = [...machineDeployments.values(), ...machinePools.values()];
  return [infrastructureCluster, ...[controlPlane, ...workers].flatMap(each => Object.values(each))].filter(
    (intent): intent is Intent => intent !== undefined,
  );
}

/** Returns the paths of all values without members, as in managed fields. Name and namespace are never owned. */
function leavesOf(value: unknown, path = ''): readonly (readonly [path: string, value: unknown])[] {
  const members = Object.entries(fieldsOf(value));
  return members.length === 0
    ? [[path, value]]
    : members.flatMap(([key, member]) => leavesOf(member, `${path}/${key}`));
}

const identity = ['/apiVersion', '/kind', '/metadata/name', '/metadata/namespace'];

function ownedBy(intent: Intent): ReadonlyMap<string, unknown> {
  return new Map(leavesOf(intent).filter(([path]) => !identity.includes(path)));
}

/** Returns the paths without those that only contain other paths. Items of lists are treated as their list. */
function recordedPaths(object: Unstructured): readonly string[] {
  const paths = [object['fieldsOwnedByTopology']].flat().map(path => String(path).replace(/\/[kv]:.*$/, ''));
  return paths.filter(path => !paths.some(other => other.startsWith(`${path}/`)));
}

describeCorpus('the desired state of recorded topologies', () => {
  const definitions = readCorpusCrds().map(({ spec, ...crd }): Unstructured => {
    const metadata = { ...crd.metadata, uid: crd.metadata.name, resourceVersion: '1' };
    return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec };
  });
  const apiVersions = new Map(
    readCorpusCrds().map(({ spec }) => [spec.names.kind, `${spec.group}/${spec.versions.at(-1)?.name}`] as const),
  );

  it.each(readRecorded(apiVersions))('owns what upstream owns, with its values: $title', async recorded => {
    const { blueprint, current, names } = await stateOf(recorded, definitions);
    const made = new Set([...current.machineDeployments.keys(), ...current.machinePools.keys()]);
    const { workers } = blueprint.topology;
    const topology = {
      ...blueprint.topology,
      workers: {
        machineDeployments: workers.machineDeployments.filter(({ name }) => made.has(name)),
        machinePools: workers.machinePools.filter(({ name }) => made.has(name)),
      },
    };
    const versions = versionsOf(current, topology.version);
    const desired = computeDesired({ blueprint: { ...blueprint, topology }, current, names, versions });
    if (!desired.ok) {
      throw new Error(desired.error);
    }
    for (const whole of intentsOf(desired.value)) {
      const intent = toIntent(whole, emptyEndpointPaths(whole));
      const object = recorded.objects.find(
        ({ kind, metadata }) => kind === intent.kind && metadata.name === intent.metadata.name,
      );
      const which = `${intent.kind}/${intent.metadata.name}`;
      expect(object, which).toBeDefined();
      const owned = ownedBy(intent);
      const paths = object === undefined ? [] : recordedPaths(object);
      const isWithin = (path: string, outer: string) => path === outer || path.startsWith(`${outer}/`);
      const tooMany = [...owned.keys()].filter(path => !paths.some(each => isWithin(path, each)));
      const tooFew = paths.filter(path => ![...owned.keys()].some(each => isWithin(each, path)));
      expect({ tooMany, tooFew }, which).toEqual({ tooMany: [], tooFew: [] });
      const { apiVersion: _, ...compared } = intent;
      expect(object, which).toMatchObject(compared);
    }
  });
});
