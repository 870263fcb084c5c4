// Turns a batch of messages into one request per object; a message that names no work for this function is refused.
import { type Key, parseRequest, type Request, toKeyText } from '../workqueue/message.ts';
import { toError } from './errors.ts';
import type { Declaration } from './types.ts';

export interface IncomingMessage {
  readonly messageId: string;
  readonly body: string;
  /** When it was sent, by the queue's clock. */
  readonly sentAtMs?: number;
}

/** All messages of one key, served by one reconcile. */
export interface Work {
  readonly key: Key;
  readonly messageIds: readonly string[];
  /** When the first of them was sent; absent when the queue did not tell. */
  readonly sentAtMs?: number;
  /** The most failed tries in a row that any message knows of. */
  readonly attempt: number;
  /** The latest due instant among timers in the batch. */
  readonly latestDue: number | undefined;
  readonly causes: readonly string[];
  /** Those of all messages, in the order given; what follows carries the first one on. */
  readonly traces: readonly [string, ...string[]];
}

export interface Refused {
  readonly messageId: string;
  readonly reason: 'unreadable' | 'foreign_management_cluster' | 'wrong_reconciler' | 'wrong_kind';
  readonly problem: string;
}

export interface Coalesced {
  readonly work: readonly Work[];
  readonly refused: readonly Refused[];
}

interface Group {
  readonly requests: Request[];
  readonly messageIds: string[];
  readonly sentAt: number[];
}

/** Groups by key, in order of first appearance. */
export function coalesce(
  messages: readonly IncomingMessage[],
  accepts: { readonly declaration: Declaration; readonly managementCluster: string },
): Coalesced {
  const groups = new Map<string, Group>();
  const refused: Refused[] = [];
  for (const { messageId, body, sentAtMs } of messages) {
    const read = readRequest(body, accepts);
    if ('reason' in read) {
      refused.push({ messageId, ...read });
      continue;
    }
    const id = toKeyText(read.key);
    const group = groups.get(id) ?? { requests: [], messageIds: [], sentAt: [] };
    group.requests.push(read);
    group.messageIds.push(messageId);
    group.sentAt.push(...(sentAtMs === undefined ? [] : [sentAtMs]));
    groups.set(id, group);
  }
  return { work: [...groups.values()].map(toWork), refused };
}

function readRequest(
  body: string,
  { declaration, managementCluster }: { readonly declaration: Declaration; readonly managementCluster: string },
): Request | Omit<Refused, 'messageId'> {
  let request: Request;
  try {
    request = parseRequest(body);
  } catch (error) {
    return { reason: 'unreadable', problem: toError(error).message };
  }
  const { key, reconciler } = request;
  if (key.managementCluster !== managementCluster) {
    return {
      reason: 'foreign_management_cluster',
      problem: `Message is for management cluster ${key.managementCluster}, this function serves ${managementCluster}`,
    };
  }
  if (reconciler !== declaration.name) {
    return {
      reason: 'wrong_reconciler',
      problem: `Message is for reconciler ${reconciler}, this is ${declaration.name}`,
    };
  }
  if (key.group !== declaration.primary.group || key.kind !== declaration.primary.kind) {
    const { group, kind } = declaration.primary;
    return {
      reason: 'wrong_kind',
      problem: `Message names a ${key.kind} of group "${key.group}", expected ${kind} of "${group}"`,
    };
  }
  return request;
}

function toWork({ requests, messageIds, sentAt }: Group): Work {
  const dues = requests.flatMap(({ due }) => (due === undefined ? [] : [due]));
  const [first] = requests as readonly Request[] as readonly [Request, ...Request[]]; // a group is made with its first request
  return {
    key: first.key,
    messageIds,
    ...(sentAt.length === 0 ? {} : { sentAtMs: Math.min(...sentAt) }),
    attempt: Math.max(...requests.map(({ attempt }) => attempt)),
    latestDue: dues.length === 0 ? undefined : Math.max(...dues),
    causes: [...new Set(requests.map(({ cause }) => cause))],
    traces: [first.trace, ...new Set(requests.map(({ trace }) => trace).filter(trace => trace !== first.trace))],
  };
}
