// Runs one bundled function in a process of its own, with the environment of its template. The parent sends events and
// receives what the handler answers.
import { pathToFileURL } from 'node:url';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { invoke, type LocalFunction } from '../../local/local-lambda.ts';

export interface HostedCall {
  readonly id: number;
  readonly event: unknown;
}

export interface HostedAnswer {
  readonly id: number;
  readonly response?: unknown;
  readonly error?: string;
}

const [name = '', file = '', timeoutSeconds = ''] = process.argv.slice(2);
const { handler } = await import(pathToFileURL(file).href);
const target: LocalFunction<unknown> = { name, timeoutSeconds: Number(timeoutSeconds), handler };

process.on('message', ({ id, event }: HostedCall) => {
  void invoke(target, event, systemClock).then(invoked => {
    const answer: HostedAnswer = invoked.ok ? { id, response: invoked.response } : { id, error: String(invoked.error) };
    process.send?.(answer);
  });
});
process.send?.({ id: -1 } satisfies HostedAnswer);
