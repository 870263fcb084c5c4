import { answered, refused } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import type { ApiCall } from '../../../../../shared/kubernetes/rest/requester.ts';
import { checkedAnswer } from '../../../../../shared/kubernetes/rest/workload-answers.ts';

const target = { apiVersion: 'v1', kind: 'Node' };
const resourceList = { apiVersion: 'v1', kind: 'APIResourceList' };
const metadata = { name: 'n1', uid: 'u', resourceVersion: '1' };
const node = { ...target, metadata };
const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const check = (call: Partial<ApiCall>, body: unknown) =>
  checkedAnswer({ verb: 'get', target, ...call }, answered(body), 'get nodes n1');

describe('an answer of a workload cluster', () => {
  const whole = {
    ...metadata,
    labels: { a: 'b' },
    annotations: { a: 'b' },
    finalizers: ['f'],
    ownerReferences: [{ kind: 'Machine' }],
    deletionTimestamp: '2026-01-01T00:00:00Z',
  };
  it.each<[reason: string, call: Partial<ApiCall>, body: unknown]>([
    ['an object', {}, node],
    ['an object without uid', {}, { ...target, metadata: { name: 'n1', resourceVersion: '1' } }],
    ['an object with all metadata', {}, { ...node, metadata: whole }],
    ['metadata only', { accept }, { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }],
    ['a list, whose items have no kind', { verb: 'list' }, { kind: 'NodeList', items: [{ metadata }] }],
    ['a list without items', { verb: 'list' }, { kind: 'NodeList', items: null }],
    ['the Status of a removed object', { verb: 'delete' }, { kind: 'Status' }],
    ['an object that is kept', { verb: 'delete' }, node],
    [
      'the kinds of a version',
      { target: resourceList },
      { kind: 'APIResourceList', groupVersion: 'v1', resources: [] },
    ],
    ['the same, without a kind', { target: resourceList }, { groupVersion: 'v1', resources: [] }],
    ['the Status of an eviction', { verb: 'create' }, { kind: 'Status' }],
  ])('is accepted: %s', (_reason, call, body) => {
    expect(check(call, body)).toEqual({ ok: true, value: body });
  });

  it.each<[reason: string, call: Partial<ApiCall>, body: unknown]>([
    ['a text', {}, 'nothing'],
    ['another kind', {}, { ...node, kind: 'Pod' }],
    ['another group', {}, { ...node, apiVersion: 'example.com/v1' }],
    ['metadata only, not requested', {}, { ...node, kind: 'PartialObjectMetadata' }],
    ['no metadata', {}, target],
    ['an empty uid', {}, { ...node, metadata: { ...metadata, uid: '' } }],
    ['a uid that is not a text', {}, { ...node, metadata: { ...metadata, uid: 1 } }],
    ['an empty resourceVersion', {}, { ...node, metadata: { ...metadata, resourceVersion: '' } }],
    ['a name that is not a text', {}, { ...node, metadata: { ...metadata, name: 1 } }],
    ['labels in a list', {}, { ...node, metadata: { ...metadata, labels: ['a'] } }],
    ['an annotation that is not a text', {}, { ...node, metadata: { ...metadata, annotations: { a: 1 } } }],
    ['finalizers in a text', {}, { ...node, metadata: { ...metadata, finalizers: 'f' } }],
    ['a finalizer that is not a text', {}, { ...node, metadata: { ...metadata, finalizers: [1] } }],
    ['an owner that is not an object', {}, { ...node, metadata: { ...metadata, ownerReferences: ['o'] } }],
    ['owners in an object', {}, { ...node, metadata: { ...metadata, ownerReferences: {} } }],
    ['a time that is not a text', {}, { ...node, metadata: { ...metadata, deletionTimestamp: 1 } }],
    ['no list of kinds', { target: resourceList }, { kind: 'NodeList', groupVersion: 'v1', resources: [] }],
    [
      'kinds of another version',
      { target: resourceList },
      { kind: 'APIResourceList', groupVersion: 'v2', resources: [] },
    ],
    ['kinds in a text', { target: resourceList }, { kind: 'APIResourceList', groupVersion: 'v1', resources: 'none' }],
    ['a list of another kind', { verb: 'list' }, { kind: 'PodList', items: [] }],
    ['items in a text', { verb: 'list' }, { kind: 'NodeList', items: 'none' }],
    ['an item without metadata', { verb: 'list' }, { kind: 'NodeList', items: [{ metadata }, {}] }],
  ])('is refused: %s', (_reason, call, body) => {
    expect(check(call, body)).toMatchObject({
      ok: false,
      missing: false,
      failure: { reason: 'Unparsable', code: 200 },
    });
  });

  it.each<ApiCall['verb']>(['patch', 'delete'])('leaves the outcome of a %s unknown if it makes no sense', verb => {
    expect(check({ verb }, {})).toMatchObject({ failure: { reason: 'UnknownOutcome', code: 200 } });
  });
});

describe('a failure of a workload cluster', () => {
  it('is unchanged within the bounds', () => {
    const failure = {
      reason: 'TooManyRequests',
      code: 429,
      message: 'm',
      retryAfterMs: 10_000,
      causes: ['c'],
      details: { kind: 'k', group: 'g', causes: [{ type: 't', field: 'f', message: 'm' }] },
    } as const;
    const call: ApiCall = { verb: 'create', target };
    expect(checkedAnswer(call, refused(failure), 'l')).toEqual(refused(failure));
    expect(checkedAnswer(call, refused({ reason: 'NotFound', message: 'm' }), 'l')).toEqual(
      refused({ reason: 'NotFound', message: 'm' }),
    );
  });

  it('has bounded texts, causes and waits', () => {
    const long = 'x'.repeat(10_000);
    const cut = `${'x'.repeat(4096)}…`;
    const cause = { type: long, field: long, message: long };
    const failure = {
      reason: 'Invalid',
      code: 422,
      message: long,
      retryAfterMs: 86_400_000,
      causes: Array.from({ length: 20 }, () => long),
      details: { kind: long, group: long, causes: Array.from({ length: 20 }, () => cause) },
    } as const;
    const short = { type: cut, field: cut, message: cut };
    expect(checkedAnswer({ verb: 'get', target }, refused(failure), 'l')).toEqual(
      refused({
        reason: 'Invalid',
        code: 422,
        message: cut,
        retryAfterMs: 60_000,
        causes: Array.from({ length: 16 }, () => cut),
        details: { kind: cut, group: cut, causes: Array.from({ length: 16 }, () => short) },
      }),
    );
  });
});
