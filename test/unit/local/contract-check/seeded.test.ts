// Each violation individually, in definitions that are otherwise valid.

import { isJsonObject } from '@capi-serverless/apimachinery';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { checkFiles } from '../../../../local/contract-check/check-contract.ts';
import { simulatedCrds } from '../../../../local/provider/crds/index.ts';
import { type Definition, definitionOf, memberDefinitions } from '../../../support/provider-definitions.ts';

const sound: readonly Definition[] = [
  ...simulatedCrds.map(crd => structuredClone<Definition>({ ...crd })),
  ...memberDefinitions,
];

const cluster = 'simulatedclusters.infrastructure.cluster.x-k8s.io';
const legacy = 'simulatedlegacyclusters.infrastructure.cluster.x-k8s.io';
const controlPlane = 'simulatedcontrolplanes.controlplane.cluster.x-k8s.io';
const template = 'simulatedclustertemplates.infrastructure.cluster.x-k8s.io';
const machine = 'rockmachines.infrastructure.cluster.x-k8s.io';
const pool = 'rockmachinepools.infrastructure.cluster.x-k8s.io';
const bootstrap = 'rockconfigs.bootstrap.cluster.x-k8s.io';
const schema = 'spec.versions.0.schema.openAPIV3Schema.properties';

interface Seed {
  readonly reason: string;
  readonly of: string;
  readonly at: string;
  /** The value of the field. `undefined` removes the field. */
  readonly value: unknown;
  readonly field: string;
  readonly message: RegExp;
}

const versionField = (version: string, rest: string): string =>
  `spec.versions[${version}].schema.openAPIV3Schema.properties.${rest}`;

const seeds: readonly Seed[] = [
  {
    reason: 'a name that is not that of the plural',
    of: cluster,
    at: 'metadata.name',
    value: 'simulatedcluster.infrastructure.cluster.x-k8s.io',
    field: 'metadata.name',
    message: /as simulatedclusters\.infrastructure\.cluster\.x-k8s\.io; rename it/,
  },
  {
    reason: 'a list kind of another name',
    of: cluster,
    at: 'spec.names.listKind',
    value: 'SimulatedClusters',
    field: 'spec.names.listKind',
    message: /write SimulatedClusterList/,
  },
  {
    reason: 'a kind without namespaces',
    of: machine,
    at: 'spec.scope',
    value: 'Cluster',
    field: 'spec.scope',
    message: /write Namespaced/,
  },
  {
    reason: 'no contract label',
    of: cluster,
    at: 'metadata.labels',
    value: { 'cluster.x-k8s.io/v1alpha3': 'v1beta2' },
    field: 'metadata.labels',
    message: /write cluster\.x-k8s\.io\/v1beta2: v1beta2/,
  },
  {
    reason: 'a contract label that names a version that is not there',
    of: legacy,
    at: 'metadata.labels',
    value: { 'cluster.x-k8s.io/v1beta1': 'v1alpha3_v1beta1' },
    field: 'metadata.labels[cluster.x-k8s.io/v1beta1]',
    message: /names version v1alpha3, which is not defined/,
  },
  {
    reason: 'no status subresource',
    of: controlPlane,
    at: 'spec.versions.0.subresources.status',
    value: undefined,
    field: 'spec.versions[v1beta2]',
    message: /write subresources: \{status: \{\}\}/,
  },
  {
    reason: 'no provisioned flag under v1beta2',
    of: cluster,
    at: `${schema}.status.properties.initialization.properties`,
    value: {},
    field: versionField('v1beta2', 'status.properties.initialization'),
    message: /status\.initialization\.provisioned is missing.*add it as a boolean/,
  },
  {
    reason: 'no ready flag under v1beta1',
    of: legacy,
    at: `${schema}.status.properties.ready`,
    value: undefined,
    field: versionField('v1beta1', 'status'),
    message: /status\.ready is missing/,
  },
  {
    reason: 'a provisioned flag that is text',
    of: cluster,
    at: `${schema}.status.properties.initialization.properties.provisioned.type`,
    value: 'string',
    field: versionField('v1beta2', 'status.properties.initialization.properties.provisioned.type'),
    message: /is string, but the contract has a boolean there; write type: boolean/,
  },
  {
    reason: 'failure domains as a map under v1beta2',
    of: cluster,
    at: `${schema}.status.properties.failureDomains`,
    value: { type: 'object', additionalProperties: { type: 'object' } },
    field: versionField('v1beta2', 'status.properties.failureDomains.type'),
    message: /is object, but the contract has a list there/,
  },
  {
    reason: 'failure domains as a list under v1beta1',
    of: legacy,
    at: `${schema}.status.properties.failureDomains`,
    value: { type: 'array', items: { type: 'object' } },
    field: versionField('v1beta1', 'status.properties.failureDomains.type'),
    message: /is array, but the contract has a map there/,
  },
  {
    reason: 'no endpoint under v1beta1',
    of: legacy,
    at: `${schema}.spec.properties.controlPlaneEndpoint`,
    value: undefined,
    field: versionField('v1beta1', 'spec'),
    message: /spec\.controlPlaneEndpoint is missing/,
  },
  {
    reason: 'a port that is text',
    of: controlPlane,
    at: `${schema}.spec.properties.controlPlaneEndpoint.properties.port.type`,
    value: 'string',
    field: versionField('v1beta2', 'spec.properties.controlPlaneEndpoint.properties.port.type'),
    message: /spec\.controlPlaneEndpoint\.port is string/,
  },
  {
    reason: 'a control plane that counts, but not what is up to date',
    of: controlPlane,
    at: `${schema}.status.properties.upToDateReplicas`,
    value: undefined,
    field: versionField('v1beta2', 'status'),
    message: /status\.upToDateReplicas is missing.*spec\.replicas is there/,
  },
  {
    reason: 'a control plane without version',
    of: controlPlane,
    at: `${schema}.spec.properties.version`,
    value: undefined,
    field: versionField('v1beta2', 'spec'),
    message: /spec\.version is missing/,
  },
  {
    reason: 'conditions without status',
    of: cluster,
    at: `${schema}.status.properties.conditions.items.properties.status`,
    value: undefined,
    field: versionField('v1beta2', 'status.properties.conditions.items'),
    message: /status\.conditions\[\]\.status is missing/,
  },
  {
    reason: 'a template of nothing',
    of: template,
    at: `${schema}.spec.properties.template.properties.spec`,
    value: undefined,
    field: versionField('v1beta2', 'spec.properties.template'),
    message: /spec\.template\.spec is missing/,
  },
  {
    reason: 'a template without labels for what is made from it',
    of: template,
    at: `${schema}.spec.properties.template.properties.metadata.properties.labels`,
    value: undefined,
    field: versionField('v1beta2', 'spec.properties.template.properties.metadata'),
    message: /spec\.template\.metadata\.labels is missing/,
  },
  {
    reason: 'a template with a field that its kind lacks',
    of: template,
    at: `${schema}.spec.properties.template.properties.spec.properties.region`,
    value: { type: 'string' },
    field: versionField('v1beta2', 'spec.properties.template.properties.spec.properties.region'),
    message: /would be dropped: SimulatedCluster has no spec\.region/,
  },
  {
    reason: 'a machine without providerID',
    of: machine,
    at: `${schema}.spec.properties.providerID`,
    value: undefined,
    field: versionField('v1beta2', 'spec'),
    message: /spec\.providerID is missing/,
  },
  {
    reason: 'a pool whose providerIDs are one text',
    of: pool,
    at: `${schema}.spec.properties.providerIDList`,
    value: { type: 'string' },
    field: versionField('v1beta1', 'spec.properties.providerIDList.type'),
    message: /spec\.providerIDList is string, but the contract has a list there/,
  },
  {
    reason: 'a bootstrap config that names no Secret',
    of: bootstrap,
    at: `${schema}.status.properties.dataSecretName`,
    value: undefined,
    field: versionField('v1beta2', 'status'),
    message: /status\.dataSecretName is missing/,
  },
];

/** Returns a copy in which this field has this value. */
function sow(definition: Definition, at: readonly string[], value: unknown): Definition {
  const changed = structuredClone(definition);
  let node: unknown = changed;
  for (const name of at.slice(0, -1)) {
    node = Reflect.get(Object(node), name);
  }
  if (!isJsonObject(node)) {
    throw new Error(`${at.join('.')} is not there to be changed`);
  }
  const last = at.at(-1) ?? '';
  if (value === undefined) {
    expect(Reflect.has(node, last)).toBe(true);
    Reflect.deleteProperty(node, last);
  } else {
    Reflect.set(node, last, value);
  }
  return changed;
}

function reportOn(definitions: readonly Definition[]) {
  return checkFiles([
    { name: 'crds.yaml', text: definitions.map(each => stringify(each, { compat: 'yaml-1.1' })).join('---\n') },
  ]);
}

describe('the contract check', () => {
  test('finds nothing in the definitions of the simulated provider', () => {
    const report = reportOn(simulatedCrds.map(crd => ({ ...crd })));
    expect(report.findings).toEqual([]);
    expect(report.objects).toBe(simulatedCrds.length);
  });

  test('finds nothing in sound definitions of every role', () => {
    expect(reportOn(sound).findings).toEqual([]);
  });

  test.each(seeds)('finds $reason, and nothing else', ({ of, at, value, field, message }) => {
    const definitions = sound.map(each => (each.metadata.name === of ? sow(each, at.split('.'), value) : each));
    const { findings } = reportOn(definitions);
    expect(findings.map(finding => finding.field)).toEqual([field]);
    expect(findings[0]).toMatchObject({
      file: 'crds.yaml',
      severity: 'error',
      message: expect.stringMatching(message),
    });
    expect(findings[0]?.line).toBeGreaterThan(1);
  });

  test('finds that Cluster API has no permissions for kinds of another group', () => {
    const strange = definitionOf({ kind: 'RockCluster', group: 'rock.example.com', contract: 'v1beta2' });
    const role = (verbs: readonly string[]) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'rock', labels: { 'cluster.x-k8s.io/aggregate-to-manager': 'true' } },
      rules: [{ apiGroups: ['rock.example.com'], resources: ['rockclusters'], verbs }],
    });
    const all = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
    expect(reportOn([strange]).findings).toMatchObject([{ severity: 'warning', field: 'spec.group' }]);
    expect(reportOn([strange, role(all)]).findings).toEqual([]);
    expect(reportOn([strange, role(all.slice(1))]).findings).toMatchObject([
      { severity: 'error', message: expect.stringMatching(/manager may not create rockclusters\.rock\.example\.com/) },
    ]);
  });
});
