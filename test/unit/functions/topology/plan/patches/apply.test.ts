import type { JsonObject } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { found } from '../desired/desired-input.ts';
import { applied, type PatchRunOptions, started } from './patch-run.ts';

const uid = 'infrastructureCluster';
const kind = 'GenericInfrastructureClusterTemplate';
const onePatch: PatchRunOptions = { ofClass: { spec: { patches: [{ name: 'p' }] } } };

function templateOf(run: ReturnType<typeof started>['run']): JsonObject {
  const { items } = run.validateRequest(found(started(onePatch).patches[0]));
  return found(items.map(({ object }) => object as JsonObject).find(object => object['kind'] === kind)); // True: a template is JSON
}

/** Returns the template after this document of an extension. A list is a JSON patch, an object is a merge patch. */
function templateAfter(document: JsonObject | readonly JsonObject[]): JsonObject {
  const text = JSON.stringify(document);
  const { problem, run } = applied(uid, [text], onePatch);
  expect(problem).toBeUndefined();
  return templateOf(run);
}

const before = templateOf(started(onePatch).run);
const specOf = (template: JsonObject) => template['spec'] as { readonly template: { readonly spec: JsonObject } }; // True: it is the spec of an infrastructure template
const withFoo = {
  ...before,
  spec: {
    ...specOf(before),
    template: { ...specOf(before).template, spec: { ...specOf(before).template.spec, foo: 1 } },
  },
};
const foo = { op: 'add', path: '/spec/template/spec/foo', value: 1 };

describe('a patch of an extension changes the spec, the labels and the annotations alone', () => {
  it.each([
    { document: [foo], reason: 'JSON patch of the spec' },
    { document: [foo, { op: 'replace', path: '/kind', value: 'Other' }], reason: 'JSON patch of the kind too' },
    { document: [{ op: 'add', path: '/metadata/name', value: 'n' }, foo], reason: 'JSON patch of the name too' },
    { document: { spec: { template: { spec: { foo: 1 } } } }, reason: 'merge patch of the spec' },
    { document: { kind: 'Other', spec: { template: { spec: { foo: 1 } } } }, reason: 'merge patch of the kind too' },
    {
      document: { spec: { template: { spec: { foo: 1 } } }, metadata: { name: 'n' } },
      reason: 'merge patch of the name too',
    },
  ])('$reason', ({ document }) => {
    expect(templateAfter(document)).toEqual(withFoo);
  });

  it('keeps a spec that is removed', () => {
    expect(templateAfter([{ op: 'remove', path: '/spec' }])).toEqual(before);
    expect(templateAfter({ spec: null })).toEqual(before);
  });

  it('keeps a field outside the spec that is moved into it', () => {
    const after = templateAfter([{ op: 'move', from: '/kind', path: '/spec/template/spec/foo' }]);
    expect([after['kind'], specOf(after).template.spec['foo']]).toEqual([kind, kind]);
  });

  it('takes labels and annotations', () => {
    const metadata = { labels: { l: '1' }, annotations: { a: '2' } };
    expect(templateAfter({ metadata })['metadata']).toMatchObject(metadata);
  });
});

describe('a patch of an extension beyond a limit is an error', () => {
  const json = JSON.stringify([foo, foo]);
  const merge = JSON.stringify({ spec: { template: { spec: { deep: { deep: {} } } } } });
  it.each([
    { limits: { operationsPerTemplate: 1 }, document: json, problem: 'more than 1 operations on one template' },
    { limits: { operations: 1 }, document: json, problem: 'more than 1 operations on all templates' },
    { limits: { made: 10 }, document: json, problem: 'patches make more than 10 characters for all templates' },
    { limits: { operationsPerTemplate: 0 }, document: merge, problem: 'more than 0 operations on one template' },
    { limits: { made: 10 }, document: merge, problem: 'patches make more than 10 characters for all templates' },
  ])('$problem', ({ limits, document, problem }) => {
    const place = document === json ? 'JSON' : 'merge';
    const message = applied(uid, [document], { ...onePatch, limits }).problem;
    expect(message).toContain(`limit exceeded: ${problem} (`);
    expect(message).toContain(
      place === 'JSON' ? 'error applying json patch (RFC6902)' : 'error applying json merge patch (RFC7386)',
    );
  });
});
