// Admission of Clusters by the embedded API server, with this project's implementation of Cluster API's webhooks.

import type { ApiCore } from '@capi-serverless/apiserver/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { createAdmission, localAdmissionGates } from '../../../local/admission.ts';
import { simulatedCrds } from '../../../local/provider/crds/index.ts';
import { coreCrds } from '../../../shared/api/crds.ts';
import { installCrd } from '../../support/memory-api.ts';
import { at, aWorld, endpointOf, namespace, refusalOf } from '../packages/apiserver/core/core-with-widgets.ts';

const apiVersion = 'cluster.x-k8s.io/v1beta2';
const controlPlaneGroup = 'controlplane.cluster.x-k8s.io';
const ref = (kind: string): object => ({
  templateRef: { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind, name: 't' },
});
const names = { 'cluster.x-k8s.io/cluster-name': 'c', 'topology.cluster.x-k8s.io/owned': '' };

let core: ApiCore;
let clusters: ReturnType<typeof endpointOf>;

beforeEach(() => {
  ({ core } = aWorld(createAdmission(localAdmissionGates)));
  for (const crd of [...coreCrds, ...simulatedCrds]) {
    installCrd(core, crd);
  }
  clusters = endpointOf(core, apiVersion, 'Cluster');
});

function create(kind: string, name: string, rest: object, of = apiVersion): void {
  const { labels, ...fields } = { labels: {}, ...rest };
  core.create(endpointOf(core, of, kind), namespace, {
    apiVersion: of,
    kind,
    metadata: { name, namespace, labels },
    ...fields,
  });
}

function setStatus(kind: string, name: string, status: object, of = apiVersion): void {
  core.patch(at(endpointOf(core, of, kind), name), { type: 'merge', body: { status } }, 'status');
}

/** A reconciled class with a text variable `size`, which is "small" by default. */
function createClass(): void {
  create('ClusterClass', 'cc', {
    spec: { infrastructure: ref('AClusterTemplate'), controlPlane: ref('AControlPlaneTemplate') },
  });
  const schema = { openAPIV3Schema: { type: 'string', default: 'small' } };
  setStatus('ClusterClass', 'cc', {
    observedGeneration: 1,
    conditions: [
      {
        type: 'VariablesReady',
        status: 'True',
        reason: 'VariablesReady',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
    variables: [
      { name: 'size', definitionsConflict: false, definitions: [{ from: 'inline', required: true, schema }] },
    ],
  });
}

function aCluster(topology: object = {}, spec: object = {}): object {
  return {
    apiVersion,
    kind: 'Cluster',
    metadata: { name: 'c', namespace },
    spec: { topology: { classRef: { name: 'cc' }, version: 'v1.36.0', ...topology }, ...spec },
  };
}

/** Returns the warnings of the response. */
function warningsOf(write: (core: ApiCore) => void): readonly string[] {
  const warnings: string[] = [];
  // True: a core that writes can also read, and only reads are used here.
  write(core.writing({ onWarning: text => warnings.push(text) }) as ApiCore);
  return warnings;
}

const webhook = (by: string): string => `admission webhook "${by}.cluster.cluster.x-k8s.io" denied the request`;

describe('a Cluster with topology', () => {
  it('is stored with the prefix of its version and the defaults of its variables', () => {
    createClass();
    const { spec } = core.create(clusters, namespace, aCluster({ version: '1.36.0' }));
    expect(spec).toEqual({
      topology: { classRef: { name: 'cc' }, version: 'v1.36.0', variables: [{ name: 'size', value: 'small' }] },
    });
  });

  it('is not changed by a write that changes nothing', () => {
    createClass();
    const { metadata } = core.create(clusters, namespace, aCluster());
    expect(core.patch(at(clusters, 'c'), { type: 'merge', body: { spec: { topology: {} } } }).metadata).toEqual(
      metadata,
    );
  });

  it('is refused for its variables by the first webhook, with its message', () => {
    createClass();
    const status = refusalOf(() =>
      core.create(clusters, namespace, aCluster({ variables: [{ name: 'x', value: 1 }], version: 'no' })),
    );
    // Reported twice but printed once. Invalid values get no defaults.
    const why =
      '[spec.topology.variables[x]: Invalid value: "1": variable is not defined, ' +
      'spec.topology.variables: Required value: required variable "size" must be set]';
    expect(status).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: `${webhook('default')}: Cluster.cluster.x-k8s.io "c" is invalid: ${why}`,
    });
  });

  it('is refused for everything else by the second', () => {
    createClass();
    const status = refusalOf(() => core.create(clusters, namespace, aCluster({ version: '1.36' })));
    const why = 'Invalid value: "v1.36": version must be a valid semantic version';
    expect(status).toMatchObject({
      message: `${webhook('validation')}: Cluster.cluster.x-k8s.io "c" is invalid: spec.topology.version: ${why}`,
      details: { causes: [{ reason: 'FieldValueInvalid', field: 'spec.topology.version', message: why }] },
    });
    expect(() => core.get(at(clusters, 'c'))).toThrow('not found');
  });

  it('is stored before its class, with a warning, and cannot be changed then', () => {
    expect(warningsOf(writer => writer.create(clusters, namespace, aCluster()))).toEqual([
      'Cluster refers to ClusterClass ns/cc, but this ClusterClass does not exist. Cluster topology has not been fully validated. The ClusterClass must be created to reconcile the Cluster',
    ]);
    const patch = () =>
      core.patch(at(clusters, 'c'), { type: 'merge', body: { spec: { topology: { version: 'v1.37.0' } } } });
    expect(refusalOf(patch).message).toContain('spec.topology.class: Internal error: ClusterClass ns/cc not found');
    createClass();
    expect(refusalOf(patch).message).toContain(
      'version cannot be changed: failed to check if control plane is upgrading: failed to get control plane object: cannot get object - object reference not set',
    );
  });

  it('allows status writes and deletion even if it is invalid', () => {
    core.create(clusters, namespace, aCluster());
    setStatus('Cluster', 'c', { phase: 'Pending' });
    expect(core.delete(at(clusters, 'c')).gone).toBe(true);
  });
});

describe('a Cluster that shall be upgraded', () => {
  const upgrade = (): void => {
    core.patch(at(clusters, 'c'), { type: 'merge', body: { spec: { topology: { version: 'v1.37.0' } } } });
  };
  const of = `${controlPlaneGroup}/v1beta2`;

  beforeEach(() => {
    createClass();
    const controlPlaneRef = { apiGroup: controlPlaneGroup, kind: 'SimulatedControlPlane', name: 'cp' };
    core.create(clusters, namespace, aCluster({}, { controlPlaneRef }));
  });

  function createControlPlane(): void {
    create('SimulatedControlPlane', 'cp', { spec: { version: 'v1.36.0' } }, of);
    setStatus('SimulatedControlPlane', 'cp', { version: 'v1.36.0' }, of);
  }

  function createWorkers(version: string, machineVersion: string): void {
    const clusterName = 'c';
    const labels = { ...names, set: 'md' };
    const config = { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'AConfigTemplate', name: 't' };
    const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AMachineTemplate', name: 't' };
    const machine = { clusterName, bootstrap: { configRef: config }, infrastructureRef };
    create('MachineDeployment', 'md', {
      labels,
      spec: {
        clusterName,
        selector: { matchLabels: { set: 'md' } },
        template: { metadata: { labels }, spec: { ...machine, version } },
      },
    });
    create('Machine', 'm', { labels, spec: { ...machine, version: machineVersion } });
    create('MachinePool', 'mp', { labels, spec: { clusterName, template: { spec: { ...machine, version } } } });
  }

  it('needs its control plane', () => {
    expect(refusalOf(upgrade).message).toContain(
      'failed to get control plane object: failed to retrieve SimulatedControlPlane ns/cp: SimulatedControlPlane.controlplane.cluster.x-k8s.io "cp" not found',
    );
  });

  it('is accepted when all parts have arrived', () => {
    createControlPlane();
    createWorkers('v1.36.0', 'v1.36.0');
    upgrade();
    expect(core.get(at(clusters, 'c')).spec).toMatchObject({ topology: { version: 'v1.37.0' } });
  });

  it.each([
    {
      version: 'v1.36.0',
      machine: 'v1.35.0',
      why: 'there are still MachineDeployments completing a previous upgrade: [md]',
      reason: 'Machines',
    },
    {
      version: 'v1.35.0',
      machine: 'v1.35.0',
      why: '[there are still MachineDeployments completing a previous upgrade: [md], there are still MachinePools completing a previous upgrade: [mp]]',
      reason: 'MachineDeployments and MachinePools',
    },
  ])('waits for its $reason', ({ version, machine, why }) => {
    createControlPlane();
    createWorkers(version, machine);
    expect(refusalOf(upgrade).message).toContain(`version cannot be changed: ${why}`);
  });
});
