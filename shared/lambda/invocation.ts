// Types that the middlewares exchange during one invocation.

import type { Instant } from '@capi-serverless/apimachinery';
import type { Log } from '@capi-serverless/reconciler';
import type middy from '@middy/core';
import type { Context } from 'aws-lambda';

/** The input of the work besides its event. */
export interface Invocation {
  /** Aborts shortly before the timeout. All work in progress must settle then. */
  readonly signal: AbortSignal;
  /** The time when `signal` aborts. */
  readonly deadline: Instant;
  /** A log whose lines contain the request id. */
  readonly log: Log;
}

/** The argument of the innermost function: the parsed event and the values of the deadline middleware. */
export interface HandlerInput<Event> {
  readonly event: Event;
  readonly invocation: Invocation;
}

/** Data about one invocation that middlewares share. */
export interface InvocationNotes extends Record<string, unknown> {
  /** The number of messages and the ids of unreadable ones. Event parsing sets them. */
  messages?: number;
  unreadable?: readonly string[];
}

export type Middleware = middy.MiddlewareObj<unknown, unknown, Error, Context, InvocationNotes>;
export type MiddlewareRequest = Parameters<NonNullable<Middleware['before']>>[0];
