// Random plans of writes and of concurrent reader actions, and the execution of one write.

import type { JsonObject, Unstructured } from '@capi-serverless/apimachinery';
import { expect } from 'vitest';
import { fc } from '../../../support/property.ts';
import type { RawAnswer } from '../../../support/raw-http.ts';
import { type Api, aWidget, ours } from '../api-case.ts';
import { finalizer } from '../fixtures.ts';

const names = ['a', 'b', 'c', 'd'] as const;
const name = fc.constantFrom(...names);
const team = fc.constantFrom('red', 'blue');
const size = fc.nat(3);

const write = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant('create' as const), name, team, held: fc.boolean() }), weight: 4 },
  { arbitrary: fc.record({ do: fc.constant('update' as const), name, team, size }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('label' as const), name, team }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('spec' as const), name, size }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('status' as const), name, size }), weight: 1 },
  { arbitrary: fc.record({ do: fc.constant('hold' as const), name }), weight: 1 },
  { arbitrary: fc.record({ do: fc.constant('release' as const), name }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('delete' as const), name }), weight: 3 },
  { arbitrary: fc.record({ do: fc.constant('delete all' as const), team }), weight: 1 },
);

/**
 * Readers have numbers. A flood is a series of large writes. They exceed the buffer of a connection without a reader.
 */
const step = fc.oneof(
  {
    arbitrary: fc.record({ do: fc.constant('write' as const), at: fc.array(write, { minLength: 1, maxLength: 3 }) }),
    weight: 12,
  },
  { arbitrary: fc.record({ do: fc.constant('pause' as const), reader: fc.nat(2) }), weight: 3 },
  { arbitrary: fc.record({ do: fc.constant('go on' as const), reader: fc.nat(2) }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('flood' as const), name }), weight: 1 },
  { arbitrary: fc.record({ do: fc.constant('compact' as const) }), weight: 1 },
);

export const plan = fc.array(step, { minLength: 5, maxLength: 20, size: 'max' });

type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;
export type ReplayStep = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Random writes often refer to missing, existing, changed and deleting objects. These failures are expected. */
const expectedCodes: readonly number[] = [200, 201, 404, 409, 422];

/** Performs the write in the namespace of the plan. */
export async function perform(api: Api, one: Write): Promise<void> {
  const answer = await send(api, one);
  expect(expectedCodes, `${JSON.stringify(one)}: ${answer.text}`).toContain(answer.status);
}

/** The number of bytes that fills the buffers of a loopback connection, in parts. */
const flood = { writes: 24, bytes: 300_000 } as const;

/** Afterwards the object exists and is small again. */
export async function performFlood(api: Api, of: (typeof names)[number]): Promise<void> {
  await perform(api, { do: 'create', name: of, team: 'red', held: false });
  for (let round = 0; round < flood.writes; round += 1) {
    await patch(api, of, { spec: { note: `${round}-${'x'.repeat(flood.bytes)}` } });
  }
  await patch(api, of, { spec: { note: null } });
}

export function inPlan(api: Api, of?: string): string {
  return ours(api, 'widgets', of);
}

function patch(api: Api, of: string, body: JsonObject): Promise<RawAnswer> {
  return api.http.patch(inPlan(api, of), body);
}

async function send(api: Api, one: Write): Promise<RawAnswer> {
  switch (one.do) {
    case 'create': {
      const finalizers = one.held ? [finalizer] : [];
      return api.http.post(
        inPlan(api),
        aWidget({ metadata: { name: one.name, labels: { team: one.team }, finalizers } }),
      );
    }
    case 'update': {
      const read = await api.http.get(inPlan(api, one.name));
      if (read.status !== 200) {
        return read;
      }
      const live = read.body as Unstructured; // True: a GET with status 200 returns an object.
      const metadata = { ...live.metadata, labels: { team: one.team } };
      return api.http.put(inPlan(api, one.name), { ...live, metadata, spec: { size: one.size } });
    }
    case 'label':
      return patch(api, one.name, { metadata: { labels: { team: one.team } } });
    case 'spec':
      return patch(api, one.name, { spec: { size: one.size } });
    case 'status':
      return api.http.patch(`${inPlan(api, one.name)}/status`, { status: { count: one.size } });
    case 'hold':
      return patch(api, one.name, { metadata: { finalizers: [finalizer] } });
    case 'release':
      return patch(api, one.name, { metadata: { finalizers: null } });
    case 'delete':
      return api.http.delete(inPlan(api, one.name));
    case 'delete all':
      return api.http.delete(inPlan(api), undefined, { query: { labelSelector: `team=${one.team}` } });
  }
}
