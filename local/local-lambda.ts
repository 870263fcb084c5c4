// Invokes a handler like the Lambda service: with a complete context and a timeout.
import { randomUUID } from 'node:crypto';
import type { Clock } from '@capi-serverless/apimachinery';
import type { Context } from 'aws-lambda';

/** The region of the fictional account of the local run. */
export const localRegion = 'us-east-1';
export const localAccount = '000000000000';

export interface LocalFunction<Event> {
  readonly name: string;
  readonly timeoutSeconds: number;
  /** The export of the bundle. It may return a promise. As on nodejs24.x, callbacks are not supported. */
  readonly handler: (event: Event, context: Context) => unknown;
}

export type Invoked =
  | { readonly ok: true; readonly response: unknown }
  | { readonly ok: false; readonly error: Error; readonly timedOut: boolean };

/**
 * Resolves when the handler settles or times out, whichever is first. Never rejects. The Lambda service would stop a
 * late handler. Here it continues, and its result is ignored.
 */
export async function invoke<Event>(target: LocalFunction<Event>, event: Event, clock: Clock): Promise<Invoked> {
  const settled = new AbortController();
  const deadline = clock.now() + target.timeoutSeconds * 1000;
  const late = clock.sleep(target.timeoutSeconds * 1000, settled.signal).then((): Invoked => {
    const error = new Error(`Function "${target.name}" did not settle within ${target.timeoutSeconds} s`);
    return { ok: false, error, timedOut: true };
  });
  const invoked = await Promise.race([call(target, event, toContext(target.name, deadline, clock)), late]);
  settled.abort();
  return invoked;
}

async function call<Event>(target: LocalFunction<Event>, event: Event, context: Context): Promise<Invoked> {
  try {
    return { ok: true, response: await target.handler(event, context) };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    return { ok: false, error, timedOut: false };
  }
}

function toContext(functionName: string, deadline: number, clock: Clock): Context {
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:${localRegion}:${localAccount}:function:${functionName}`,
    memoryLimitInMB: '512',
    awsRequestId: randomUUID(),
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    getRemainingTimeInMillis: () => Math.max(0, deadline - clock.now()),
    done: refuseCallback,
    fail: refuseCallback,
    succeed: refuseCallback,
  };
}

function refuseCallback(): never {
  throw new Error('Handlers settle by their promise; this runtime takes no callbacks');
}
