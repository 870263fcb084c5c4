import { describe, expect, it } from 'vitest';
import {
  mostOperations,
  patchTemplateSpec,
} from '../../../../../functions/machinedeployment/plan/in-place/apply-patch.ts';

const templateOf = (spec: unknown) => ({ kind: 'FooMachineTemplate', spec: { template: { spec } } });
const before = { hello: 'old', size: 1 };

const replace = (path: string, value: unknown) => JSON.stringify([{ op: 'replace', path, value }]);

describe('the Machine template after a patch of an extension', () => {
  it.each([
    { patchType: '', patch: '', after: before, reason: 'there is no patch' },
    { patchType: 'JSONPatch', patch: '[]', after: before, reason: 'the JSON patch is empty' },
    { patchType: 'JSONPatch', patch: 'null', after: before, reason: 'the JSON patch is null' },
    { patchType: 'JSONMergePatch', patch: '', after: before, reason: 'the merge patch is empty' },
    { patchType: 'JSONMergePatch', patch: '{}', after: before, reason: 'the merge patch changes nothing' },
    {
      patchType: 'JSONPatch',
      patch: replace('/spec/template/spec/hello', 'new'),
      after: { hello: 'new', size: 1 },
      reason: 'a field is replaced',
    },
    {
      patchType: 'JSONMergePatch',
      patch: '{"spec":{"template":{"spec":{"hello":null,"size":2}}}}',
      after: { size: 2 },
      reason: 'a field is removed by a merge patch',
    },
    {
      patchType: 'JSONPatch',
      patch: '[{"op":"copy","from":"/spec/template/spec/hello","path":"/spec/template/spec/other"}]',
      after: { ...before, other: 'old' },
      reason: 'a field is copied',
    },
    { patchType: 'JSONPatch', patch: replace('/spec', {}), after: before, reason: 'the template is not removed' },
    { patchType: 'JSONPatch', patch: replace('/kind', 'Other'), after: before, reason: 'other fields do not count' },
  ])('$reason', ({ patchType, patch, after }) => {
    expect(patchTemplateSpec(templateOf(before), { patchType, patch })).toEqual({ ok: true, value: after });
  });

  it('leaves the object of the request unchanged', () => {
    const object = templateOf({ ...before });
    const patch = replace('/spec/template/spec/hello', 'new');
    patchTemplateSpec(object, { patchType: 'JSONPatch', patch });
    patchTemplateSpec(object, { patchType: 'JSONMergePatch', patch: '{"spec":{"template":{"spec":{"hello":"x"}}}}' });
    expect(object).toEqual(templateOf(before));
  });
});

const decoding = 'failed to apply patch: error decoding json patch (RFC6902)';
const applying = 'failed to apply patch: error applying json patch (RFC6902)';
const merging = 'failed to apply patch: error applying json merge patch (RFC7386)';
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Each operation wraps the whole template once more. */
const wraps = (count: number) => {
  const move = { op: 'copy', from: '/spec/a', path: '/spec/a/a' };
  return JSON.stringify([{ op: 'add', path: '/spec/a', value: {} }, ...Array.from({ length: count }, () => move)]);
};

describe('a patch that fails', () => {
  it.each([
    { patchType: '', patch: '[]', error: 'failed to apply patch: patchType is not set' },
    { patchType: 'Other', patch: '', error: 'failed to apply patch: unknown patchType Other' },
    { patchType: 'x'.repeat(70), patch: '', error: `failed to apply patch: unknown patchType ${'x'.repeat(64)}` },
    { patchType: 'JSONPatch', patch: '', error: `${decoding}: the body is empty` },
    { patchType: 'JSONPatch', patch: '{}', error: `${decoding}: a JSON patch must be a list of operations` },
    { patchType: 'JSONPatch', patch: '[] []', error: `${decoding}: not valid JSON` },
    { patchType: 'JSONPatch', patch: nested(201), error: `${decoding}: nested deeper than 200 levels` },
    {
      patchType: 'JSONPatch',
      patch: replace('/missing', 1),
      error: `${applying}: replace operation does not apply: doc is missing key: /missing: missing value`,
    },
    { patchType: 'JSONMergePatch', patch: '[]', error: `${merging}: a merge patch must be an object` },
    { patchType: 'JSONMergePatch', patch: `{"a":${nested(200)}}`, error: `${merging}: nested deeper than 200 levels` },
    {
      patchType: 'JSONPatch',
      patch: JSON.stringify(Array.from({ length: mostOperations + 1 }, () => ({ op: 'test', path: '/kind' }))),
      error: `${applying}: limit exceeded: more than 1000 operations in one patch`,
    },
    {
      patchType: 'JSONPatch',
      patch: wraps(199),
      error: `${applying}: limit exceeded: nested deeper than 200 levels`,
    },
    {
      patchType: 'JSONPatch',
      patch: wraps(999),
      error: `${applying}: limit exceeded: nested deeper than 200 levels`,
    },
  ])('reports $error', ({ patchType, patch, error }) => {
    expect(patchTemplateSpec(templateOf(before), { patchType, patch })).toEqual({ ok: false, error });
  });

  it('may have as many operations as the limit', () => {
    const operation = { op: 'test', path: '/kind', value: 'FooMachineTemplate' };
    const patch = JSON.stringify(Array.from({ length: mostOperations }, () => operation));
    expect(patchTemplateSpec(templateOf(before), { patchType: 'JSONPatch', patch })).toMatchObject({ ok: true });
  });

  it('may nest as deep as the limit', () => {
    expect(patchTemplateSpec(templateOf(before), { patchType: 'JSONPatch', patch: wraps(197) })).toMatchObject({
      ok: true,
    });
  });

  it('copies no more than the limit', () => {
    const text = 'x'.repeat(1024 * 1024);
    const copy = (at: number) => ({ op: 'copy', from: '/spec/template/spec', path: `/spec/${at}` });
    const patched = (count: number) => {
      const patch = JSON.stringify(Array.from({ length: count }, (_, at) => copy(at)));
      return patchTemplateSpec(templateOf({ text }), { patchType: 'JSONPatch', patch });
    };
    expect(patched(2)).toMatchObject({ ok: true });
    expect(patched(3)).toEqual({
      ok: false,
      error: `${applying}: limit exceeded: the copies of one JSON patch take more than 3145728 units of work: send the changed fields only`,
    });
  });

  it('is no reason to hide an unexpected error', () => {
    const broken = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('unexpected');
        },
      },
    );
    expect(() => patchTemplateSpec(broken, { patchType: 'JSONPatch', patch: replace('/a', 1) })).toThrow('unexpected');
  });
});
