import { type JsonObject, WorkMeter } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { topologyTemplates } from '../../../../../support/topology-objects.ts';
import { at } from '../desired/desired-input.ts';
import { applied, forInfrastructure, infrastructureSelector, problemOfPatches, start } from './patch-run.ts';

const foo = '/spec/template/spec/foo';
const add = (value: unknown, path = foo): JsonObject => ({ op: 'add', path, value });
const rendered = (template: string): JsonObject => ({ op: 'add', path: foo, valueFrom: { template } });

/** Returns JSON with this number of nested lists. */
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const nestedObjects = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const repeated = <T>(count: number, of: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => of(index));

const generated =
  'failed to generate JSON patches for "GenericInfrastructureClusterTemplate": failed to calculate value';
const inlinePlace = (index = 0) =>
  `(definitions[0].jsonPatches[${index}], GenericInfrastructureClusterTemplate of Cluster ns1/c1)`;
const json = 'failed to apply patch: error applying json patch (RFC6902)';
const merge = 'failed to apply patch: error applying json merge patch (RFC7386)';
const template = 'GenericInfrastructureClusterTemplate of Cluster ns1/c1';

describe('bombs in templates', () => {
  it.each([
    {
      reason: 'a definition that invokes itself',
      text: '{{ define "x" }}{{ template "x" . }}{{ end }}{{ template "x" . }}',
      limit: 'exceeded',
    },
    {
      reason: 'definitions that double',
      text: `${repeated(40, n => `{{ define "t${n}" }}{{ template "t${n + 1}" }}{{ template "t${n + 1}" }}{{ end }}`).join('')}{{ define "t40" }}{{ end }}{{ template "t0" }}`,
      limit: 'limit exceeded: more than 2000000 steps',
    },
    {
      reason: 'a loop without end',
      text: '{{ range 1000000000 }}{{ end }}',
      limit: 'limit exceeded: more than 2000000 steps',
    },
    {
      reason: 'loops inside each other',
      text: `${'{{ range 1000 }}'.repeat(5)}x${'{{ end }}'.repeat(5)}`,
      limit: 'limit exceeded',
    },
    {
      reason: 'a long output',
      text: '{{ range 500000 }}0123456789{{ end }}',
      limit: 'limit exceeded: an output of more than 4194304 bytes',
    },
    {
      reason: 'parentheses inside each other',
      text: `{{ ${'('.repeat(5000)}1${')'.repeat(5000)} }}`,
      limit: 'limit exceeded',
    },
    {
      reason: 'blocks inside each other',
      text: '{{ if true }}'.repeat(5000) + '{{ end }}'.repeat(5000),
      limit: 'limit exceeded',
    },
    {
      reason: 'a YAML of aliases that multiply',
      text: `a0: &a0 [x, x]\n${repeated(30, n => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`).join('\n')}`,
      limit: 'limit exceeded: more than 200000 values, aliases followed',
    },
    {
      reason: 'a YAML that is deep',
      text: nested(5000),
      limit: 'limit exceeded: more than 200 lists and maps inside each other',
    },
    { reason: 'a YAML that contains itself', text: 'a: &a [*a]', limit: "anchor 'a' value contains itself" },
  ])('end with an error: $reason', ({ text, limit }) => {
    const problem = problemOfPatches(forInfrastructure([rendered(text)]));
    expect(problem).toContain(`${generated} for template: failed to`);
    expect(problem).toContain(limit);
    expect(problem).toContain('(definitions[0].jsonPatches[0])');
    expect(problem?.length).toBeLessThan(5000);
  });

  it('are truncated: many long errors', () => {
    const jsonPatches = (index: number) => [rendered(`{{ .v.w }}${'x'.repeat(9000)}${index}`)];
    const definitions = repeated(100, index => ({
      selector: infrastructureSelector,
      jsonPatches: [rendered(`{{ .v${index}.w | len }}`), ...jsonPatches(index)],
    }));
    const problem = problemOfPatches({ ofClass: { spec: { patches: [{ name: 'p', definitions }] } } });
    expect(problem?.split('failed to generate JSON patches')).toHaveLength(21);
    expect(problem?.endsWith(', and more]')).toBe(true);
  });

  it('work no longer than all templates together may', () => {
    const options = forInfrastructure(repeated(4, index => rendered(`{{ range 400 }}{{ end }}${index}`)));
    expect(problemOfPatches(options)).toBeUndefined();
    expect(
      problemOfPatches({ ...options, meter: new WorkMeter({ units: 100_000, what: 'patches', remedy: 'less' }) }),
    ).toContain('limit exceeded: patches take more than 100000 units of work: less');
  });

  it('pay for the memory of YAML with many tokens', () => {
    const options = forInfrastructure([rendered('[{{ repeat 9000 "{}," }}]')]);
    const meter = new WorkMeter({ units: 5_000_000, what: 'patches', remedy: 'less' });
    expect(problemOfPatches({ ...options, meter })).toContain('patches take more than 5000000 units of work: less');
  });

  it('take no more room than there is for all templates', () => {
    const options = forInfrastructure(repeated(4, index => rendered(`${index}${'x'.repeat(400)}`)));
    expect(problemOfPatches({ ...options, limits: { made: 1000 } })).toBe(
      'failed to generate JSON patches for "GenericInfrastructureClusterTemplate": ' +
        'limit exceeded: patches make more than 1000 characters for all templates (definitions[0].jsonPatches[2])',
    );
  });

  it('have the same length limit in a condition', () => {
    const options = forInfrastructure([add(1)], { enabledIf: 'true # a comment' });
    expect(problemOfPatches({ ...options, limits: { made: 10 } })).toBe(
      'failed to calculate if patch is enabled for "GenericInfrastructureClusterTemplate": ' +
        'limit exceeded: patches make more than 10 characters for all templates',
    );
  });
});

describe('bombs in JSON patches', () => {
  it('end with an error: a value that is too large for a template', () => {
    const options = forInfrastructure(repeated(5, index => add('x'.repeat(400), `${foo}${index}`)));
    expect(problemOfPatches({ ...options, limits: { templateSize: 2000 } })).toBe(
      `${json}: limit exceeded: the patched template has more than 2000 characters ${inlinePlace(3)}`,
    );
  });

  it('do not count removed values', () => {
    const large = 'x'.repeat(400_000);
    const toggled = repeated(10, () => [add(large), { op: 'remove', path: foo }]).flat();
    const replaced = repeated(10, () => add({ a: [large] }));
    expect(applied('infrastructureCluster', [JSON.stringify([...toggled, ...replaced])]).problem).toBeUndefined();
  });

  it('end with an error: a value that is too deep', () => {
    expect(problemOfPatches(forInfrastructure([add(JSON.parse(nested(96)))]))).toBeUndefined();
    expect(problemOfPatches(forInfrastructure([add(JSON.parse(nestedObjects(98)))]))).toBe(
      `${json}: limit exceeded: nested more than 100 levels deep ${inlinePlace()}`,
    );
  });

  it('end with an error: a value that grows into depth step by step', () => {
    const { problem } = applied('infrastructureCluster', [
      JSON.stringify([
        add({}),
        ...repeated(100, () => [
          { op: 'move', from: foo, path: '/spec/template/spec/bar' },
          add({}),
          { op: 'move', from: '/spec/template/spec/bar', path: `${foo}/inner` },
        ]).flat(),
      ]),
    ]);
    expect(problem).toContain(`${json}: limit exceeded: nested more than 100 levels deep (items[0], operation `);
  });

  it('end with an error: copies that double', () => {
    const { problem } = applied('infrastructureCluster', [
      JSON.stringify([add(['x']), ...repeated(60, () => ({ op: 'copy', from: foo, path: `${foo}/-` }))]),
    ]);
    expect(problem).toMatch(
      /limit exceeded: the patched template has more than 1572864 characters \(items\[0\], operation \d+/,
    );
  });

  it('end with an error: copies that are removed again', () => {
    const copies = repeated(200, () => [
      { op: 'copy', from: foo, path: '/spec/template/spec/bar' },
      { op: 'remove', path: '/spec/template/spec/bar' },
    ]).flat();
    const { problem } = applied('infrastructureCluster', [JSON.stringify([add('x'.repeat(400_000)), ...copies])]);
    expect(problem).toContain(
      'limit exceeded: patches make more than 33554432 characters for all templates (items[0], operation ',
    );
  });

  it('end with an error: repeated moves of large values', () => {
    const moves = repeated(1000, () => [
      { op: 'move', from: foo, path: '/spec/template/spec/bar' },
      { op: 'move', from: '/spec/template/spec/bar', path: foo },
    ]).flat();
    const { problem } = applied('infrastructureCluster', [
      JSON.stringify([add(repeated(10_000, () => 1)), { op: 'add', path: `${foo}/-`, value: 2 }, ...moves]),
    ]);
    expect(problem).toContain(
      'limit exceeded: patches need more than 5000000 steps for all templates (items[0], operation ',
    );
  });

  it('end with an error: writes into large copied values', () => {
    const wide = JSON.stringify(Object.fromEntries(repeated(1000, index => [`k${index}`, 1])));
    const { problem } = applied(
      'infrastructureCluster',
      [
        `[{"op":"add","path":"${foo}","value":${wide}}]`,
        ...repeated(100, () => JSON.stringify([add(1, `${foo}/k1`), add(1, '/status')])),
      ],
      { limits: { made: 200_000 } },
    );
    expect(problem).toContain('limit exceeded: patches make more than 200000 characters for all templates');
  });

  it.each([
    { limits: { operationsPerTemplate: 10 }, text: 'more than 10 operations on one template' },
    { limits: { operations: 10 }, text: 'more than 10 operations on all templates' },
  ])('end with an error: $text', ({ limits, text }) => {
    expect(problemOfPatches({ ...forInfrastructure(repeated(10, () => add(1))), limits })).toBeUndefined();
    expect(problemOfPatches({ ...forInfrastructure(repeated(11, () => add(1))), limits })).toBe(
      `failed to generate JSON patches for "GenericInfrastructureClusterTemplate": limit exceeded: ${text} (definitions[0].jsonPatches[10])`,
    );
    const { problem } = applied('infrastructureCluster', [JSON.stringify(repeated(11, () => add(1)))], { limits });
    expect(problem).toBe(`${json}: limit exceeded: ${text} (items[0], ${template})`);
  });

  it('end with an error: a document that is deep', () => {
    const { problem } = applied('infrastructureCluster', [`[{"op":"add","path":"${foo}","value":${nested(200_000)}}]`]);
    expect(problem).toBe(
      `${json}: limit exceeded: nested more than 100 levels deep (items[0], operation 0, ${template})`,
    );
    const test = applied('infrastructureCluster', [`[{"op":"test","path":"/spec","value":${nested(200_000)}}]`]);
    expect(test.problem).toContain('testing value /spec failed: test failed');
  });

  it('do not change prototypes', () => {
    const keys = ['__proto__', 'constructor', 'prototype'];
    const { problem, run } = applied('infrastructureCluster', [
      JSON.stringify(keys.map(key => add({ polluted: 1 }, `/spec/template/spec/${key}`))),
      JSON.parse('{"spec":{"template":{"spec":{"__proto__":{"more":2}}}}}'),
    ]);
    const desired = run.finish();
    expect(problem).toBeUndefined();
    expect(JSON.stringify(at(desired.ok ? desired.value : undefined, 'infrastructureCluster.spec'))).toBe(
      '{"region":"r1","__proto__":{"polluted":1,"more":2},"constructor":{"polluted":1},"prototype":{"polluted":1}}',
    );
    expect('polluted' in {}).toBe(false);
  });
});

describe('bombs in merge patches', () => {
  it('end with an error: one that is deep', () => {
    expect(applied('infrastructureCluster', [nestedObjects(50_000)]).problem).toBe(
      `${merge}: limit exceeded: nested more than 100 levels deep (items[0], ${template})`,
    );
  });

  it('end with an error: one that is large', () => {
    const spec = { template: { spec: { foo: 'x'.repeat(2_000_000) } } };
    expect(applied('infrastructureCluster', [{ spec }]).problem).toBe(
      `${merge}: limit exceeded: the patched template has more than 1572864 characters (items[0], ${template})`,
    );
  });
});

describe('a class template', () => {
  it('that is too deep cannot be patched, and the error names it', () => {
    const deep = { template: { spec: JSON.parse(nestedObjects(200)) } };
    const { infrastructureCluster, workerMachine } = topologyTemplates;
    const startWith = (change: object) => start({ templates: { ...topologyTemplates, ...change } });
    expect(startWith({ infrastructureCluster: infrastructureCluster.withSpec(deep) })).toBe(
      'failed to prepare GenericInfrastructureClusterTemplate ns1/infra-cluster for patching: limit exceeded: nested more than 100 levels deep',
    );
    expect(startWith({ workerMachine: workerMachine.withSpec(deep) })).toBe(
      'failed to prepare GenericInfrastructureMachineTemplate ns1/worker-machine for MachineDeployment topology md1 for patching: limit exceeded: nested more than 100 levels deep',
    );
  });
});
