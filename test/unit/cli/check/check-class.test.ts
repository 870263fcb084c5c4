// Findings in the patches and variables of a ClusterClass.
import { describe, expect, test } from 'vitest';
import { check } from '../../../../cli/check/check.ts';
import { aClass, aPatch, controlTemplate, infraTemplate, lines } from '../../../support/checked-class.ts';

describe('paths of patches', () => {
  test.each([
    {
      reason: 'a member of an object that is there',
      operation: '{op: add, path: /spec/template/spec/network/id, value: 1}',
    },
    { reason: 'the end of a list', operation: '{op: add, path: /spec/template/spec/zones/-, value: b}' },
    { reason: 'what is replaced', operation: '{op: replace, path: /spec/template/spec/network, value: {}}' },
  ])('may lead to $reason', ({ operation }) => {
    expect(lines(aClass(aPatch(operation)), infraTemplate, controlTemplate)).toEqual([]);
  });

  test.each([
    {
      reason: 'a parent that is missing',
      operation: '{op: add, path: /spec/template/spec/a/b, value: 1}',
      missing: '/spec/template/spec/a',
    },
    {
      reason: 'a member to replace that is missing',
      operation: '{op: replace, path: /spec/template/spec/b, value: 1}',
      missing: '/spec/template/spec/b',
    },
    {
      reason: 'a member to remove that is missing',
      operation: '{op: remove, path: /spec/template/spec/b}',
      missing: '/spec/template/spec/b',
    },
    {
      reason: 'a member of a text',
      operation: '{op: add, path: /spec/template/spec/zones/0/x, value: 1}',
      missing: '/spec/template/spec/zones/0',
    },
  ])('must not lead to $reason', ({ operation, missing }) => {
    const [finding, ...others] = lines(aClass(aPatch(operation)), infraTemplate, controlTemplate);
    expect(finding).toMatch(/^24:\d+ warning spec\.patches\[0\]\.definitions\[0\]\.jsonPatches\[0\]\.path: /);
    expect(finding).toContain(`FastClusterTemplate infra has no ${missing}, so that`);
    expect(others).toEqual([]);
  });

  test('may be below a value of an earlier patch, even if only a reconcile knows the value', () => {
    const patch = aPatch(
      '{op: add, path: /spec/template/spec/a, value: {}}',
      '{op: add, path: /spec/template/spec/a/b, valueFrom: {template: "{{ .builtin.cluster.name }}"}}',
      '{op: add, path: /spec/template/spec/a/b/c, value: 1}',
    );
    expect(lines(aClass(patch), infraTemplate, controlTemplate)).toEqual([]);
  });

  test('cannot access prototypes', () => {
    const patch = aPatch(
      '{op: add, path: /spec/__proto__/polluted, value: 1}',
      '{op: add, path: /spec/__proto__, value: {polluted: 1}}',
    );
    lines(aClass(patch), infraTemplate, controlTemplate);
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('variables', () => {
  const variables = `  variables:
  - name: region
    required: true
    schema: {openAPIV3Schema: {type: string, enum: [north, south]}}
  - name: size
    required: false
    schema: {openAPIV3Schema: {type: integer, default: 3, minimum: 1}}
`;
  const cluster = (values: string): string => `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: one}
spec:
  topology:
    classRef: {name: quick}
    version: v1.34.0
    variables:
${values}`;

  test('of a class must be well defined', () => {
    const [finding, ...others] = lines(aClass(variables.replaceAll('size', 'a.b')));
    expect(finding).toBe('20:5 error spec.variables[a.b].name: Invalid value: "a.b": variable name cannot contain "."');
    expect(others).toEqual([]);
  });

  test('that a Cluster sets must be defined', () => {
    expect(
      lines(cluster('    - {name: region, value: north}\n    - {name: colour, value: red}\n'), aClass(variables)),
    ).toEqual(['10:7 error spec.topology.variables[colour]: Invalid value: "\\"red\\"": variable is not defined']);
  });

  test('that must be set must be there', () => {
    expect(lines(cluster('    - {name: size, value: 1}\n'), aClass(variables))).toEqual([
      '8:5 error spec.topology.variables: Required value: required variable "region" must be set',
    ]);
  });

  test('that an extension may define are noted', () => {
    const patches =
      '  patches:\n  - name: ext\n    external: {generatePatchesExtension: g.e, discoverVariablesExtension: d.e}\n';
    const text = [
      cluster('    - {name: region, value: north}\n    - {name: colour, value: red}\n'),
      aClass(variables + patches),
    ].join('---\n');
    const { findings, notes } = check([{ name: 'class.yaml', text }]);
    expect(findings).toEqual([]);
    expect(notes).toContain('variables of Cluster one that extensions of its class may define were not checked');
  });
});
