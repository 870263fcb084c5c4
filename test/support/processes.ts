// The child processes of tests. Their logs are in one folder, and all are ended together.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Programs in Go collect garbage when their heap has grown to five times its size, not to twice. They are short-lived. */
const seldomCollecting = { GOGC: '400' } as const;

/**
 * The started processes and one watchdog. The watchdog reads their pids from a pipe and kills them when the pipe
 * closes. The pipe closes in every case in which this process ends.
 */
export class Processes {
  readonly #dir: string;
  readonly #children = new Map<string, ChildProcess>();
  readonly #watchdog: ChildProcess;

  constructor(dir: string) {
    this.#dir = dir;
    const script = 'pids=; while read -r pid; do pids="$pids $pid"; done; kill -9 $pids; rm -rf "$1"';
    this.#watchdog = spawn('/bin/sh', ['-c', script, 'watchdog', dir], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    this.#watchdog.unref();
  }

  start(name: string, program: string, flags: readonly string[]): void {
    const log = openSync(this.#logPath(name), 'w');
    const child = spawn(program, flags, { stdio: ['ignore', log, log], env: { ...seldomCollecting, ...process.env } });
    closeSync(log);
    child.unref();
    child.on('error', () => {}); // `failed` reports an early end of the process
    this.#children.set(name, child);
    this.#watchdog.stdin?.write(`${child.pid}\n`);
  }

  pids(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#children].map(([name, child]) => [name, child.pid ?? 0]));
  }

  /** A process that ended by itself, with the end of its log. */
  failed(): string | undefined {
    for (const [name, child] of this.#children) {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
        return `${name} ended with ${child.exitCode ?? child.signalCode}: ${this.tail(name)}`;
      }
    }
    return undefined;
  }

  tail(name: string): string {
    return this.log(name).trimEnd().split('\n').at(-1)?.slice(0, 1000) ?? '';
  }

  /** Returns all output so far. */
  log(name: string): string {
    return readFileSync(this.#logPath(name), 'utf8');
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#children.values(), this.#watchdog].map(kill));
    rmSync(this.#dir, { recursive: true, force: true });
  }

  #logPath(name: string): string {
    return join(this.#dir, `${name}.log`);
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.ref();
    child.kill('SIGKILL');
    await exited;
  }
}
