// The watch-forwarder of a deployment in a process of its own, with the outputs of the template.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { bundleProgram } from '../../../infra/bundles/bundle.ts';
import { forwarderProgram } from '../../../infra/function-plans.ts';

export const forwarderName = forwarderProgram.name;

const heartbeats = path.join(import.meta.dirname, '../../support/preload/early-heartbeats.ts');

export interface HostedForwarder {
  /** Sends what is pending, and ends. Rejects if it failed. */
  stop(): Promise<void>;
  kill(): void;
}

/** Resolves when it watches the API server. `environment` contains its identity, its queues and a kubeconfig. */
export async function hostForwarder(
  environment: Readonly<Record<string, string>>,
  folder: string,
): Promise<HostedForwarder> {
  const { file } = await bundleProgram(forwarderProgram, folder);
  const child = spawn(process.execPath, ['--import', heartbeats, file], {
    env: { PATH: process.env['PATH'], CAPI_PROBE_ADDRESS: '127.0.0.1:0', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  await untilItForwards(child);
  return {
    async stop() {
      child.kill('SIGTERM');
      const [code] = await ended;
      if (code !== 0) {
        throw new Error(`The watch-forwarder ended with ${code}`);
      }
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

async function untilItForwards({ stdout }: ChildProcess): Promise<void> {
  if (stdout === null) {
    throw new Error('The output of the watch-forwarder is not readable');
  }
  for await (const line of createInterface({ input: stdout })) {
    if (JSON.parse(line).message === 'Forwarding changes') {
      stdout.resume();
      return;
    }
  }
  throw new Error('The watch-forwarder ended before it forwarded changes');
}
