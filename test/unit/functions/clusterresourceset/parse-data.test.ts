// The objects that the data of a ConfigMap or Secret describe. A tenant writes the data.

import { WorkMeter } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { mostObjects } from '../../../../functions/clusterresourceset/phases/manifest.ts';
import { parseData } from '../../../../functions/clusterresourceset/phases/parse-data.ts';

const problem = 'failed converting data to unstructured objects: key "a": ';

function namesIn(...texts: readonly string[]): readonly string[] | string {
  const parsed = parseData(texts.map((text, index) => ({ key: 'abc'.charAt(index), text })));
  return parsed.ok ? parsed.value.map(({ kind, name }) => `${kind} ${name}`) : parsed.error;
}

const object = (kind: string, name: string) => `kind: ${kind}\nmetadata: {name: ${name}}`;

describe('the objects of data', () => {
  it('are in the order of the keys, those of one key in the order of kinds', () => {
    const one = [object('Deployment', 'd'), object('Pod', 'p'), object('Namespace', 'ns1'), object('ConfigMap', 'c')];
    const many = ['Endpoints', 'ReplicaSet', 'LimitRange', 'ServiceAccount', 'Secret', 'StorageClass'];
    expect(namesIn(one.join('\n---\n'), object('Namespace', 'late'))).toEqual([
      'Namespace ns1',
      'ConfigMap c',
      'Pod p',
      'Deployment d',
      'Namespace late',
    ]);
    expect(namesIn(many.map(kind => object(kind, 'x')).join('\n---\n'))).toEqual([
      'StorageClass x',
      'Secret x',
      'ServiceAccount x',
      'LimitRange x',
      'ReplicaSet x',
      'Endpoints x',
    ]);
  });

  it.each([
    { text: '', names: [], reason: 'an empty value' },
    { text: '# comment\n---\n---  \n--- # more\n', names: [], reason: 'comments and empty documents' },
    { text: 'kind: Namespace', names: ['Namespace '], reason: 'a short value' },
    {
      text: '[{"kind":"A"},{"kind":"B","metadata":{"name":"b"}}]',
      names: ['A ', 'B b'],
      reason: 'a list',
    },
    { text: ' \n[]', names: [], reason: 'an empty list' },
    { text: 'kind: 1\nmetadata: text', names: [' '], reason: 'members of other types' },
  ])('are $names.length for $reason', ({ text, names }) => {
    expect(namesIn(text)).toEqual(names);
  });

  it.each([
    { text: '[{"kind":"A",', error: 'the value is not a JSON list of objects', reason: 'a cut list' },
    { text: '[1]', error: 'the value is not a JSON list of objects', reason: 'a list of numbers' },
    {
      text: `[{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}]`,
      error: 'the value is not a JSON list of objects',
      reason: 'a deep list',
    },
    {
      text: 'a: b\n--- SECRET\n',
      error: 'failed to read yaml: invalid Yaml document separator',
      reason: 'a separator with text',
    },
    {
      text: 'kind: A\n---\nSECRET: [SECRET',
      error: 'failed to unmarshal the 2nd yaml document: not YAML, line 1',
      reason: 'a list without end',
    },
    {
      text: 'a: \u0001SECRET',
      error: 'failed to unmarshal the 1st yaml document: not YAML',
      reason: 'a control character',
    },
    {
      text: `a: &a SECRET\nb: *c`,
      error: 'failed to unmarshal the 1st yaml document: not YAML',
      reason: 'an unknown anchor',
    },
    {
      text: '- SECRET',
      error: 'failed to unmarshal the 1st yaml document: the document is not an object',
      reason: 'a document that is a list',
    },
    {
      text: `${'---\n'.repeat(3)}SECRET`,
      error: 'failed to unmarshal the 4th yaml document: the document is not an object',
      reason: 'a document that is a text',
    },
    {
      text: `a: ${'['.repeat(1000)}`,
      error: 'failed to unmarshal the 1st yaml document: limit exceeded',
      reason: 'a deep document',
    },
  ])('do not exist for $reason, and no error quotes the data', ({ text, error }) => {
    expect(namesIn(text)).toBe(`${problem}${error}`);
  });
});

describe('the limits of data', () => {
  it('end a text of more than 1 MiB before it is parsed', () => {
    expect(namesIn('x'.repeat(1024 * 1024), 'y')).toBe('limit exceeded: the data have more than 1048576 characters');
  });

  it.each([
    { text: 'a: b\n---\n'.repeat(10_000), reason: 'documents' },
    { text: JSON.stringify(Array.from({ length: mostObjects + 1 }, () => ({}))), reason: 'items of a list' },
  ])('end more than 1,000 objects ($reason)', ({ text }) => {
    expect(namesIn(text)).toBe('limit exceeded: the data describe more than 1000 objects');
  });

  it('accept 1,000 objects', () => {
    expect(namesIn('a: b\n---\n'.repeat(mostObjects))).toHaveLength(mostObjects);
  });

  it.each([
    { text: 'a: b', reason: 'YAML' },
    { text: '[{}]', reason: 'JSON' },
  ])('charge the work of the pass ($reason)', ({ text }) => {
    const meter = new WorkMeter({ units: 1, what: 'the data', remedy: 'use fewer' });
    expect(parseData([{ key: 'a', text }], meter)).toEqual({
      ok: false,
      error:
        'failed converting data to unstructured objects: limit exceeded: the data take more than 1 units of work: use fewer',
    });
  });

  it('charge the memory of a document with many tokens, before they are read', () => {
    const units = 20_000_000;
    const meter = new WorkMeter({ units, what: 'the data', remedy: 'use fewer' });
    expect(parseData([{ key: 'a', text: `l: [${'{},'.repeat(40_000)}]` }], meter)).toEqual({
      ok: false,
      error: `failed converting data to unstructured objects: limit exceeded: the data take more than ${units} units of work: use fewer`,
    });
  });

  it('do not hide a defect of the meter', () => {
    const meter = new WorkMeter({ units: 1, what: '', remedy: '' });
    meter.charge = () => {
      throw new TypeError('defect');
    };
    expect(() => parseData([{ key: 'a', text: '[]' }], meter)).toThrow('defect');
  });
});
