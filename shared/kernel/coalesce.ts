// Merges a batch of messages into one request per object. Refuses messages that are not for this function.

import { type Declaration, toError } from '@capi-serverless/reconciler';
import {
  type Key,
  parseRequest,
  type Request,
  type TrialLimits,
  toKeyText,
  trialLimits,
} from '../workqueue/message.ts';
import { isObjectName } from '../workqueue/object-names.ts';

export interface IncomingMessage {
  readonly messageId: string;
  readonly body: string;
  /** Required to acknowledge the message before the invocation ends. */
  readonly receiptHandle?: string;
  /** The number of deliveries, with this one. Default: 1. */
  readonly receiveCount?: number;
  /** The time of the first delivery, by the queue's clock. */
  readonly firstReceivedAtMs?: number;
  /** The time when the message was sent, by the queue's clock. */
  readonly sentAtMs?: number;
}

/** All messages of one key. One reconcile processes them. */
export interface KeyWork {
  readonly key: Key;
  readonly messageIds: readonly string[];
  /** The time when the first message was sent. Absent if the queue did not report it. */
  readonly sentAtMs?: number;
  /** The highest `attempt` of the messages. */
  readonly attempt: number;
  /** The most deaths of one of the messages. */
  readonly deaths: number;
  /** The most deliveries of one of the messages. */
  readonly receiveCount: number;
  /** How an earlier death of one of the messages demands to reconcile. */
  readonly trial: TrialLimits | undefined;
  /** The latest due time of the timers among the messages. */
  readonly latestDue: number | undefined;
  readonly causes: readonly string[];
  /** The traces of all messages, in order. The follow-up contains the first one. */
  readonly traces: readonly [string, ...string[]];
}

export interface RefusedMessage {
  readonly messageId: string;
  /** 'invalid_name': no API server accepts the name, so no retry can succeed. */
  readonly reason: 'unreadable' | 'foreign_management_cluster' | 'wrong_reconciler' | 'wrong_kind' | 'invalid_name';
  readonly problem: string;
}

interface Coalesced {
  readonly work: readonly KeyWork[];
  readonly refused: readonly RefusedMessage[];
}

interface Group {
  readonly requests: Request[];
  readonly messages: IncomingMessage[];
}

/** The requests that a function accepts. */
interface Accepted {
  readonly declaration: Declaration;
  /** Returns how many processes died while they had this message. */
  readonly deathsOf: (message: IncomingMessage) => number;
  /** If `undefined`, the cluster is not known yet, so requests for every cluster are accepted. */
  readonly managementCluster: string | undefined;
}

/** Groups by key, in order of first appearance. */
export function coalesce(messages: readonly IncomingMessage[], accepts: Accepted): Coalesced {
  const groups = new Map<string, Group>();
  const refused: RefusedMessage[] = [];
  for (const message of messages) {
    const read = readRequest(message.body, accepts);
    if ('reason' in read) {
      refused.push({ messageId: message.messageId, ...read });
      continue;
    }
    const id = toKeyText(read.key);
    const group = groups.get(id) ?? { requests: [], messages: [] };
    group.requests.push(read);
    group.messages.push(message);
    groups.set(id, group);
  }
  return { work: [...groups.values()].map(group => toWork(group, accepts)), refused };
}

function readRequest(
  body: string,
  { declaration, managementCluster }: Accepted,
): Request | Omit<RefusedMessage, 'messageId'> {
  let request: Request;
  try {
    request = parseRequest(body);
  } catch (error) {
    return { reason: 'unreadable', problem: toError(error).message };
  }
  const { key, reconciler } = request;
  if (managementCluster !== undefined && key.managementCluster !== managementCluster) {
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
  if (!isObjectName(key)) {
    return { reason: 'invalid_name', problem: `Message names a ${key.kind} with a name that no API server accepts` };
  }
  return request;
}

function toWork({ requests, messages }: Group, { deathsOf }: Accepted): KeyWork {
  const sentAt = messages.flatMap(({ sentAtMs }) => sentAtMs ?? []);
  const dues = requests.flatMap(({ due }) => (due === undefined ? [] : [due]));
  const [first] = requests as readonly Request[] as readonly [Request, ...Request[]]; // true: a group is created with its first request
  return {
    key: first.key,
    messageIds: messages.map(({ messageId }) => messageId),
    deaths: Math.max(...messages.map(deathsOf)),
    receiveCount: Math.max(...messages.map(({ receiveCount = 1 }) => receiveCount)),
    trial: trialLimits.find(trial => requests.some(request => request.trial === trial)),
    ...(sentAt.length === 0 ? {} : { sentAtMs: Math.min(...sentAt) }),
    attempt: Math.max(...requests.map(({ attempt }) => attempt)),
    latestDue: dues.length === 0 ? undefined : Math.max(...dues),
    causes: [...new Set(requests.map(({ cause }) => cause))],
    traces: [first.trace, ...new Set(requests.map(({ trace }) => trace).filter(trace => trace !== first.trace))],
  };
}
