import type { JsonObject } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  defaulted,
  defaultGates,
  fieldsOf,
  nameProblem,
  subdomainProblem,
  valueProblem,
  verdictOf,
  withTaints,
} from './judged-write.ts';

const machineSet = { group: 'cluster.x-k8s.io', kind: 'MachineSet' } as const;
const size = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group';
const setName = 'cluster.x-k8s.io/set-name';
const skip = 'machineset.cluster.x-k8s.io/skip-preflight-checks';

interface Parts {
  readonly spec?: object;
  /** Of the template. */
  readonly metadata?: object;
  readonly template?: object;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly name?: string;
}

function aSet({ spec = {}, metadata, template = {}, annotations, name = 'ms1' }: Parts = {}): JsonObject {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineSet',
    metadata: { name, namespace: 'ns', ...(annotations === undefined ? {} : { annotations }) },
    spec: {
      clusterName: 'c1',
      template: {
        ...(metadata === undefined ? {} : { metadata }),
        spec: { clusterName: 'c1', bootstrap: { dataSecretName: 's' }, ...template },
      },
      ...spec,
    },
  };
}

const labelled = (labels: object, matchLabels: object, parts: Parts = {}): JsonObject =>
  aSet({ ...parts, metadata: { labels }, spec: { selector: { matchLabels }, ...parts.spec } });

describe('the defaults of a MachineSet', () => {
  it('are the label of its Cluster, one replica, a selector of its own, and the prefix of its version', () => {
    const selected = { [setName]: 'ms1' };
    const plain = aSet({ template: { version: '1.34.1' } });
    expect(defaulted(plain, machineSet)).toEqual({
      ...plain,
      metadata: { name: 'ms1', namespace: 'ns', labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
      spec: {
        ...(aSet({ template: { version: 'v1.34.1' }, metadata: { labels: selected } })['spec'] as object), // true: it is one
        replicas: 1,
        selector: { matchLabels: selected },
      },
    });
  });

  it('shorten a name that is too long for a label', () => {
    const name = 'worker-pool-in-the-third-availability-zone-of-the-northern-region-a';
    const label = { [setName]: 'hash_uD6UAw_z' };
    expect(
      fieldsOf(defaulted(aSet({ name }), machineSet), 'spec.selector.matchLabels', 'spec.template.metadata.labels'),
    ).toEqual({
      'spec.selector.matchLabels': label,
      'spec.template.metadata.labels': label,
    });
  });

  it('keep a selector with a requirement, and write no empty metadata', () => {
    const own = labelled({ foo: 'bar' }, { foo: 'bar' });
    expect(fieldsOf(defaulted(own, machineSet), 'spec.selector', 'spec.template.metadata')).toEqual({
      'spec.selector': { matchLabels: { foo: 'bar' } },
      'spec.template.metadata': { labels: { foo: 'bar' } },
    });
    const selector = { matchExpressions: [{ key: 'k', operator: 'DoesNotExist' }] };
    expect(
      fieldsOf(defaulted(aSet({ spec: { selector } }), machineSet), 'spec.selector', 'spec.template.metadata'),
    ).toEqual({
      'spec.selector': selector,
      'spec.template.metadata': undefined,
    });
  });
});

describe('the replicas of a MachineSet', () => {
  const sized = (least: string | undefined, most: string | undefined, spec: object = {}): JsonObject =>
    aSet({
      spec,
      annotations: {
        ...(least === undefined ? {} : { [`${size}-min-size`]: least }),
        ...(most === undefined ? {} : { [`${size}-max-size`]: most }),
      },
    });
  const scaled = (replicas?: number): JsonObject => aSet({ spec: replicas === undefined ? {} : { replicas } });

  it.each([
    { when: 'when it is created', object: sized('3', '7'), old: undefined, replicas: 3 },
    { when: 'from less', object: sized('3', '7'), old: scaled(1), replicas: 3 },
    { when: 'from more', object: sized('3', '7'), old: scaled(15), replicas: 7 },
    { when: 'from between', object: sized('3', '7'), old: scaled(4), replicas: 4 },
    { when: 'from none', object: sized('3', '7'), old: scaled(), replicas: 3 },
    { when: 'with limits in the wrong order', object: sized('7', '3'), old: undefined, replicas: 7 },
    { when: 'from less than limits in the wrong order', object: sized('7', '3'), old: scaled(5), replicas: 7 },
    { when: 'from more than limits in the wrong order', object: sized('7', '3'), old: scaled(8), replicas: 3 },
    { when: 'with replicas', object: sized('3', '7', { replicas: 5 }), old: undefined, replicas: 5 },
    { when: 'with 0 replicas', object: sized('3', '7', { replicas: 0 }), old: undefined, replicas: 0 },
    { when: 'with the minimum only', object: sized('3', undefined), old: undefined, replicas: 1 },
    { when: 'with the maximum only', object: sized(undefined, '7'), old: scaled(5), replicas: 1 },
    { when: 'with signs', object: sized('+3', '+7'), old: scaled(9), replicas: 7 },
    {
      when: 'with replicas, whatever the annotations',
      object: sized('abc', '7', { replicas: 2 }),
      old: undefined,
      replicas: 2,
    },
  ])('are $replicas $when', ({ object, old, replicas }) => {
    const write = old === undefined ? machineSet : { ...machineSet, old };
    expect(defaulted(object, write)).toMatchObject({ spec: { replicas } });
  });

  it.each([
    { least: 'abc', most: '7', annotation: 'min', text: 'abc', why: 'invalid syntax' },
    { least: '1_0', most: 'abc', annotation: 'min', text: '1_0', why: 'invalid syntax' },
    { least: '3', most: '99999999999', annotation: 'max', text: '99999999999', why: 'value out of range' },
    { least: '-2147483649', most: '7', annotation: 'min', text: '-2147483649', why: 'value out of range' },
    { least: '3', most: '', annotation: 'max', text: '', why: 'invalid syntax' },
  ])('are refused with $text as $annotation', ({ least, most, annotation, text, why }) => {
    expect(verdictOf(sized(least, most), machineSet)).toBe(
      `403: failed to caculate MachineSet replicas value: could not parse the value of the "${size}-${annotation}-size" annotation: strconv.ParseInt: parsing "${text}": ${why}`,
    );
  });

  it.each(['2147483647', '-2147483648'])('may have the limit %s', limit => {
    expect(defaulted(sized(limit, '2147483647'), machineSet)).toMatchObject({ spec: { replicas: Number(limit) } });
  });
});

describe('a MachineSet is refused', () => {
  it.each([
    {
      reason: 'if its selector differs from its template',
      object: labelled({ foo: 'baz' }, { foo: 'bar' }),
      problem: 'spec.template.metadata.labels: Invalid value: {"foo":"baz"}: must match spec.selector "foo=bar"',
    },
    {
      reason: 'if its template has no labels',
      object: aSet({
        metadata: { annotations: { a: 'b' } },
        spec: { selector: { matchLabels: { hello: 'world', foo: 'bar' } } },
      }),
      problem: 'spec.template.metadata.labels: Invalid value: null: must match spec.selector "foo=bar,hello=world"',
    },
    {
      reason: 'if its selector is not valid',
      object: labelled({}, { '-123-foo': 'bar' }),
      problem: `spec.selector: Invalid value: {"matchLabels":{"-123-foo":"bar"}}: key: Invalid value: "-123-foo": ${nameProblem}`,
    },
    {
      reason: 'if its template names another Cluster',
      object: aSet({ spec: { clusterName: 'foo' }, template: { clusterName: 'bar' } }),
      problem: 'spec.template.spec.clusterName must be set to the same value',
    },
    {
      reason: 'without bootstrap data',
      object: aSet({ template: { bootstrap: {} } }),
      problem:
        'spec.template.spec.bootstrap: Required value: expected either spec.template.spec.bootstrap.dataSecretName or spec.template.spec.bootstrap.configRef to be populated',
    },
    {
      reason: 'with a version that is not semantic',
      object: aSet({ template: { version: 'v1' } }),
      problem: 'spec.template.spec.version: Invalid value: "v1": must be a valid semantic version',
    },
    {
      reason: 'with an unknown preflight check',
      object: aSet({ annotations: { [skip]: 'KubeadmVersionSkew, nope' } }),
      problem: `metadata.annotations.${skip}: Invalid value: ["nope"]: skipped preflight check(s) must be among: [All ControlPlaneIsStable ControlPlaneVersionSkew KubeadmVersionSkew KubernetesVersionSkew]`,
    },
    {
      reason: 'with an empty preflight check',
      object: aSet({ annotations: { [skip]: 'All,' } }),
      problem: 'Invalid value: [""]: skipped preflight check(s) must be among',
    },
    {
      reason: 'with taints, which need a gate',
      object: aSet({ template: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }),
      problem: 'spec.template.spec.taints: Forbidden: taints are not allowed',
    },
  ])('$reason', ({ object, problem }) => {
    const verdict = verdictOf(object, machineSet);
    expect(verdict.startsWith('422: ')).toBe(true);
    expect(verdict).toContain(problem);
  });

  it('if its Cluster changes', () => {
    const changed = aSet({ spec: { clusterName: 'c2' }, template: { clusterName: 'c2' } });
    expect(verdictOf(changed, { ...machineSet, old: aSet() })).toBe(
      '422: spec.clusterName: Forbidden: field is immutable',
    );
  });

  it('with the taint of a control plane', () => {
    const key = 'node-role.kubernetes.io/control-plane';
    const object = aSet({ template: { taints: [{ key: 'a/b' }, { key }] } });
    expect(verdictOf(object, { ...machineSet, gates: withTaints })).toBe(
      `422: spec.template.spec.taints[1].key: Invalid value: "${key}": taint is not allowed for worker Machines`,
    );
  });

  it('with metadata that no object may have', () => {
    const metadata = { labels: { '/key': 'x', foo: '$bad' }, annotations: { '/note': '' } };
    const object = aSet({ metadata, spec: { selector: {} } });
    expect(verdictOf(object, { ...machineSet, undefaulted: true })).toBe(
      `422: [spec.template.metadata.labels: Invalid value: "/key": prefix part must be non-empty, spec.template.metadata.labels: Invalid value: "$bad": ${valueProblem}, spec.template.metadata.annotations: Invalid value: "/note": prefix part must be non-empty]`,
    );
  });
});

describe('the preflight checks that a MachineSet skips', () => {
  it.each(['KubeadmVersionSkew, ControlPlaneIsStable', 'All', ''])('may be "%s"', text => {
    expect(verdictOf(aSet({ annotations: { [skip]: text } }), machineSet)).toBe('allowed');
  });

  it('are not judged without their gate', () => {
    const gates = { ...defaultGates, machineSetPreflightChecks: false };
    expect(verdictOf(aSet({ annotations: { [skip]: 'nope' } }), { ...machineSet, gates })).toBe('allowed');
  });
});

describe('the template of the names of Machines', () => {
  const verdict = (template: string): string => verdictOf(aSet({ spec: { machineNaming: { template } } }), machineSet);
  const refused = (template: string, why: string): string =>
    `422: spec.machineNaming.template: Invalid value: "${template}": invalid template${why}`;

  it.each(['{{ .machineSet.name }}', '{{.random}}'])('must contain the random part as written: %s', template => {
    expect(verdict(template)).toBe(refused(template, ', {{ .random }} is missing'));
  });

  it.each(['{{ .machineSet.name }}-{{ .random }}-', 'A{{ .random }}'])(
    'must result in names of objects: %s',
    template => {
      const why = `, generated names would not be valid Kubernetes object names: ${subdomainProblem}`;
      expect(verdict(template)).toBe(refused(template, why));
    },
  );

  it('must contain known values only', () => {
    const text = verdict('{{ .random }}-{{ .cluster.nam }}');
    expect(text).toContain('"{{ .random }}-{{ .cluster.nam }}": invalid template: rendering template: ');
    expect(text.endsWith('map has no entry for key "nam"')).toBe(true);
  });

  it('must be readable', () => {
    expect(verdict('{{ .random }}{{')).toContain('invalid template: parsing template ');
  });

  it('may be longer than a name', () => {
    expect(verdict(`${'a'.repeat(58)}{{ .random }}-`)).toBe('allowed');
    expect(verdict(`${'a'.repeat(57)}-{{ .random }}`)).toBe('allowed');
    expect(verdict('{{ .cluster.name }}-{{ .machineSet.name }}-{{ .random }}')).toBe('allowed');
  });
});
