// A program that a test or a bench starts, with its last line of output.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface ChildProgram {
  readonly pid: number;
  /** Returns its last line of output, for error messages. */
  lastLine(): string;
  stop(): Promise<void>;
}

interface ChildOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Added to the environment of the current process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Called with every line of both outputs. Returns true when the process is ready. */
  readonly isReady: (line: string) => boolean;
  readonly endsWith: NodeJS.Signals;
}

/** Resolves when the process is ready. Rejects with its last line if it ends before. It ends with this process at the latest. */
export async function startChild(options: ChildOptions): Promise<ChildProgram> {
  const child = spawn(options.program, options.args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...process.env, ...options.env },
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  let lastLine = '';
  const ended = once(child, 'close').finally(() => process.off('exit', kill));
  const ready = new Promise<void>(resolve => {
    for (const output of [child.stdout, child.stderr]) {
      createInterface({ input: output }).on('line', line => {
        lastLine = line;
        if (options.isReady(line)) {
          resolve();
        }
      });
    }
  });
  const early = ended.then(([code]) => {
    throw new Error(`${options.program} ended with ${String(code)}: ${lastLine}`);
  });
  await Promise.race([ready, early]);
  early.catch(() => undefined); // the process may end from now on
  return {
    pid: child.pid ?? 0,
    lastLine: () => lastLine,
    stop: async () => {
      child.kill(options.endsWith);
      await ended;
    },
  };
}
