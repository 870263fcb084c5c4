import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import { parseSpec, readOwnStatus, statusFieldsOf } from '../../../../packages/provider-sdk/schema.ts';
import { createProviderWorld } from '../../../support/scripted-provider.ts';

const schemas = {
  spec: z.object({ region: z.string(), zones: z.int().default(3) }),
  status: mini.object({ network: mini.optional(mini.string().check(mini.minLength(3))) }),
};
const deletionTimestamp = '2026-01-01T00:00:00Z';

describe("The author's schemas", () => {
  it('give the spec its defaults and the status its types', async () => {
    const world = createProviderWorld({ schemas });
    world.given({ object: { spec: { region: 'north' } } });

    await world.pass();

    expect(world.author.normal).toMatchObject([{ spec: { region: 'north', zones: 3 }, status: {} }]);
  });

  it('keep the author from being called with a spec that does not fit, until it changes', async () => {
    const world = createProviderWorld({ schemas });
    world.given({ object: { spec: { region: 7 } } });

    expect(await world.pass()).toMatchObject({ result: { kind: 'failed', terminal: true } });
    expect(world.condition('Ready')).toMatchObject({
      status: 'False',
      reason: 'InvalidSpec',
      message: 'spec: region: expected string',
    });
    await world.api.others.mergePatch(world.ref, { spec: { region: 'north' } });
    expect(await world.pass()).toMatchObject({ result: { kind: 'done' } });
  });

  it('do not block a deletion', async () => {
    const world = createProviderWorld({ schemas });
    const metadata = { uid: '', resourceVersion: '', name: 'example', deletionTimestamp };
    world.given({ object: { spec: { region: 7 }, metadata } });

    await world.pass();

    expect(world.author.deletions).toMatchObject([{ spec: undefined }]);
    expect(world.find()).toBeUndefined();
  });

  it('refuse a status that does not fit, as a failure of the author', async () => {
    const world = createProviderWorld({ schemas });
    world.given({ object: { spec: { region: 'north' } } });
    world.author.reconcileNormal = async () => ({ ready: false, status: { network: 'n' } });

    expect(await world.pass()).toMatchObject({ result: { kind: 'failed', terminal: false } });
    expect(world.condition('Ready')).toMatchObject({
      reason: 'ReconcileError',
      message: expect.stringContaining('returned a wrong result: status: network: '),
    });
    expect(world.object()).not.toHaveProperty('status.network');
  });
});

const object = (status: object) => ({
  apiVersion: 'a/v1',
  kind: 'A',
  metadata: { name: 'a', uid: '', resourceVersion: '' },
  status,
});

describe('The stored status', () => {
  it.each([
    { stored: { network: 'net-1', other: 1 }, read: { network: 'net-1' }, reason: 'declared fields' },
    { stored: { network: 'n' }, read: {}, reason: 'no invalid field' },
  ])('is read by its schema: $reason', ({ stored, read }) => {
    expect(readOwnStatus(object(stored), schemas.status)).toEqual(read);
  });

  it('is read by its names where there is no schema', () => {
    expect(readOwnStatus(object({ network: 7, other: 1 }), ['network'])).toEqual({ network: 7 });
    expect(readOwnStatus(object({ network: 7 }), undefined)).toEqual({});
    expect(statusFieldsOf(schemas.status)).toEqual(['network']);
  });

  it('leaves a spec without schema as it is', () => {
    expect(parseSpec(object({}), undefined)).toEqual({ ok: true, value: {} });
  });
});
