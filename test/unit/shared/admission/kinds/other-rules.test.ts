import type { JsonObject } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../../../../../shared/admission/kinds/core-rules.ts';
import { claimNameOf } from '../../../../../shared/admission/kinds/ip-address.ts';
import { defaulted, verdictOf } from './judged-write.ts';

function anObject(spec: object, metadata: object = {}): JsonObject {
  return { metadata: { name: 'x', namespace: 'ns', ...metadata }, spec };
}

describe('a MachineDrainRule', () => {
  const rule = { group: 'cluster.x-k8s.io', kind: 'MachineDrainRule' } as const;
  const drain = (behavior: string, order?: number): JsonObject =>
    anObject({ drain: { behavior, ...(order === undefined ? {} : { order }) } });

  it.each([
    ['Skip', 5],
    ['WaitCompleted', 5],
    ['Skip', 0],
  ])('with the behavior %s has no order: %i', (behavior, order) => {
    expect(verdictOf(drain(behavior, order), rule)).toBe(
      `422: spec.drain.order: Invalid value: ${order}: order must not be set if drain behavior is "Skip" or "WaitCompleted"`,
    );
  });

  it('is allowed with an order of drains, and without one', () => {
    expect(
      ['Drain', 'Skip'].map((behavior, index) => verdictOf(drain(behavior, index === 0 ? 5 : undefined), rule)),
    ).toEqual(['allowed', 'allowed']);
  });

  it('is refused for each selector that is not valid, in order', () => {
    const bad = { matchExpressions: [{ key: '', operator: 'Nope' }] };
    const object = anObject({
      machines: [{}, { selector: bad, clusterSelector: bad }],
      pods: [{ selector: bad, namespaceSelector: bad }],
    });
    const problem =
      'Invalid value: {"matchExpressions":[{"key":"","operator":"Nope"}]}: "Nope" is not a valid label selector operator';
    const fields = [
      'machines[1].selector',
      'machines[1].clusterSelector',
      'pods[0].selector',
      'pods[0].namespaceSelector',
    ];
    expect(verdictOf(object, rule)).toBe(`422: [${fields.map(field => `spec.${field}: ${problem}`).join(', ')}]`);
  });
});

describe('a ClusterResourceSet', () => {
  const set = { group: 'addons.cluster.x-k8s.io', kind: 'ClusterResourceSet' } as const;
  const selecting = (clusterSelector: object, strategy?: string): JsonObject =>
    anObject({ clusterSelector, ...(strategy === undefined ? {} : { strategy }) });
  const foo = { matchLabels: { foo: 'bar' } };

  it.each([undefined, '', 'ApplyOnce'])('is applied once by default: %s', strategy => {
    expect(defaulted(selecting(foo, strategy), set)).toEqual(selecting(foo, 'ApplyOnce'));
  });

  it('keeps its strategy, which a manifest without strategy changes', () => {
    const old = selecting(foo, 'Reconcile');
    expect(defaulted(old, set)).toEqual(old);
    expect(verdictOf(selecting(foo), { ...set, old })).toBe(
      '422: spec.strategy: Invalid value: "ApplyOnce": field is immutable',
    );
    expect(verdictOf(old, { ...set, old })).toBe('allowed');
    expect(verdictOf(old, { ...set, old: selecting(foo, '') })).toBe('allowed');
  });

  it('selects some Clusters', () => {
    expect(verdictOf(selecting({}), set)).toBe(
      '422: spec.clusterSelector: Invalid value: {}: selector must not be empty',
    );
    expect(verdictOf(selecting(foo), set)).toBe('allowed');
    expect(verdictOf(selecting({ matchLabels: { a: '-' } }), set)).toContain(
      'spec.clusterSelector: Invalid value: {"matchLabels":{"a":"-"}}: values[0][a]: ',
    );
  });

  it.each([
    { changed: { matchLabels: { foo: 'baz' } }, printed: '{"matchLabels":{"foo":"baz"}}' },
    { changed: { ...foo, matchExpressions: [] }, printed: '{"matchLabels":{"foo":"bar"}}' },
  ])('keeps its selector: $changed', ({ changed, printed }) => {
    expect(verdictOf(selecting(changed), { ...set, old: selecting(foo, 'ApplyOnce') })).toBe(
      `422: spec.clusterSelector: Invalid value: ${printed}: field is immutable`,
    );
  });
});

describe('a ClusterResourceSetBinding', () => {
  const binding = { group: 'addons.cluster.x-k8s.io', kind: 'ClusterResourceSetBinding' } as const;
  it('keeps the Cluster that was stored', () => {
    const of = (clusterName?: string): JsonObject => anObject(clusterName === undefined ? {} : { clusterName });
    const refused = (name: string) => `422: spec.clusterName: Invalid value: "${name}": field is immutable`;
    expect(verdictOf(of('c2'), { ...binding, old: of('c1') })).toBe(refused('c2'));
    expect(verdictOf(of(), { ...binding, old: of('c1') })).toBe(refused(''));
    expect(verdictOf(of('c1'), { ...binding, old: of('') })).toBe('allowed');
    expect(verdictOf(of(), binding)).toBe('allowed');
  });
});

describe('an IPAddress', () => {
  const address = { group: 'ipam.cluster.x-k8s.io', kind: 'IPAddress' } as const;
  const poolRef = { apiGroup: 'ipam.cluster.x-k8s.io', kind: 'TestPool', name: 'pool' };
  const anAddress = (spec: object = {}, metadata = {}): JsonObject =>
    anObject({ claimRef: { name: 'cl' }, poolRef, address: '10.0.0.1', prefix: 24, ...spec }, metadata);
  const claim = (pool: object = poolRef) => ({ object: anObject({ poolRef: pool }) });

  it.each([
    { spec: { prefix: 64 }, problem: 'spec.prefix: Invalid value: 64: prefix is too large for an IPv4 address' },
    { spec: { prefix: -1 }, problem: 'spec.prefix: Invalid value: -1: prefix cannot be negative' },
    {
      spec: { address: '42::1', prefix: 256 },
      problem: 'spec.prefix: Invalid value: 256: prefix is too large for an IPv6 address',
    },
    {
      spec: { address: '42', gateway: 'x', prefix: 256 },
      problem:
        '[spec.address: Invalid value: "42": not a valid IP address, spec.gateway: Invalid value: "x": not a valid IP address]',
    },
    { spec: { address: '10.0.0.01' }, problem: 'spec.address: Invalid value: "10.0.0.01": not a valid IP address' },
    { spec: { address: '10.0.0.1/8' }, problem: 'spec.address: Invalid value: "10.0.0.1/8": not a valid IP address' },
    {
      spec: { address: '10.0.0.1%eth0' },
      problem: 'spec.address: Invalid value: "10.0.0.1%eth0": not a valid IP address',
    },
    { spec: { address: 'fe80::1%' }, problem: 'spec.address: Invalid value: "fe80::1%": not a valid IP address' },
  ])('is refused: $problem', ({ spec, problem }) => {
    expect(verdictOf(anAddress(spec), address)).toBe(`403: ${problem}`);
  });

  it.each([
    { address: '42::1', prefix: 64 },
    { address: 'fe80::1%eth0', prefix: 128 },
    { address: '::ffff:10.0.0.1', prefix: 96 },
    { prefix: undefined, gateway: '10.0.0.254' },
    { prefix: 32, gateway: '' },
  ])('is allowed with %j', spec => {
    expect(verdictOf(anAddress(spec), address)).toBe('allowed');
  });

  it('belongs to the pool of its claim', () => {
    expect(claimNameOf(anAddress())).toBe('cl');
    expect(verdictOf(anAddress(), { ...address, claim: claim() })).toBe('allowed');
    expect(verdictOf(anAddress(), { ...address, claim: 'absent' })).toBe('allowed');
    expect(verdictOf(anAddress({ poolRef: { ...poolRef, name: 'nothing' } }), { ...address, claim: claim() })).toBe(
      '403: spec.poolRef: Invalid value: {"name":"nothing","kind":"TestPool","apiGroup":"ipam.cluster.x-k8s.io"}: the referenced pool is different from the pool referenced by the claim this address should fulfill',
    );
    expect(verdictOf(anAddress(), { ...address, claim: { error: 'boom' } })).toBe(
      '403: spec.claimRef: Internal error: failed to fetch claim: boom',
    );
  });

  it('does not change', () => {
    const old = anAddress();
    const verdict = verdictOf(anAddress({ address: '10.0.0.2' }), { ...address, old });
    expect(verdict).toContain('403: spec: Forbidden: IPAddress spec is immutable. Diff: stored {"address":"10.0.0.1",');
    expect(verdict).toContain('written {"address":"10.0.0.2",');
    expect(verdictOf(anAddress({}, { labels: { a: 'b' } }), { ...address, old, claim: claim({}) })).toBe('allowed');
    expect(verdictOf({ metadata: { name: 'x' } }, { ...address, old })).toContain(', written null');
    expect(verdictOf(old, { ...address, old: { metadata: { name: 'x' } } })).toContain('Diff: stored null, ');
  });
});

describe('an IPAddressClaim', () => {
  const kind = { group: 'ipam.cluster.x-k8s.io', kind: 'IPAddressClaim' } as const;
  it('does not change', () => {
    const old = anObject({ poolRef: { name: 'p' } });
    expect(verdictOf(old, kind)).toBe('allowed');
    expect(verdictOf({ ...old, metadata: { name: 'y' } }, { ...kind, old })).toBe('allowed');
    expect(verdictOf(anObject({ poolRef: { name: 'p' }, clusterName: 'c1' }), { ...kind, old })).toContain(
      '403: spec: Forbidden: IPAddressClaim spec is immutable. Diff: ',
    );
  });
});

describe('other kinds', () => {
  it('have no rules here', () => {
    expect(rulesOf({ group: 'cluster.x-k8s.io', kind: 'Cluster' })).toBeUndefined();
    expect(rulesOf({ group: 'example.io', kind: 'Machine' })).toBeUndefined();
  });
});
