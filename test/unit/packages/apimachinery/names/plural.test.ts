import { describe, expect, test } from 'vitest';
import { crdNameOf, isKind, pluralKind, pluralOf } from '../../../../../packages/apimachinery/names/plural.ts';

describe('the plural of a kind', () => {
  test.each([
    { kind: 'Machine', plural: 'Machines', reason: 'the default adds an s' },
    { kind: 'MachineSet', plural: 'MachineSets', reason: 'the default adds an s' },
    { kind: 'MachineDeployment', plural: 'MachineDeployments', reason: 'the default adds an s' },
    { kind: 'MachinePool', plural: 'MachinePools', reason: 'the default adds an s' },
    { kind: 'FooCluster', plural: 'FooClusters', reason: 'the default adds an s' },
    { kind: 'FooControlPlane', plural: 'FooControlPlanes', reason: 'the default adds an s' },
    { kind: 'ClusterClass', plural: 'ClusterClasses', reason: 'ss takes es' },
    { kind: 'Proxy', plural: 'Proxies', reason: 'y after a consonant becomes ies' },
    { kind: 'Query', plural: 'Queries', reason: 'y after a consonant becomes ies' },
    { kind: 'Soliloquy', plural: 'Soliloquies', reason: 'qu counts as a consonant' },
    { kind: 'Gateway', plural: 'Gateways', reason: 'y after a vowel takes s' },
    { kind: 'Bus', plural: 'Buses', reason: 'us takes es' },
    { kind: 'Status', plural: 'Statuses', reason: 'us takes es' },
    { kind: 'Box', plural: 'Boxes', reason: 'x takes es' },
    { kind: 'Switch', plural: 'Switches', reason: 'ch takes es' },
    { kind: 'Mesh', plural: 'Meshes', reason: 'sh takes es' },
    { kind: 'Series', plural: 'Series', reason: 'the same in the plural' },
    { kind: 'ManagedKubernetes', plural: 'ManagedKubernetes', reason: 'the same in the plural' },
    { kind: 'NodeSettings', plural: 'NodeSettings', reason: 'already a plural' },
    { kind: 'Index', plural: 'Indices', reason: 'irregular' },
    { kind: 'FooMatrix', plural: 'FooMatrices', reason: 'irregular' },
    { kind: 'Leaf', plural: 'Leaves', reason: 'irregular' },
    { kind: 'Shelf', plural: 'Shelves', reason: 'irregular' },
    { kind: 'Knife', plural: 'Knives', reason: 'irregular' },
    { kind: 'Analysis', plural: 'Analyses', reason: 'sis becomes ses' },
    { kind: 'Person', plural: 'People', reason: 'irregular' },
    { kind: 'Child', plural: 'Children', reason: 'irregular' },
    { kind: 'Datum', plural: 'Data', reason: 'irregular' },
    { kind: 'Cargo', plural: 'Cargoes', reason: 'o takes es' },
    { kind: 'Portfolio', plural: 'Portfolios', reason: 'io takes s' },
  ])('$kind → $plural ($reason)', ({ kind, plural }) => {
    expect(pluralKind(kind)).toBe(plural);
    expect(pluralOf(kind)).toBe(plural.toLowerCase());
  });
});

test('a CRD is named by the lower-cased plural and the group', () => {
  expect(crdNameOf({ group: 'infrastructure.cluster.x-k8s.io', kind: 'FooCluster' })).toBe(
    'fooclusters.infrastructure.cluster.x-k8s.io',
  );
});

test.each([
  { text: 'FooCluster', expected: true, reason: 'the kind' },
  { text: 'fooclusters', expected: true, reason: 'its resource name' },
  { text: 'FooClusters', expected: false, reason: 'resource names have no capitals' },
  { text: 'foocluster', expected: false, reason: 'neither' },
])('$text means FooCluster: $expected ($reason)', ({ text, expected }) => {
  expect(isKind('FooCluster', text)).toBe(expected);
});
