// Types that the middlewares exchange during one invocation.

import type { Instant } from '@capi-serverless/apimachinery';
import type { Log } from '@capi-serverless/reconciler';
import type middy from '@middy/core';
import type { Context } from 'aws-lambda';

/** What the work gets besides its event. */
export interface Invocation {
  /** Aborts shortly before the timeout. Everything in progress must settle then. */
  readonly signal: AbortSignal;
  /** When `signal` aborts. */
  readonly deadline: Instant;
  /** Logs with the request id. */
  readonly log: Log;
}

/** The argument of the innermost function: the parsed event and what the deadline adds. */
export interface Call<Event> {
  readonly event: Event;
  readonly invocation: Invocation;
}

/** Data about one invocation that middlewares share. */
export interface InvocationNotes extends Record<string, unknown> {
  /** The number of messages and the ids of unreadable ones; set by event parsing. */
  messages?: number;
  unreadable?: readonly string[];
}

export type Middleware = middy.MiddlewareObj<unknown, unknown, Error, Context, InvocationNotes>;
export type MiddlewareRequest = Parameters<NonNullable<Middleware['before']>>[0];
