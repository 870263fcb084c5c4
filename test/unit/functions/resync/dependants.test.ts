import { expect, it } from 'vitest';
import { Dependants } from '../../../../functions/resync/dependants.ts';

const dependants = new Dependants();
dependants.addAll('part', [{ reconciler: 'widget' }, { reconciler: 'other' }]);
dependants.add('infra', [{ reconciler: 'cluster' }], { namespace: 'ns', name: 'a' });
dependants.add('infra', [{ reconciler: 'cluster' }], { namespace: 'ns', name: 'b' });
dependants.add('global', [{ reconciler: 'cluster' }], { name: 'a' });

it.each([
  { kinds: [], request: 'widget ns/a', depends: false, reason: 'every kind is known' },
  { kinds: ['part'], request: 'widget ns/a', depends: true, reason: 'its reconciler watches the kind' },
  { kinds: ['part'], request: 'other ns/z', depends: true, reason: 'so does this one' },
  { kinds: ['part'], request: 'cluster ns/a', depends: false, reason: 'this one does not' },
  { kinds: ['infra'], request: 'cluster ns/a', depends: true, reason: 'it references the kind' },
  { kinds: ['infra'], request: 'cluster ns/b', depends: true, reason: 'so does this one' },
  { kinds: ['infra'], request: 'cluster ns/c', depends: false, reason: 'this one references no such kind' },
  { kinds: ['infra'], request: 'cluster other/a', depends: false, reason: 'it has another namespace' },
  { kinds: ['infra'], request: 'widget ns/a', depends: false, reason: 'it has another reconciler' },
  { kinds: ['global'], request: 'cluster /a', depends: true, reason: 'it has no namespace' },
  { kinds: ['part', 'infra'], request: 'cluster ns/a', depends: true, reason: 'one of several is enough' },
  { kinds: ['unheard'], request: 'cluster ns/a', depends: false, reason: 'nothing referenced the kind' },
])('$request depends on $kinds: $depends, because $reason', ({ kinds, request, depends }) => {
  const [reconciler = '', namespace = '', name = ''] = request.split(/[ /]/);
  const key = { managementCluster: 'mgmt', group: 'g', kind: 'K', namespace, name };
  expect(dependants.of(new Set(kinds))({ reconciler, key })).toBe(depends);
});
