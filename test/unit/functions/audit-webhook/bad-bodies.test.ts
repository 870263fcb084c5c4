// A thousand malformed bodies (a fifth unless CAPI_TEST_EXTENT=full). The webhook refuses each of them at a limited
// cost.
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { maxBodyBytes, maxDepth, maxInflatedBytes } from '../../../../shared/http/body.ts';
import { inflateChunkBytes } from '../../../../shared/lambda/inflate.ts';
import { generated } from '../../../support/extent.ts';
import { fc } from '../../../support/property.ts';
import {
  AuditWebhookWorld,
  aBody,
  type RawEvent,
  recordedBody,
  recordedEvent,
  recordedNames,
  token,
} from './audit-posts.ts';

interface BadPost {
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** The number of bodies per kind. */
const runs = generated(100);

const recorded = fc.constantFrom(...recordedNames).map(recordedBody);
/** An event that would enqueue a Cluster. */
const event = recordedEvent('patch-clusters-RequestResponse-200.eventlist.json');
const field = fc.constantFrom('kind', 'apiVersion', 'items');
const special = fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty');
const noEvent = fc.oneof(
  fc.constantFrom<unknown>(null, 0, '', 'Event', true, [], {}),
  fc.constantFrom('auditID', 'stage', 'verb', 'requestURI').map(name => ({ ...event, [name]: undefined })),
  fc
    .tuple(fc.constantFrom('auditID', 'stage', 'verb', 'requestURI', 'objectRef'), fc.constantFrom(1, null, [], false))
    .map(([name, value]) => ({ ...event, [name]: value })),
);

const bombs: readonly Uint8Array[] = [maxInflatedBytes + 1, 4 * maxInflatedBytes].flatMap(length => [
  gzipSync(Buffer.alloc(length, ' ')),
  gzipSync(Buffer.alloc(length, '[')),
  gzipSync(`{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[${' '.repeat(length)}]}`),
]);
const tooLong = [aBody(event).padEnd(maxBodyBytes + 1), ' '.repeat(maxBodyBytes + 1), '['.repeat(maxBodyBytes + 1)];

const kinds: Readonly<Record<string, { readonly posts: fc.Arbitrary<BadPost>; readonly codes: readonly number[] }>> = {
  'have no token': {
    posts: recorded.map(body => ({ body, headers: { authorization: undefined } })),
    codes: [401],
  },
  'have a wrong token': {
    posts: fc
      .tuple(
        recorded,
        fc.oneof(
          fc.string(),
          fc.string().map(more => `Bearer ${token}${more}x`),
        ),
      )
      .map(([body, authorization]) => ({ body, headers: { authorization } })),
    codes: [401],
  },
  'are of another type': {
    posts: fc
      .tuple(recorded, fc.constantFrom('', 'text/json', 'application/yaml', 'application/x-protobuf', 'json'))
      .map(([body, type]) => ({ body, headers: { 'content-type': type } })),
    codes: [415],
  },
  'are too large': { posts: fc.constantFrom(...tooLong).map(body => ({ body })), codes: [413] },
  'blow up when inflated': {
    posts: fc.constantFrom(...bombs).map(body => ({ body, headers: { 'content-encoding': 'gzip' } })),
    codes: [413],
  },
  'are cut off': {
    posts: fc
      .tuple(recorded, fc.double({ min: 0, max: 0.999, noNaN: true }), fc.boolean())
      .map(([body, part, isGzip]) => {
        const whole = isGzip ? gzipSync(body) : Buffer.from(body);
        const cut = whole.subarray(0, Math.floor(whole.length * part));
        return { body: cut, headers: isGzip ? { 'content-encoding': 'gzip' } : {} };
      }),
    codes: [400],
  },
  'are of a wrong kind': {
    posts: fc
      .tuple(recorded, field, fc.oneof(fc.string(), fc.integer(), fc.constant({}), special))
      .map(([body, name, value]) => ({ body: JSON.stringify({ ...JSON.parse(body), [name]: value }) })),
    codes: [400],
  },
  'hold nothing but items that are not events': {
    posts: fc.array(noEvent, { minLength: 1, maxLength: 5 }).map(items => ({ body: aBody(...items) })),
    codes: [400],
  },
  'would be events if keys of prototypes counted': {
    posts: fc.tuple(special, fc.boolean()).map(([key, isWhole]) => {
      const inner = isWhole ? JSON.parse(aBody(event)) : event;
      const outer = hidden(key, inner);
      return { body: isWhole ? outer : aBody().replace('[]', `[${outer}]`) };
    }),
    codes: [400],
  },
  'are nested deeply': {
    posts: fc
      .tuple(fc.integer({ min: maxDepth, max: 1_000_000 }), fc.constantFrom('[', '{"a":'))
      .map(([depth, open]) => ({ body: aBody('deep').replace('"deep"', open.repeat(depth)) })),
    codes: [400],
  },
};

/** JSON in which the value can be reached only through this key. */
function hidden(key: string, value: RawEvent): string {
  return `{${JSON.stringify(key)}:${JSON.stringify(value)}}`;
}

describe('bad bodies', () => {
  it(`are ${generated(1_000)}`, () => {
    expect(Object.keys(kinds).length * runs).toBe(generated(1_000));
  });

  it.each(Object.entries(kinds))('that %s are refused and enqueue nothing', async (_name, { posts, codes }) => {
    const refusal = fc.asyncProperty(posts, async ({ body, headers }) => {
      const world = new AuditWebhookWorld();
      const response = await world.post(body, headers);
      expect(codes).toContain(response.statusCode);
      expect(world.sent).toEqual([]);
      const { status, message } = JSON.parse(response.body);
      expect(status).toBe('Failure');
      const [, readBytes] = /left after (\d+)$/.exec(message) ?? [];
      expect(Number(readBytes ?? 0)).toBeLessThanOrEqual(maxInflatedBytes + inflateChunkBytes);
    });
    await fc.assert(refusal, { numRuns: runs });
  });

  it('do not affect later valid ones', async () => {
    const world = new AuditWebhookWorld();
    for (const { posts } of Object.values(kinds)) {
      const [bad] = fc.sample(posts, { numRuns: 1, seed: 1 });
      await world.post(bad?.body ?? '', bad?.headers);
    }
    expect(({} as RawEvent)['kind']).toBeUndefined(); // true: `Object.prototype` is unchanged
    expect(await world.post(aBody(event))).toMatchObject({ statusCode: 200 });
    expect(world.requestTexts()).toHaveLength(1);
  });
});
