// The watch-forwarder in a process of its own, and what it needs at rest.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { forwarderFlags } from '../infra/function-plans.ts';
import { memoryOf, socketsOf } from './process-usage.ts';

/** The time is longer than the forwarder keeps a key after its last message. */
const restMs = 10_000;

export interface ForwarderUsage {
  readonly residentMiB: number | null;
  readonly peakMiB: number | null;
  readonly heapMiB: number | null;
  /** Open sockets. Null without /proc. */
  readonly sockets: number | null;
  readonly sent: number;
}

interface MeasuredForwarder {
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  /** Its metrics contain this line before it is measured. */
  readonly until?: string;
}

/** Starts the forwarder in its own process, waits until its first lists are sent, and measures it at rest. */
export async function measureForwarder({ program, env, until = '' }: MeasuredForwarder): Promise<ForwarderUsage> {
  const child = spawn(process.execPath, [...forwarderFlags, program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  try {
    const port = await portOf(child);
    const scrape = async (page: string) => fetch(`http://127.0.0.1:${port}${page}`);
    while ((await scrape('/readyz')).status !== 200) {
      await systemClock.sleep(100);
    }
    for (const line of [until, 'capi_serverless_pending_messages 0\n']) {
      while (!(await (await scrape('/metrics')).text()).includes(line)) {
        await systemClock.sleep(100);
      }
    }
    await systemClock.sleep(restMs);
    const text = await (await scrape('/metrics')).text();
    const memory = child.pid === undefined ? null : memoryOf(child.pid);
    return {
      residentMiB: memory?.residentMiB ?? null,
      peakMiB: memory?.peakMiB ?? null,
      heapMiB: numberIn(text, /^nodejs_heap_size_used_bytes (\d+)$/m) / 1_024 ** 2,
      sockets: child.pid === undefined ? null : socketsOf(child.pid),
      sent: numberIn(text, /^capi_serverless_sent_messages_total\{queue="work-cluster\.fifo"\} (\d+)$/m),
    };
  } finally {
    child.kill('SIGTERM');
    await once(child, 'close');
    process.off('exit', kill);
  }
}

async function portOf({ stdout }: ChildProcess): Promise<number> {
  if (stdout === null) {
    throw new Error('The forwarder has no output');
  }
  for await (const line of createInterface({ input: stdout })) {
    const { message, port }: { readonly message?: unknown; readonly port?: unknown } = JSON.parse(line);
    if (message === 'Answering probes' && typeof port === 'number') {
      // Later output is discarded, so that the process does not block.
      stdout.resume();
      return port;
    }
  }
  throw new Error('The forwarder ended before it answered probes');
}

function numberIn(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? 0);
}
