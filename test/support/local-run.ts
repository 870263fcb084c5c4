// Runs a local run in its own process, with command-line options, and reads its JSON lines.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { isJsonObject } from '@capi-serverless/apimachinery';
import type { InvocationFact, ReconcileFact, RequestFact } from '../../shared/diagnostics/channels.ts';
import { raisedLimits } from './time-limits.ts';

const projectRoot = path.resolve(import.meta.dirname, '../..');

interface ProgressLine {
  readonly event: string;
  readonly [field: string]: unknown;
}

export type RecordedFact =
  | ({ readonly fact: 'request' } & RequestFact)
  | ({ readonly fact: 'invocation' } & InvocationFact)
  | ({ readonly fact: 'reconcile' } & ReconcileFact);

export interface LocalRun {
  readonly lines: readonly ProgressLine[];
  readonly stderr: string;
  /** Resolves with the first past or future line that `matches`. Rejects if the process ends earlier. */
  line(matches: (line: ProgressLine) => boolean): Promise<ProgressLine>;
  /** The exit code, or the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Sends SIGINT (Ctrl-C). */
  interrupt(): void;
  /** The facts of adapters so far. */
  facts(): readonly RecordedFact[];
}

interface LocalRunOptions {
  readonly args: readonly string[];
  /** The request of the functions at which the process is killed: `n:sent` or `n:answered`. */
  readonly kill?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of the checkout to run. Default: the current checkout. */
  readonly root?: string;
}

export function startLocalRun({ args, kill, env = {}, root = projectRoot }: LocalRunOptions): LocalRun {
  const folder = mkdtempSync(path.join(tmpdir(), 'capi-local-run-'));
  const factsFile = path.join(folder, 'facts.jsonl');
  const preload = (name: string): readonly string[] => ['--import', path.join(root, 'test/support/preload', name)];
  const child = spawn(
    process.execPath,
    [
      ...preload('record-facts.ts'),
      ...(kill === undefined ? [] : preload('kill-after.ts')),
      'cli/main.ts',
      'start',
      ...args,
    ],
    {
      cwd: root,
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        CAPI_TEST_FACTS: factsFile,
        CAPI_TEST_KILL: kill ?? '',
        ...raisedLimits,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const endChild = (): void => void child.kill('SIGKILL');
  process.once('exit', endChild);
  return observe(child, { factsFile, folder, endChild });
}

/** A process that gets no processor for seconds misses the answer of a workload cluster. It asks again. */
const lateAnswer = 'connection to the workload cluster is down';

/** Returns the errors that functions logged, in one line, without those that only tell that the machine is busy. */
export function errorsOf({ lines }: Pick<LocalRun, 'lines'>): string {
  return lines
    .flatMap(({ event, line }) => (event === 'log' && isJsonObject(line) && line['level'] === 'error' ? [line] : []))
    .filter(({ error }) => !String(error).includes(lateAnswer))
    .map(({ controller, name, message, error }) => `${controller} ${name}: ${message}: ${error}`)
    .join('; ');
}

interface RunFiles {
  readonly factsFile: string;
  readonly folder: string;
  readonly endChild: () => void;
}

function readFacts(file: string): readonly RecordedFact[] {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line));
}

function observe(child: ChildProcess, { factsFile, folder, endChild }: RunFiles): LocalRun {
  const lines: ProgressLine[] = [];
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const look of [...waiting]) {
      look();
    }
  };
  let stderr = '';
  let facts: readonly RecordedFact[] | undefined;
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  if (child.stdout !== null) {
    createInterface(child.stdout).on('line', text => {
      lines.push(text.startsWith('{') ? JSON.parse(text) : { event: 'text', text });
      wake();
    });
  }
  const ended = new Promise<number | NodeJS.Signals>(resolve => {
    child.once('close', (code, signal) => {
      process.off('exit', endChild);
      facts = readFacts(factsFile);
      rmSync(folder, { recursive: true, force: true });
      resolve(code ?? signal ?? 0);
    });
  });
  let over = false;
  void ended.then(() => {
    over = true;
    wake();
  });
  return {
    lines,
    get stderr() {
      return stderr;
    },
    line: matches =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find(matches);
          if (found !== undefined || over) {
            waiting.delete(look);
          }
          if (found !== undefined) {
            resolve(found);
          } else if (over) {
            reject(
              new Error(`The local run ended without the expected line; ${stderr || JSON.stringify(lines.at(-1))}`),
            );
          }
        };
        waiting.add(look);
        look();
      }),
    ended,
    interrupt: () => void child.kill('SIGINT'),
    facts: () => facts ?? readFacts(factsFile),
  };
}
