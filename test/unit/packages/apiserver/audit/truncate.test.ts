// Truncation of audit events and batches to the size limits of a webhook.
import { describe, expect, it } from 'vitest';
import { splitBatch, truncateEvent } from '../../../../../packages/apiserver/audit/truncate.ts';

const limits = { maxEventBytes: 200, maxBatchBytes: 40 };

describe('a large event', () => {
  it('loses its objects and is annotated', () => {
    const event = { auditID: '1', annotations: { a: 'b' }, requestObject: {}, responseObject: 'x'.repeat(200) };
    expect(truncateEvent(event, limits)).toEqual({
      auditID: '1',
      annotations: { a: 'b', 'audit.k8s.io/truncated': 'true' },
    });
  });

  it('is dropped if it is still too large, counted in bytes', () => {
    expect(truncateEvent({ requestURI: 'ü'.repeat(100) }, limits)).toBeUndefined();
  });

  it('is unchanged below the limit', () => {
    const event = { auditID: '1', responseObject: {} };
    expect(truncateEvent(event, limits)).toBe(event);
  });
});

describe('a large batch', () => {
  it('is split in order; an event above the limit is sent alone', () => {
    const events = [10, 10, 10, 50, 5].map(length => ({ text: 'x'.repeat(length) }));
    expect(splitBatch(events, limits).map(batch => batch.map(({ text }) => String(text).length))).toEqual([
      [10],
      [10],
      [10],
      [50],
      [5],
    ]);
    expect(splitBatch(events, { ...limits, maxBatchBytes: 65 }).map(batch => batch.length)).toEqual([3, 1, 1]);
    expect(splitBatch([], limits)).toEqual([]);
  });
});
