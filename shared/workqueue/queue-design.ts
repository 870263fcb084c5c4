// The two ways in which work queues merge events (docs/decisions/0008): by what was seen, or by when it was sent.

/**
 * default: an event's id names the versions it stands for, and queues deliver at once. bucket: an event's id names a
 * second of its sender's clock, and queues hold every message back until that second is over.
 */
export const queueDesigns = ['default', 'bucket'] as const;

export type QueueDesign = (typeof queueDesigns)[number];

export function isQueueDesign(text: unknown): text is QueueDesign {
  return queueDesigns.some(design => design === text);
}

/** Events of one object sent within this long are one message. */
export const bucketMs = 1_000;

/**
 * At least one bucket and twice the largest error of a sender's clock, here 0.5 s: whoever is swallowed is followed by
 * the delivery of its bucket's first message.
 */
export const bucketDelaySeconds = 2;
