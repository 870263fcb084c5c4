// Worker processes of the simulation. There is one per core, or the number in CAPI_SIMULATION_WORKERS.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { compileCache } from '../support/compile-cache.ts';

/**
 * Short runs create much garbage. All cores are busy, so concurrent garbage collection has no benefit. Incremental
 * marking keeps every object that becomes old while it marks. The next collection begins at a multiple of what remains,
 * so the heap of a long campaign would grow without a leak.
 */
const garbageFlags = ['--max-semi-space-size=64', '--single-threaded-gc', '--no-incremental-marking'];

/**
 * Between two runs, 35 to 150 MiB remain. Without a limit, the next collection may begin at more than a GiB. With it, a
 * campaign that keeps objects ends its worker.
 */
const mostHeapMiB = 512;
const workerFlags = [...garbageFlags, `--max-old-space-size=${mostHeapMiB}`];

const mostWorkers = Number(process.env['CAPI_SIMULATION_WORKERS'] ?? availableParallelism());

/** Workers are reused, because starting one takes longer than a short run. */
const workers: ChildProcess[] = [];

/** Each worker gets its next task after it has answered the last one. */
export async function onAllCores<Task, Answer>(
  tasks: Iterator<Task>,
  onAnswer: (answer: Answer) => void,
): Promise<void> {
  const alive = workers.filter(({ connected }) => connected);
  workers.splice(0, workers.length, ...alive);
  while (workers.length < mostWorkers) {
    workers.push(startWorker());
  }
  await Promise.all(
    workers.map(async worker => {
      for (let task = tasks.next(); task.done !== true; task = tasks.next()) {
        onAnswer(await ask<Answer>(worker, task.value));
      }
    }),
  );
}

/** Resolves when all processes have ended. Only then does the processor time of this process include theirs. */
export async function endWorkers(): Promise<void> {
  await Promise.all(workers.splice(0).map(end));
}

function startWorker(): ChildProcess {
  const env = { ...process.env, ...compileCache };
  return fork(fileURLToPath(new URL('./worker.ts', import.meta.url)), { execArgv: workerFlags, env });
}

/** A worker that has exited cannot be disconnected. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  const ended = once(child, 'exit');
  if (child.connected) {
    child.disconnect();
  }
  await ended;
}

function ask<Answer>(child: ChildProcess, task: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const lost = (code: number | null, signal: string | null): void =>
      reject(new Error(`A worker of the simulation ended with ${signal ?? `code ${code}`}`));
    child.once('exit', lost);
    child.once('message', answer => {
      child.off('exit', lost);
      resolve(answer as Answer); // true: worker.ts sends nothing else
    });
    // A task is plain data. The process may have ended since its last task.
    child.send(task as object, error => error !== null && reject(error));
  });
}
