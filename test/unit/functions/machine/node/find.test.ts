import { describe, expect, it } from 'vitest';
import { candidateNames, findListed, isNodeOf } from '../../../../../functions/machine/phases/node/find.ts';

const named = { addresses: [], infrastructureName: 'i1', machineName: 'm1', triedName: '' };

describe('the names that are tried before all Nodes are listed', () => {
  it.each([
    { reason: 'the names of the objects, without addresses', given: {}, names: ['i1', 'm1'] },
    {
      reason: 'DNS names inside the network before host names, at most three',
      given: {
        addresses: [
          { type: 'Hostname', address: 'Host-1' },
          { type: 'InternalIP', address: '10.0.0.1' },
          { type: 'InternalDNS', address: 'ip-10-0-0-1.internal' },
        ],
      },
      names: ['ip-10-0-0-1.internal', 'host-1', 'i1'],
    },
    {
      reason: 'no name twice',
      given: { addresses: [{ type: 'Hostname', address: 'M1' }], infrastructureName: 'm1' },
      names: ['m1'],
    },
    { reason: 'not the Node that was tried', given: { triedName: 'm1' }, names: ['i1'] },
    {
      reason: 'no name that no Node can have',
      given: { addresses: [{ type: 'InternalDNS', address: 'a/../b' }], infrastructureName: '' },
      names: ['m1'],
    },
  ])('$reason', ({ given, names }) => {
    expect(candidateNames({ ...named, ...given })).toEqual(names);
  });
});

describe('a complete list of Nodes', () => {
  const nodes = [
    { name: 'n0', providerID: '' },
    { name: 'n1', providerID: 'foo://1' },
    { name: 'n2', providerID: 'FOO://1' },
    { name: 'n3', providerID: 'foo://3' },
    { name: 'n4', providerID: 'foo://3' },
  ];

  it.each([
    { providerID: 'foo://1', found: { state: 'found', name: 'n1' }, reason: 'compares exactly' },
    { providerID: 'foo://2', found: { state: 'missing' }, reason: 'no Node has it' },
    { providerID: '', found: { state: 'missing' }, reason: 'a Node without providerID never matches' },
    {
      providerID: 'foo://3',
      found: { state: 'ambiguous', error: 'unexpectedly found more than one Node matching the providerID foo://3' },
      reason: 'two Nodes have it',
    },
  ])('for $providerID: $reason', ({ providerID, found }) => {
    expect(findListed(providerID, nodes)).toEqual(found);
  });

  it('compares one Node in the same way', () => {
    expect([isNodeOf('a', { providerID: 'a' }), isNodeOf('', { providerID: '' })]).toEqual([true, false]);
  });
});
