import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { parseObject, toListedPage, toUnstructured } from '../../../../../shared/kubernetes/rest/bodies.ts';

const widget = { apiVersion: 'example.com/v1', kind: 'Widget' };
const object = toUnstructured({ metadata: { namespace: 'ns', name: 'w' }, spec: { size: 'L' } }, widget);

describe('an object in a response', () => {
  it('has the requested kind, and keeps every field', () => {
    const raw = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: { name: 'w' }, extra: [1] };
    expect(toUnstructured(raw, widget)).toEqual({ ...widget, metadata: { name: 'w' }, extra: [1] });
  });

  it('is the result of the parser', () => {
    expect(parseObject(object, raw => JSON.stringify(raw).length)).toEqual({
      ok: true,
      value: JSON.stringify(object).length,
    });
  });

  it('is Unparsable if the parser rejects it: one line with its name and each invalid field', () => {
    const schema = z.object({ spec: z.object({ size: z.number(), colour: z.string() }) });
    expect(parseObject(object, raw => schema.parse(raw))).toEqual({
      ok: false,
      missing: false,
      failure: {
        reason: 'Unparsable',
        message: 'Widget ns/w: spec.size: expected number; spec.colour: expected string',
      },
    });
  });
});

describe('one page of a list', () => {
  it.each([
    { raw: { items: [{ metadata: { name: 'w' } }], metadata: { resourceVersion: '7' } }, names: ['w'] },
    { raw: { items: null, metadata: { resourceVersion: '7' } }, names: [] },
  ])('holds $names', ({ raw, names }) => {
    const page = toListedPage(raw, widget);
    expect(page.items.map(({ metadata }) => metadata.name)).toEqual(names);
    expect(page).toMatchObject({ resourceVersion: '7' });
    expect(page).not.toHaveProperty('continue');
  });

  it('has a link to the next page', () => {
    const raw = { items: [], metadata: { resourceVersion: '7', continue: 'token' } };
    expect(toListedPage(raw, widget)).toEqual({ items: [], resourceVersion: '7', continue: 'token' });
  });

  it.each([
    { raw: undefined, reason: 'nothing' },
    { raw: { items: {}, metadata: { resourceVersion: '7' } }, reason: 'items that are not a list' },
    { raw: { items: [], metadata: {} }, reason: 'no version to go on from' },
  ])('is rejected with $reason', ({ raw }) => {
    expect(() => toListedPage(raw, widget)).toThrow('the answer is not a list');
  });
});
