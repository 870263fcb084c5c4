import { describe, expect, it } from 'vitest';
import type { OutgoingMessage } from '../../../../shared/workqueue/port.ts';
import { SendValidationError, toBatches, validateMessage } from '../../../../shared/workqueue/send-limits.ts';
import { fc } from '../../../support/property.ts';

const fifo = 'work-cluster.fifo';
const standard = 'delay';
const good: OutgoingMessage = { body: 'x', groupId: 'group', deduplicationId: 'id' };

const cases: readonly { readonly queue: string; readonly message: OutgoingMessage; readonly refusal: RegExp | null }[] =
  [
    { queue: fifo, message: good, refusal: null },
    { queue: fifo, message: { ...good, groupId: 'g'.repeat(128) }, refusal: null },
    { queue: fifo, message: { ...good, deduplicationId: `azAZ09!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~` }, refusal: null },
    { queue: fifo, message: { ...good, groupId: 'g'.repeat(129) }, refusal: /group id that is not 1 to 128/ },
    { queue: fifo, message: { ...good, groupId: '' }, refusal: /group id that is not 1 to 128/ },
    { queue: fifo, message: { ...good, deduplicationId: 'ä' }, refusal: /deduplication id that is not/ },
    { queue: fifo, message: { ...good, deduplicationId: 'a\n' }, refusal: /deduplication id that is not/ },
    { queue: fifo, message: { body: 'x', deduplicationId: 'id' }, refusal: /no group id/ },
    { queue: fifo, message: { body: 'x', groupId: 'group' }, refusal: /no deduplication id/ },
    { queue: fifo, message: { ...good, delaySeconds: 0 }, refusal: /delay, which a FIFO queue takes only as a whole/ },
    { queue: standard, message: { body: 'x' }, refusal: null },
    { queue: standard, message: { body: 'x', delaySeconds: 900 }, refusal: null },
    { queue: standard, message: { body: 'tab\t, newline\n, ünïcode, 🙂' }, refusal: null },
    { queue: standard, message: { body: 'x', delaySeconds: 901 }, refusal: /delay of 901 s/ },
    { queue: standard, message: { body: 'x', delaySeconds: -1 }, refusal: /delay of -1 s/ },
    { queue: standard, message: { body: 'x', delaySeconds: 1.5 }, refusal: /delay of 1.5 s/ },
    { queue: standard, message: { body: 'x', delaySeconds: Number.NaN }, refusal: /delay of NaN s/ },
    { queue: standard, message: { body: 'x', groupId: 'group' }, refusal: /only FIFO queues/ },
    { queue: standard, message: { body: 'x', deduplicationId: 'id' }, refusal: /only FIFO queues/ },
    { queue: standard, message: { body: '' }, refusal: /0 bytes/ },
    { queue: standard, message: { body: 'x'.repeat(1_048_576) }, refusal: null },
    { queue: standard, message: { body: `${'x'.repeat(1_048_575)}ü` }, refusal: /1048577 bytes/ },
    { queue: standard, message: { body: 'a\u0000b' }, refusal: /character in its body/ },
    { queue: standard, message: { body: 'a\uD800b' }, refusal: /character in its body/ },
    { queue: standard, message: { body: 'a\uFFFFb' }, refusal: /character in its body/ },
  ];

describe('a message', () => {
  it.each(cases)('for $queue is validated: $refusal', ({ queue, message, refusal }) => {
    const error = validateMessage(queue, message);
    if (refusal === null) {
      expect(error).toBeUndefined();
    } else {
      expect(error).toBeInstanceOf(SendValidationError);
      expect(error?.message).toMatch(refusal);
      expect(error?.message).toContain(`"${queue}"`);
    }
  });
});

describe('batches', () => {
  it('have at most ten entries and 1 MiB, and keep the order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1_048_576 }), { maxLength: 60 }), sizes => {
        const batches = toBatches(sizes, size => size);
        expect(batches.flat()).toEqual(sizes);
        for (const batch of batches) {
          expect(batch.length).toBeGreaterThan(0);
          expect(batch.length).toBeLessThanOrEqual(10);
          expect(batch.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(1_048_576);
        }
      }),
    );
  });

  it('are as few as the order allows', () => {
    expect(toBatches(new Array(21).fill(1), size => size)).toHaveLength(3);
    expect(toBatches([524_288, 524_288, 1], size => size)).toEqual([[524_288, 524_288], [1]]);
  });
});
