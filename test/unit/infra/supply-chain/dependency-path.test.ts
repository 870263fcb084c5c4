import { expect, it } from 'vitest';
import { toDependencyPaths } from '../../../../infra/supply-chain/dependency-path.ts';

it('the path to a package is the shortest chain from package.json to the copy that Node would resolve', () => {
  const paths = toDependencyPaths({
    lockfileVersion: 3,
    packages: {
      '': { dependencies: { a: '1.0.0' }, devDependencies: { '@t/ool': '1.0.0' } },
      'node_modules/a': { dependencies: { b: '1', ghost: '1' } },
      'node_modules/a/node_modules/b': { dependencies: { c: '1' } },
      'node_modules/b': { dependencies: { a: '1' }, devDependencies: { never: '1' } },
      'node_modules/c': { optionalDependencies: { b: '2' } },
      'node_modules/@t/ool': { peerDependencies: { c: '1' } },
      'node_modules/never': {},
    },
  });
  expect(Object.fromEntries(paths)).toEqual({
    'node_modules/a': 'a',
    'node_modules/@t/ool': '@t/ool',
    'node_modules/a/node_modules/b': 'a > b',
    'node_modules/c': '@t/ool > c',
    'node_modules/b': '@t/ool > c > b',
  });
});
