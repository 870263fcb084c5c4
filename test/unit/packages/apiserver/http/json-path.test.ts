import { describe, expect, it } from 'vitest';
import { compilePath } from '../../../../../packages/apiserver/http/json-path.ts';

describe('the path of a printer column', () => {
  const object = {
    metadata: { labels: { 'a.b/c': 'label' } },
    spec: { list: [1, 2, 3], map: { x: 'y' } },
    status: {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Paused', status: 'False' },
      ],
    },
  };
  it.each([
    ['.spec.map.x', ['y']],
    ['{.spec.map.x}', ['y']],
    ['$.spec.map.x', ['y']],
    ['.spec.list[1]', [2]],
    ['.spec.list[-1]', [3]],
    ['.spec.list[*]', [1, 2, 3]],
    ['.spec.map.*', ['y']],
    ['.metadata.labels.a\\.b/c', ['label']],
    [".metadata.labels['a\\.b/c']", ['label']],
    ['.metadata.labels["a.b/c"]', ['label']],
    ['.status.conditions[?(@.type=="Paused")].status', ['False']],
    [".status.conditions[?(@.type=='Ready')].status", ['True']],
    ['.status.conditions[?(@.type=="None")].status', []],
    ['.spec.missing.more', []],
    ['.spec.constructor', []],
    ['spec(', []],
  ])('%s leads to %j', (path, values) => {
    expect(compilePath(path)(object)).toEqual(values);
  });
});
