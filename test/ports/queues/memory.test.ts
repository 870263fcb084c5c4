import { MemoryQueues } from '../../support/memory-queues/queues.ts';
import { SteppedClock } from '../../support/stepped-clock.ts';
import { describeQueues } from './suite.ts';
import { suiteQueues } from './suite-queues.ts';

describeQueues('memory', async () => {
  const clock = new SteppedClock();
  const queues = new MemoryQueues({ queues: suiteQueues, clock });
  return { queues, letPass: ms => clock.advance(ms), stop: async () => {} };
});
