// A message is acknowledged only after its follow-up was sent. A new timer is due later than the current one, a retry
// increments the attempt, and no timer fires early.
import { parseRequest, type Request, toKeyText } from '../../../shared/workqueue/message.ts';
import type { ReceivedMessage } from '../../../shared/workqueue/port.ts';
import { delayQueue, expandQueue } from '../../../shared/workqueue/queue-names.ts';
import type { Engine } from '../engine/process.ts';
import type { Oracle } from './monitor.ts';

/** The log messages of a reconcile that is to be repeated with the next attempt. */
const unfinished: ReadonlySet<string> = new Set([
  'Reconciler error',
  'The time of the invocation is up, the next one continues',
  'Reconciler exhausted',
]);

interface Serving {
  readonly attempt: number;
  readonly latestDue: number;
  failed: boolean;
  /** The messages whose follow-up was accepted by no queue. */
  unsent: boolean;
}

export function watchFollowUps(
  { scheduler, largestSkewMs }: Pick<Engine, 'scheduler' | 'largestSkewMs'>,
  report: (text: string) => void,
): Oracle {
  /** The request of each invocation, by process, reconciler and object. */
  const serving = new Map<string, Serving>();

  const checkTimer = (sender: string, request: Request): void => {
    const served = serving.get(`${sender} ${nameOf(request)}`);
    if (served === undefined || request.due === undefined) {
      return;
    }
    if (request.due <= served.latestDue) {
      report(`I5: ${sender} sent a timer for ${toKeyText(request.key)} that is due no later than the one it serves`);
    }
    const attempt = served.failed ? served.attempt + 1 : 0;
    if (request.attempt !== attempt) {
      report(`D4: ${sender} sent attempt ${request.attempt} for ${toKeyText(request.key)}, which is number ${attempt}`);
    }
  };

  return {
    invocation(event) {
      if (event.type === 'begins' && event.queue !== delayQueue && event.queue !== expandQueue) {
        remember(serving, event.process.name, event.messages);
      }
      if (event.type === 'ends') {
        for (const request of event.acknowledged.flatMap(({ body }) => readable(body))) {
          if (serving.get(`${event.process.name} ${nameOf(request)}`)?.unsent === true) {
            report(`D4: ${event.process.name} acknowledged ${toKeyText(request.key)}, whose follow-up no queue took`);
          }
        }
        forget(serving, event.process.name);
      }
    },
    logged({ process, message, fields }) {
      const served = serving.get(
        `${process} ${String(fields['controller'])} ${String(fields['namespace'])}/${String(fields['name'])}`,
      );
      if (served !== undefined) {
        served.failed ||= unfinished.has(message);
        served.unsent ||= message === 'Sending the follow-up failed';
      }
    },
    sent({ queue, message, sender }) {
      for (const request of queue === expandQueue ? [] : readable(message.body)) {
        if (queue === delayQueue) {
          checkTimer(sender, request);
        } else if (request.due !== undefined && request.due > scheduler.now + largestSkewMs + 1) {
          const early = ((request.due - scheduler.now) / 1_000).toFixed(0);
          report(
            `I5: ${sender} sent a timer for ${toKeyText(request.key)} to its work queue ${early} s before it is due`,
          );
        }
      }
    },
  };
}

function remember(serving: Map<string, Serving>, process: string, messages: readonly ReceivedMessage[]): void {
  for (const request of messages.flatMap(({ body }) => readable(body))) {
    const id = `${process} ${nameOf(request)}`;
    const known = serving.get(id);
    serving.set(id, {
      attempt: Math.max(request.attempt, known?.attempt ?? 0),
      latestDue: Math.max(request.due ?? 0, known?.latestDue ?? 0),
      failed: false,
      unsent: false,
    });
  }
}

function forget(serving: Map<string, Serving>, process: string): void {
  for (const id of serving.keys()) {
    if (id.startsWith(`${process} `)) {
      serving.delete(id);
    }
  }
}

/** Reconcilers may share a process, and their objects may have equal names. */
function nameOf({ reconciler, key }: Request): string {
  return `${reconciler} ${key.namespace}/${key.name}`;
}

/** Messages may be delivered several times. */
const readBefore = new Map<string, readonly Request[]>();
const mostRemembered = 1_000;

function readable(body: string): readonly Request[] {
  const known = readBefore.get(body);
  if (known !== undefined) {
    return known;
  }
  if (readBefore.size >= mostRemembered) {
    readBefore.clear();
  }
  const requests = read(body);
  readBefore.set(body, requests);
  return requests;
}

/** Other oracles check unreadable messages. */
function read(body: string): readonly Request[] {
  try {
    return [parseRequest(body)];
  } catch {
    return [];
  }
}
