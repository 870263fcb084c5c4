import { expect, it } from 'vitest';
import { redact } from '../../../../cli/plan/redact.ts';

const metadata = { name: 's1', labels: { a: 'b' } };

it.each([
  {
    reason: 'keys of a Secret stay, a key that is taken away too',
    kind: 'Secret',
    body: { metadata, type: 'x', data: { value: 'canary', old: null }, stringData: { other: 'canary' } },
    shown: { metadata, type: 'x', data: { value: '(redacted)', old: null }, stringData: { other: '(redacted)' } },
  },
  {
    reason: 'data that is removed as a whole, and unexpected fields',
    kind: 'Secret',
    body: { data: null, spec: { deep: { value: 'canary' } } },
    shown: { data: '(redacted)', spec: { deep: '(redacted)' } },
  },
  {
    reason: 'an annotation may hold a copy of what was applied',
    kind: 'Secret',
    body: { metadata: { ...metadata, annotations: { 'kubectl.kubernetes.io/last-applied-configuration': 'canary' } } },
    shown: {
      metadata: { ...metadata, annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '(redacted)' } },
    },
  },
  {
    reason: 'other kinds are shown as they are',
    kind: 'Cluster',
    body: { metadata: { annotations: { a: 'b' } }, data: { a: 1 } },
    shown: { metadata: { annotations: { a: 'b' } }, data: { a: 1 } },
  },
])('prints a Secret without its values: $reason', ({ kind, body, shown }) => {
  expect(redact(kind, body)).toEqual(shown);
});
