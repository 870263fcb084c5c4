// What every source of events in the model has.
import type { Request } from '../../../shared/workqueue/message.ts';
import type { OutgoingMessage } from '../../../shared/workqueue/port.ts';
import type { Random } from '../engine/random.ts';
import type { Scheduler } from '../engine/scheduler.ts';
import type { Network } from './queues.ts';

export interface SourceOptions {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly network: Network;
  readonly newId: () => string;
  /** Part of the changes that it does not see. */
  readonly lossRate: number;
  /** For the work queue, by this sender's clock. */
  readonly toMessage: (request: Request) => OutgoingMessage;
}
