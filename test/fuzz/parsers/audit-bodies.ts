// Bodies of audit webhooks: JSON of any structure and depth, truncated or compressed, and random bytes.
import { gzipSync } from 'node:zlib';
import { BodyError, decodeBody, inflateBody, parseJson } from '../../../functions/audit-webhook/body.ts';
import { fc } from '../../support/property.ts';
import type { FuzzedParser } from '../parser.ts';

const canary = 'c4n4ry';
const json = fc.oneof(
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
      parseJson(decodeBody(await read()));
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
