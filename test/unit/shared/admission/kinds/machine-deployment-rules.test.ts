import type { JsonObject } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { defaulted, fieldsOf, valueProblem, verdictOf, withTaints } from './judged-write.ts';

const machineDeployment = { group: 'cluster.x-k8s.io', kind: 'MachineDeployment' } as const;
const clusterName = 'cluster.x-k8s.io/cluster-name';
const deploymentName = 'cluster.x-k8s.io/deployment-name';

interface Parts {
  readonly spec?: object;
  readonly template?: object;
  readonly labels?: object;
  readonly name?: string;
}

function aDeployment({ spec = {}, template = {}, labels, name = 'md1' }: Parts = {}): JsonObject {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineDeployment',
    metadata: { name, namespace: 'ns' },
    spec: {
      clusterName: 'c1',
      template: {
        ...(labels === undefined ? {} : { metadata: { labels } }),
        spec: { clusterName: 'c1', bootstrap: { dataSecretName: 's' }, ...template },
      },
      ...spec,
    },
  };
}

const paths = ['spec.selector', 'spec.template.metadata.labels'] as const;

describe('the defaults of a MachineDeployment', () => {
  it('are a label, a replica, a strategy, a selector, and the prefix of its version', () => {
    const object = defaulted(aDeployment({ template: { version: '1.34.1' } }), machineDeployment);
    const selected = { [deploymentName]: 'md1', [clusterName]: 'c1' };
    expect(object).toEqual({
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'MachineDeployment',
      metadata: { name: 'md1', namespace: 'ns', labels: { [clusterName]: 'c1' } },
      spec: {
        clusterName: 'c1',
        replicas: 1,
        rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
        selector: { matchLabels: selected },
        template: {
          metadata: { labels: selected },
          spec: { clusterName: 'c1', bootstrap: { dataSecretName: 's' }, version: 'v1.34.1' },
        },
      },
    });
  });

  it('are no limits for the strategy OnDelete', () => {
    const object = aDeployment({ spec: { rollout: { strategy: { type: 'OnDelete' } } } });
    expect(defaulted(object, machineDeployment)).toMatchObject({
      spec: { rollout: { strategy: { type: 'OnDelete' } } },
    });
    expect(fieldsOf(defaulted(object, machineDeployment), 'spec.rollout')).toEqual({
      'spec.rollout': { strategy: { type: 'OnDelete' } },
    });
  });

  it.each([
    { given: { maxSurge: 2 }, result: { maxSurge: 2, maxUnavailable: 0 } },
    { given: { maxUnavailable: '25%' }, result: { maxSurge: 1, maxUnavailable: '25%' } },
    { given: { maxSurge: 0, maxUnavailable: 0 }, result: { maxSurge: 0, maxUnavailable: 0 } },
  ])('are each limit of a rolling update: $given', ({ given, result }) => {
    const object = aDeployment({ spec: { rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: given } } } });
    expect(fieldsOf(defaulted(object, machineDeployment), 'spec.rollout.strategy.rollingUpdate')).toEqual({
      'spec.rollout.strategy.rollingUpdate': result,
    });
  });

  it('add the label of the Cluster to a selector of the user', () => {
    const object = aDeployment({ labels: { foo: 'bar' }, spec: { selector: { matchLabels: { foo: 'bar' } } } });
    const selected = { foo: 'bar', [clusterName]: 'c1' };
    expect(fieldsOf(defaulted(object, machineDeployment), ...paths)).toEqual({
      'spec.selector': { matchLabels: selected },
      'spec.template.metadata.labels': selected,
    });
  });

  it.each(['MachineDeployment', 'MachineSet'])('have no selector of a %s if the server makes the name later', kind => {
    const generated = (spec: object): JsonObject => ({
      ...aDeployment({ spec }),
      kind,
      metadata: { namespace: 'ns', generateName: 'md-' },
    });
    expect(verdictOf(generated({}), { group: 'cluster.x-k8s.io', kind })).toBe(
      `403: a ${kind} with generateName must have a selector, because the default selector contains its name`,
    );
    const selecting = generated({ selector: { matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] } });
    expect(verdictOf(selecting, { group: 'cluster.x-k8s.io', kind })).toBe('allowed');
  });

  it('are one replica, whatever ran before', () => {
    const old = aDeployment({ spec: { replicas: 5 } });
    expect(defaulted(aDeployment(), { ...machineDeployment, old })).toMatchObject({ spec: { replicas: 1 } });
  });
});

describe('a MachineDeployment is refused', () => {
  const strategy = 'spec.rollout.strategy.rollingUpdate';
  const rolling = (rollingUpdate: object): JsonObject =>
    aDeployment({ spec: { rollout: { strategy: { type: 'RollingUpdate', rollingUpdate } } } });
  const amount = 'must be either an int or a percentage: invalid value for IntOrString';
  const long = 'a'.repeat(68);

  it.each([
    {
      reason: 'with a name that is too long for a label',
      object: aDeployment({ name: long, spec: { selector: { matchLabels: { a: 'b' } } }, labels: { a: 'b' } }),
      problem: `metadata.name: Invalid value: "${long}": must be a valid label value: must be no more than 63 bytes`,
    },
    {
      reason: 'with a name that is no label',
      object: aDeployment({ name: '-', spec: { selector: { matchLabels: { a: 'b' } } }, labels: { a: 'b' } }),
      problem: `metadata.name: Invalid value: "-": must be a valid label value: ${valueProblem}`,
    },
    {
      reason: 'if its selector differs from its template',
      object: aDeployment({ spec: { selector: { matchLabels: { foo: 'bar' } } }, labels: { foo: 'baz' } }),
      problem:
        'spec.template.metadata.labels: Forbidden: must match spec.selector "cluster.x-k8s.io/cluster-name=c1,foo=bar"',
    },
    {
      reason: 'if a limit is a text without percent',
      object: rolling({ maxSurge: '1' }),
      problem: `${strategy}.maxSurge: Invalid value: "1": ${amount}: invalid type: string is not a percentage`,
    },
    {
      reason: 'if both limits are 0',
      object: rolling({ maxSurge: 0, maxUnavailable: 0 }),
      problem: `${strategy}: Invalid value: "0": maxUnavailable and maxSurge cannot both be 0`,
    },
    {
      reason: 'if the limit of remediations is no number',
      object: aDeployment({ spec: { remediation: { maxInFlight: 'x%' } } }),
      problem: `spec.remediation.maxInFlight: Invalid value: "x%": ${amount}: invalid value "x%": strconv.Atoi: parsing "x": invalid syntax`,
    },
    {
      reason: 'without bootstrap data',
      object: aDeployment({ template: { bootstrap: {} } }),
      problem:
        'spec.template.spec.bootstrap: Required value: expected either spec.template.spec.bootstrap.dataSecretName or spec.template.spec.bootstrap.configRef to be populated',
    },
    {
      reason: 'with a version that is not semantic',
      object: aDeployment({ template: { version: 'v1' } }),
      problem: 'spec.template.spec.version: Invalid value: "v1": must be a valid semantic version',
    },
    {
      reason: 'with a template of names without the random part',
      object: aDeployment({ spec: { machineNaming: { template: 'a' } } }),
      problem: 'spec.machineNaming.template: Invalid value: "a": invalid template, {{ .random }} is missing',
    },
    {
      reason: 'with taints, which need a gate',
      object: aDeployment({ template: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }),
      problem:
        'spec.template.spec.taints: Forbidden: taints are not allowed to be set when the feature gate MachineTaintPropagation is disabled',
    },
    {
      reason: 'with a label of its template that no object may have',
      object: aDeployment({ labels: { '/a': '' } }),
      problem: 'spec.template.metadata.labels: Invalid value: "/a": prefix part must be non-empty',
    },
  ])('$reason', ({ object, problem }) => {
    expect(verdictOf(object, machineDeployment)).toBe(`422: ${problem}`);
  });

  it.each([
    { object: rolling({ maxSurge: '1%' }) },
    { object: rolling({ maxSurge: '0%', maxUnavailable: '0%' }) },
    { object: rolling({ maxSurge: 0, maxUnavailable: '0%' }) },
    { object: aDeployment({ spec: { remediation: { maxInFlight: 5 } } }) },
    { object: aDeployment({ spec: { remediation: { maxInFlight: '20%' } } }) },
  ])('but not $object.spec', ({ object }) => {
    expect(verdictOf(object, machineDeployment)).toBe('allowed');
  });

  it('if its Cluster changes', () => {
    const old = aDeployment();
    const moved = aDeployment({ spec: { clusterName: 'c2' }, template: { clusterName: 'c2' } });
    const torn = aDeployment({ spec: { clusterName: 'c2' } });
    const changed = 'spec.clusterName: Forbidden: field is immutable';
    expect(verdictOf(moved, { ...machineDeployment, old })).toBe(`422: ${changed}`);
    expect(verdictOf(torn, { ...machineDeployment, old })).toBe(
      `422: [${changed}, spec.clusterName: Invalid value: "c2": spec.clusterName and spec.template.spec.clusterName must be set to the same value]`,
    );
  });

  it('with the taint of a control plane', () => {
    const key = 'node-role.kubernetes.io/control-plane';
    expect(
      verdictOf(aDeployment({ template: { taints: [{ key }] } }), { ...machineDeployment, gates: withTaints }),
    ).toBe(`422: spec.template.spec.taints[0].key: Invalid value: "${key}": taint is not allowed for worker Machines`);
  });
});
