// Invariant I5: every timer causes a reconcile of its object, but not before it is due.

import type { Declaration } from '@capi-serverless/reconciler';
import { sharedFunction } from '../../../infra/function-plans.ts';
import { parseRequest } from '../../../shared/workqueue/message.ts';
import { delayQueue } from '../../../shared/workqueue/queue-names.ts';
import type { Engine } from '../engine/process.ts';
import type { ServedRequest } from '../ports/kubernetes.ts';
import type { Oracle } from './monitor.ts';

/** The longest time until a due timer has fired in a quiescent system: two queues, a waiting batch, and a function. */
const deliveryMs = 60_000;

interface Timers {
  readonly declarations: readonly Declaration[];
  /** The bodies of all timers in the queue, including those that a crash temporarily hides. */
  waiting(): readonly string[];
}

export function watchTimers(
  { scheduler, largestSkewMs }: Pick<Engine, 'scheduler' | 'largestSkewMs'>,
  { declarations, waiting }: Timers,
  report: (text: string) => void,
): Oracle {
  // The clock skew of the process that plans the timer, and of the process that forwards it.
  const skewMs = 2 * largestSkewMs;
  /** The due times of timers without a reconcile yet, by object name. */
  const planned = new Map<string, number[]>();
  /**
   * The timers that are being sent, by object name. The timer may become due, and the object may be reconciled, before
   * the send ends.
   */
  const lastLooks = new Map<string, number>();
  const looked = ({ process, of }: ServedRequest): void => {
    if (declarations.some(declaration => isServedBy(declaration, process.name, of.kind))) {
      const id = `${of.kind}/${of.namespace ?? ''}/${'name' in of ? of.name : ''}`;
      lastLooks.set(id, scheduler.now);
      planned.set(
        id,
        (planned.get(id) ?? []).filter(due => due > scheduler.now + skewMs),
      );
    }
  };
  return {
    sent({ queue, message }) {
      const timer = queue === delayQueue ? toTimer(message.body) : undefined;
      if (timer !== undefined && timer.due > (lastLooks.get(timer.id) ?? 0) + skewMs) {
        planned.set(timer.id, [...(planned.get(timer.id) ?? []), timer.due]);
      }
    },
    served(request) {
      if (request.verb === 'get') {
        looked(request);
      }
    },
    answered(request, answer) {
      // An object that ended two processes is not reconciled again. If it no longer exists, nothing is left to do.
      if (request.verb === 'metadata' && !answer.ok && answer.missing) {
        looked(request);
      }
    },
    rested() {
      const left = waiting().map(toTimer);
      for (const [id, dues] of planned) {
        const isLeft = (due: number): boolean => left.some(timer => timer?.id === id && timer.due === due);
        const lost = dues.filter(due => due < scheduler.now - deliveryMs && !isLeft(due));
        if (lost.length > 0) {
          report(`I5: ${lost.length} timers of ${id} never led to a reconcile`);
        }
      }
    },
  };
}

/** Returns an id of a timer from its object and due time. Returns `undefined` for any other message. */
function toTimer(body: string): { readonly id: string; readonly due: number } | undefined {
  const request = parseRequest(body);
  if (request?.cause !== 'timer' || request.due === undefined) {
    return undefined;
  }
  const { kind, namespace, name } = request.key;
  return { id: `${kind}/${namespace}/${name}`, due: request.due };
}

/**
 * A process name is the name of its function and a number. A process of the function of all reconcilers does not show
 * which of them reads.
 */
function isServedBy({ name, primary }: Declaration, process: string, kind: string): boolean {
  return primary.kind === kind && [name, sharedFunction.name].some(of => process.startsWith(`${of}.`));
}
