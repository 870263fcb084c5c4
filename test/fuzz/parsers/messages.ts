// Bodies of queue messages: requests and expansions with fields of any type, and any JSON.

import { parseExpansion } from '../../../shared/workqueue/expand.ts';
import { MessageError, parseRequest } from '../../../shared/workqueue/message.ts';
import { isObjectName } from '../../../shared/workqueue/object-names.ts';
import { fc } from '../../support/property.ts';
import type { FuzzedParser } from '../parser.ts';

const canary = 'c4n4ry';
const request = {
  v: 1,
  reconciler: 'cluster',
  key: { managementCluster: 'm', group: 'g', kind: 'Cluster', namespace: 'default', name: 'c1' },
  cause: 'event',
  attempt: 0,
  due: 1,
  sources: ['u@1'],
  trace: 't',
};
const expansion = { v: 1, reconciler: 'cluster', source: { apiVersion: 'g/v1', kind: 'K', name: 'n' }, trace: 't' };
const name = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'A', '0', '.', '-', '%', '/', '\u0000', 'ä'), maxLength: 8 }),
  fc.nat({ max: 300 }).map(length => 'a'.repeat(length)),
);
const value = fc.oneof(name, fc.jsonValue({ maxDepth: 2 }), fc.constant(`${canary}`), fc.double());
const changed = fc
  .tuple(fc.constantFrom(request, expansion), fc.dictionary(fc.constantFrom(...Object.keys(request), 'source'), value))
  .map(([base, changes]) => JSON.stringify({ ...base, ...changes }));
const named = fc
  .record({ namespace: name, name })
  .map(of => JSON.stringify({ ...request, key: { ...request.key, ...of } }));
const body = fc.oneof(
  changed,
  named,
  fc.json().map(each => `{"${canary}": ${each}}`),
  fc.string().map(each => `${canary}${each}`),
);

function check(text: string): void {
  for (const parse of [parseRequest, parseExpansion]) {
    try {
      const parsed = parse(text);
      if ('key' in parsed && isObjectName(parsed.key) && /[^a-z0-9.-]|\.\./.test(parsed.key.name)) {
        throw new Error(`${JSON.stringify(parsed.key.name)} counts as a name`);
      }
    } catch (error) {
      if (!(error instanceof MessageError)) {
        throw error;
      }
      if (`${error.stack} ${JSON.stringify(error)}`.includes(canary)) {
        throw new Error(`the error quotes the body: ${error.message}`);
      }
    }
  }
}

export const parser: FuzzedParser = { name: 'messages', property: fc.property(body, check) };
