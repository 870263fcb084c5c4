// Bodies of audit webhooks: JSON of any structure and depth, truncated or compressed, and random bytes.
import { gzipSync } from 'node:zlib';
import { toChanges, whyIrrelevant } from '../../../functions/audit-webhook/changes.ts';
import { parseAuditEvent, parseEventList } from '../../../functions/audit-webhook/event.ts';
import { BodyError, decodeBody, inflateBody, parseJson } from '../../../shared/http/body.ts';
import { fc } from '../../support/property.ts';
import type { FuzzedParser } from '../parser.ts';

const canary = 'c4n4ry';
const subject = { apiVersion: 'g/v1', kind: 'K', version: 'v1' };
const any = fc.jsonValue({ maxDepth: 3 });
/** Events of which most fields are valid. */
const event = fc.record(
  {
    apiVersion: fc.constant('audit.k8s.io/v1'),
    kind: fc.constantFrom('Event', 'EventList'),
    stage: fc.constantFrom('ResponseComplete', 'RequestReceived'),
    verb: fc.constantFrom('create', 'update', 'delete', 'deletecollection', 'get', canary),
    objectRef: fc.oneof(any, fc.record({ namespace: fc.string(), name: fc.string(), resource: fc.constant('ks') })),
    responseStatus: fc.record({ code: fc.constantFrom(200, 201, 404, 500) }),
    requestObject: any,
    responseObject: fc.oneof(
      any,
      fc.record({ apiVersion: fc.constant('g/v1'), kind: fc.constantFrom('K', 'KList'), metadata: any, items: any }),
    ),
  },
  { requiredKeys: ['apiVersion', 'kind', 'verb'] },
);
const events = fc
  .array(event, { maxLength: 4 })
  .map(items => JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'EventList', items }));
const json = fc.oneof(
  events,
  fc.json().map(each => `{"${canary}": ${each}}`),
  fc.nat({ max: 12_000 }).map(depth => `${'['.repeat(depth)}"${canary}"${']'.repeat(depth)}`),
  fc.nat({ max: 12_000 }).map(count => `"${canary}${'\\"['.repeat(count)}"`),
);
const cut = fc.tuple(json, fc.nat({ max: 30_000 })).map(([text, at]) => text.slice(0, at));
const bytes = fc.oneof(
  fc.oneof(json, cut).map(text => Buffer.from(text)),
  json.map(text => gzipSync(text)),
  fc.tuple(json, fc.nat({ max: 500 })).map(([text, at]) => gzipSync(text).subarray(0, at)),
  fc.uint8Array({ maxLength: 200 }),
);

async function check(body: Uint8Array): Promise<void> {
  for (const read of [async () => body, () => inflateBody(body)]) {
    try {
      const body = parseJson(decodeBody(await read()));
      for (const event of parseEventList(body) ?? [body]) {
        const parsed = parseAuditEvent(event);
        if (parsed !== undefined && whyIrrelevant(parsed) === undefined) {
          toChanges(parsed, subject);
        }
      }
    } catch (error) {
      if (!(error instanceof BodyError)) {
        throw error;
      }
      if (`${error.stack} ${JSON.stringify(error)}`.includes(canary)) {
        throw new Error(`the error quotes the body: ${error.message}`);
      }
    }
  }
}

export const parser: FuzzedParser = { name: 'audit-bodies', property: fc.asyncProperty(bytes, check) };
