// What the middlewares hand inwards and to each other during one invocation.
import type middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type { Instant } from '../api/object.ts';
import type { Log } from '../kernel/log.ts';

/** What the work is given beside its event. */
export interface Invocation {
  /** Aborts shortly before the function's time is up; everything started must settle then. */
  readonly signal: AbortSignal;
  /** When `signal` aborts. */
  readonly deadline: Instant;
  /** Carries the request id. */
  readonly log: Log;
}

/** What the innermost function is called with: the parsed event, and what the deadline adds. */
export interface Call<Event> {
  readonly event: Event;
  readonly invocation: Invocation;
}

/** What middlewares tell each other about one invocation. */
export interface Notes extends Record<string, unknown> {
  /** How many messages came, and which of them could not be read; set by event parsing. */
  messages?: number;
  unreadable?: readonly string[];
}

export type Middleware = middy.MiddlewareObj<unknown, unknown, Error, Context, Notes>;
export type MiddlewareRequest = Parameters<NonNullable<Middleware['before']>>[0];
