import { type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import type { Contract } from '@capi-serverless/cluster-api/contract';
import { describe, expect, it } from 'vitest';
import { ContractMemory } from '../../../../shared/external/contract-memory.ts';
import { readReferenced } from '../../../../shared/external/read-referenced.ts';
import { fakeReads, type ReadFault } from '../../../support/fake-reads.ts';
import { ObjectBuilder } from '../../../support/object-builder.ts';

const ref = { apiGroup: 'example.com', kind: 'FooMachine', name: 'f1' };
const definition = 'foomachines.example.com';
const crd = new ObjectBuilder({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name: definition,
}).clusterScoped();
const inV1 = crd.labelled({ 'cluster.x-k8s.io/v1beta1': 'v1' });
const inV2 = crd.labelled({ 'cluster.x-k8s.io/v1beta2': 'v2' });
const objectIn = (version: string) =>
  new ObjectBuilder({ apiVersion: `example.com/${version}`, kind: 'FooMachine', name: 'f1' });
const done = { status: { ready: true } };

const askDefinition = `metadata CustomResourceDefinition ${definition}`;
const askObject = 'get FooMachine ns/f1';
const remembered: Contract = { contract: 'v1beta1', version: 'v1' };

/** The object was done in the older contract. */
const isEnough = ({ status }: Unstructured): boolean => valueAt(status, 'ready') === true;

interface Case {
  readonly reason: string;
  readonly objects: readonly ObjectBuilder[];
  readonly faults?: readonly ReadFault[];
  readonly checks?: typeof isEnough;
  readonly asked: readonly string[];
  readonly found: object;
  /** What is remembered afterwards. */
  readonly known: Contract | undefined;
}

const notServed = { message: '404 page not found', reason: 'NotFound', notServed: true } as const;

const cases: readonly Case[] = [
  {
    reason: 'alone finds the object',
    objects: [inV2, objectIn('v1')],
    asked: [askObject],
    found: { state: 'found', contract: 'v1beta1' },
    known: remembered,
  },
  {
    reason: 'alone is enough for an object that is done',
    objects: [inV2, objectIn('v1').withStatus(done.status)],
    checks: isEnough,
    asked: [askObject],
    found: { state: 'found', contract: 'v1beta1' },
    known: remembered,
  },
  {
    reason: 'is read again for an object that is not done, and the object is not if it has not changed',
    objects: [inV1, objectIn('v1')],
    checks: isEnough,
    asked: [askObject, askDefinition],
    found: { state: 'found', contract: 'v1beta1' },
    known: remembered,
  },
  {
    reason: 'is read again for an object that is not done, and the object is as well if the version has changed',
    objects: [inV2, objectIn('v1'), objectIn('v2')],
    checks: isEnough,
    asked: [askObject, askDefinition, askObject],
    found: { state: 'found', contract: 'v1beta2', object: { apiVersion: 'example.com/v2' } },
    known: { contract: 'v1beta2', version: 'v2' },
  },
  {
    reason: 'is read again for an object that is not done, and the object is as well if the contract alone has changed',
    objects: [crd.labelled({ 'cluster.x-k8s.io/v1beta2': 'v1' }), objectIn('v1')],
    checks: isEnough,
    asked: [askObject, askDefinition, askObject],
    found: { state: 'found', contract: 'v1beta2' },
    known: { contract: 'v1beta2', version: 'v1' },
  },
  {
    reason: 'is read again for a missing object',
    objects: [inV1],
    asked: [askObject, askDefinition],
    found: { state: 'missing' },
    known: remembered,
  },
  {
    reason: 'is read again if its version is not served',
    objects: [inV1, objectIn('v1')],
    faults: [{ at: askObject, ...notServed }],
    asked: [askObject, askDefinition],
    found: { state: 'unreadable', error: 'failed to retrieve FooMachine ns/f1: 404 page not found' },
    known: remembered,
  },
  {
    reason: 'is forgotten after another failure',
    objects: [inV1, objectIn('v1')],
    faults: [{ at: askObject, message: 'boom' }],
    asked: [askObject],
    found: { state: 'unreadable', error: 'failed to retrieve FooMachine ns/f1: boom' },
    known: undefined,
  },
  {
    reason: 'is forgotten if the definition is gone',
    objects: [],
    asked: [askObject, askDefinition],
    found: { state: 'unreadable', error: expect.stringContaining('failed to get CustomResourceDefinition metadata') },
    known: undefined,
  },
];

describe('a remembered contract', () => {
  it.each(cases)('$reason', async ({ objects, faults = [], checks, asked, found, known }) => {
    const contracts = new ContractMemory().at(0);
    contracts.remember(definition, remembered);
    const ask = { ...fakeReads(objects, faults), contracts };
    const named = { ref, namespace: 'ns', ...(checks === undefined ? {} : { isEnough: checks }) };
    expect(await readReferenced(named, ask)).toMatchObject(found);
    expect(ask.trips.flat()).toEqual(asked);
    expect(contracts.find(definition)).toEqual(known);
  });

  it('is that of an earlier read', async () => {
    const contracts = new ContractMemory().at(0);
    const ask = { ...fakeReads([inV1, objectIn('v1')]), contracts };
    await readReferenced({ ref, namespace: 'ns' }, ask);
    await readReferenced({ ref, namespace: 'ns' }, ask);
    expect(ask.trips.flat()).toEqual([askDefinition, askObject, askObject]);
  });

  it('is never that of a definition without contract', async () => {
    const contracts = new ContractMemory().at(0);
    await readReferenced({ ref, namespace: 'ns' }, { ...fakeReads([crd]), contracts });
    expect(contracts.find(definition)).toBeUndefined();
  });
});
