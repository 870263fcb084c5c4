// A local run that is killed once and restarted immediately.
import { type LocalRun, type RecordedFact, startLocalRun } from './local-run.ts';

interface RestartingRun {
  /** Whether the process was killed. */
  readonly killed: boolean;
  /** The number of requests of the functions in the first process. */
  requests(): number;
  /** Returns the same promise as `work`. Rejects with the output if a process ends unexpectedly. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Sends Ctrl-C. Resolves after both processes have ended. The kill may still happen in the meantime. */
  stop(): Promise<void>;
}

/** `kill` is as in LocalRunOptions. Without it, no process is killed. */
export function startRestartingRun(args: readonly string[], kill?: string): RestartingRun {
  const first = startLocalRun({ args, ...(kill === undefined ? {} : { kill }) });
  let current = first;
  let killed = false;
  let stopping = false;
  const watch = async (run: LocalRun): Promise<void> => {
    const code = await run.ended;
    if (code === 'SIGKILL' && run === first && kill !== undefined) {
      killed = true;
      current = startLocalRun({ args });
      return watch(current);
    }
    if (!(stopping && code === 0)) {
      throw new Error(`The local run ended with ${code}: ${run.stderr || JSON.stringify(run.lines.at(-1))}`);
    }
  };
  const over = watch(first);
  over.catch(() => undefined);
  const failure = over.then(() => new Promise<never>(() => undefined));
  failure.catch(() => undefined);
  const stopCurrent = async (): Promise<void> => {
    const run = current;
    await run.line(({ event }) => event === 'started').catch(() => undefined);
    run.interrupt();
    await run.ended;
    return current === run ? undefined : stopCurrent();
  };
  return {
    get killed() {
      return killed;
    },
    requests: () => first.facts().filter(isOfFunction).length,
    during: work => Promise.race([work, failure]),
    async stop() {
      stopping = true;
      await stopCurrent();
      await over;
    },
  };
}

/** The requests of the tool itself and the forwarder's watches are not requests of functions. */
function isOfFunction(fact: RecordedFact): boolean {
  return fact.fact === 'request' && !['local', 'watch-forwarder'].includes(fact.client);
}
