// The conformance suite of the queue port, according to the documentation of SQS.
import { afterEach, beforeEach, describe, it } from 'vitest';
import { deduplication } from './cases/deduplication.ts';
import { delays } from './cases/delays.ts';
import { groups } from './cases/groups.ts';
import { longPolling } from './cases/long-polling.ts';
import { sendingAndReceiving } from './cases/messages.ts';
import { movingBack } from './cases/moving-back.ts';
import { redrive } from './cases/redrive.ts';
import { refusals } from './cases/refusals.ts';
import { visibility } from './cases/visibility.ts';
import { type Harness, type ItIf, type Lacks, QueueSteps } from './suite-queues.ts';

export function describeQueues(substrate: string, create: () => Promise<Harness>, lacks: Lacks = {}): void {
  describe(`queues on ${substrate}`, () => {
    let harness: Harness;
    beforeEach(async () => {
      harness = await create();
    });
    afterEach(() => harness.stop());
    const given = (): QueueSteps => new QueueSteps(harness);
    const itIf: ItIf = capability => it.runIf(lacks[capability] === undefined);
    sendingAndReceiving(given);
    visibility(given, itIf);
    groups(given, itIf);
    deduplication(given, itIf);
    delays(given);
    redrive(given);
    movingBack(given);
    longPolling(given, itIf);
    refusals(given);
  });
}
