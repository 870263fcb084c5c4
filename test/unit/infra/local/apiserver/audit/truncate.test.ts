// How audit events are kept below the sizes that a webhook takes.
import { describe, expect, it } from 'vitest';
import { splitBatch, truncateEvent } from '../../../../../../infra/local/apiserver/audit/truncate.ts';

const limits = { maxEventBytes: 200, maxBatchBytes: 40 };

describe('a large event', () => {
  it('goes without its objects, and says so', () => {
    const event = { auditID: '1', annotations: { a: 'b' }, requestObject: {}, responseObject: 'x'.repeat(200) };
    expect(truncateEvent(event, limits)).toEqual({
      auditID: '1',
      annotations: { a: 'b', 'audit.k8s.io/truncated': 'true' },
    });
  });

  it('is dropped when that does not help, by bytes and not by characters', () => {
    expect(truncateEvent({ requestURI: 'ü'.repeat(100) }, limits)).toBeUndefined();
  });

  it('is left alone as long as it fits', () => {
    const event = { auditID: '1', responseObject: {} };
    expect(truncateEvent(event, limits)).toBe(event);
  });
});

describe('a large batch', () => {
  it('becomes several, in order; an event that is too large for any goes alone', () => {
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
