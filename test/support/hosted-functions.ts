// The functions of a packaged deployment, each in a process of its own with the environment of the template.
import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import type { HostedAnswer, HostedCall } from '../iam-engine/function-host.ts';
import type { PackagedFunction } from './packaged.ts';

export interface HostedFunction {
  readonly name: string;
  readonly timeoutSeconds: number;
  /** Resolves with the answer of the handler. Rejects if it fails. */
  invoke(event: unknown): Promise<unknown>;
  stop(): void;
}

const host = path.join(import.meta.dirname, '../iam-engine/function-host.ts');

/** Resolves when the bundle is loaded. */
export async function hostFunction(
  { name, taskRoot, timeoutSeconds, environment }: PackagedFunction,
  more: Readonly<Record<string, string>>,
): Promise<HostedFunction> {
  const child = fork(host, [name, path.join(taskRoot, 'handler.mjs'), String(timeoutSeconds)], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment, ...more },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let calls = 0;
  await answerTo(child, -1);
  return {
    name,
    timeoutSeconds,
    async invoke(event) {
      calls += 1;
      const call: HostedCall = { id: calls, event };
      const answered = answerTo(child, call.id);
      child.send(call);
      const { response, error } = await answered;
      if (error !== undefined) {
        throw new Error(`Function ${name} failed: ${error}`);
      }
      return response;
    },
    stop: () => void child.kill(),
  };
}

function answerTo(child: ChildProcess, id: number): Promise<HostedAnswer> {
  return new Promise((resolve, reject) => {
    const listen = (answer: HostedAnswer): void => {
      if (answer.id === id) {
        child.off('message', listen);
        child.off('exit', fail);
        resolve(answer);
      }
    };
    const fail = (code: number | null): void => reject(new Error(`A function's process ended with ${code}`));
    child.on('message', listen);
    child.on('exit', fail);
  });
}
