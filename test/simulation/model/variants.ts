// The queue designs that the model compares: the two that can be chosen, and what each rule of theirs is there for.
import { toEventId } from '../../../shared/workqueue/ids.ts';
import { type Request, toKeyText } from '../../../shared/workqueue/message.ts';
import type { QueueDesign } from '../../../shared/workqueue/queue-design.ts';

/** What a run can go wrong in. */
export type Loss = 'change' | 'timer' | 'overlap';

export interface Variant {
  readonly name: string;
  readonly design: QueueDesign;
  /** What some runs must show; the designs that can be chosen show nothing. */
  readonly shows: readonly Loss[];
  /** Which sources tell of changes; drawn per run where nothing is said. */
  readonly source?: 'forwarder' | 'audit';
  /** Part of the changes that no source sees. */
  readonly lossRate?: number;
  /** Looks at every object this often; absent: nothing does. */
  readonly resyncPeriodMs?: number;
  /** Instead of the id that the design gives a message to the work queue. */
  readonly idOf?: (
    request: Request,
    sending: { readonly right: string; readonly now: number; readonly newId: () => string },
  ) => string;
  /** Instead of the queue delay of the design. */
  readonly queueDelaySeconds?: number;
  readonly acknowledgesFirst?: boolean;
  /** Instead of six function timeouts, and without hiding a batch for the time that its invocation has. */
  readonly visibilitySeconds?: number;
}

const lossRate = 0.2;

function isChange(request: Request): boolean {
  return request.cause === 'event';
}

export const variants: readonly Variant[] = [
  { name: 'default', design: 'default', shows: [] },
  { name: 'bucket', design: 'bucket', shows: [] },
  {
    name: 'default, every id unique',
    design: 'default',
    shows: [],
    idOf: (_request, { newId }) => newId(),
  },
  {
    name: 'default, timer id = due / 5 s',
    design: 'default',
    shows: ['timer'],
    idOf: ({ cause, key, due }, { right }) =>
      cause === 'timer' && due !== undefined ? `${toKeyText(key)}/${Math.floor(due / 5_000)}` : right,
  },
  {
    name: 'default, audit events without version',
    design: 'default',
    shows: ['change'],
    source: 'audit',
    idOf: (request, { right }) =>
      isChange(request)
        ? toEventId(
            request.key,
            (request.sources ?? []).map(source => source.replace(/@.*/, '@')),
          )
        : right,
  },
  {
    name: 'bucket, no queue delay',
    design: 'bucket',
    shows: ['change'],
    source: 'audit',
    queueDelaySeconds: 0,
  },
  {
    name: 'bucket of 5 s, queue delay 2 s',
    design: 'bucket',
    shows: ['change'],
    idOf: (request, { right, now }) =>
      isChange(request) ? `${toKeyText(request.key)}/${Math.floor(now / 5_000)}` : right,
  },
  { name: 'default, acknowledges before it follows up', design: 'default', shows: ['timer'], acknowledgesFirst: true },
  { name: 'bucket, acknowledges before it follows up', design: 'bucket', shows: ['timer'], acknowledgesFirst: true },
  {
    name: 'default, visibility 5 s below a timeout of 10 s',
    design: 'default',
    shows: ['overlap'],
    visibilitySeconds: 5,
  },
  { name: 'default, source loses 20 %', design: 'default', shows: ['change'], source: 'forwarder', lossRate },
  {
    name: 'default, source loses 20 %, resync every 120 s',
    design: 'default',
    shows: [],
    source: 'forwarder',
    lossRate,
    resyncPeriodMs: 120_000,
  },
  { name: 'bucket, source loses 20 %', design: 'bucket', shows: ['change'], source: 'forwarder', lossRate },
  {
    name: 'bucket, source loses 20 %, resync every 120 s',
    design: 'bucket',
    shows: [],
    source: 'forwarder',
    lossRate,
    resyncPeriodMs: 120_000,
  },
];
