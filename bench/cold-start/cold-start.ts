// Section `cold-start`: the time from the start of a process to the first answer of each bundled function.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { declarations } from '../../functions/declarations.ts';
import { type Bundle, bundleFunctions, projectRoot } from '../../infra/bundles/bundle.ts';
import { plumbingFunctions, toReconcilerFunctions } from '../../infra/function-plans.ts';
import { simulatedDeclarations } from '../../local/provider/declarations.ts';
import { median, type Row, type Say, type Section } from '../section.ts';
import { type ColdStartStage, messageId, setStage } from './stage.ts';

export const emptyHandler = { name: 'empty-handler', entry: 'bench/cold-start/empty-handler.ts' };
const starter = path.join(import.meta.dirname, 'first-answer.mjs');

interface ColdStartOptions {
  /** The number of starts per function. */
  readonly starts: number;
  readonly say: Say;
}

interface Start {
  /** The time from the start of the process. */
  readonly answeredMs: number;
  /** The part of this time for importing the bundle. The rest is the first invocation. */
  readonly loadedMs: number;
}

export async function measureColdStart({ starts, say }: ColdStartOptions): Promise<Section> {
  const bundles = await bundleFunctions(
    [
      emptyHandler,
      ...toReconcilerFunctions(declarations, 'functions'),
      ...toReconcilerFunctions(simulatedDeclarations, 'local/provider'),
      ...plumbingFunctions,
    ],
    path.join(projectRoot, 'dist/bench'),
  );
  const dir = mkdtempSync(path.join(tmpdir(), 'capi-bench-'));
  try {
    const stage = setStage(dir);
    const found = new Map<string, Start[]>(bundles.map(({ name }) => [name, []]));
    for (let round = 0; round < starts; round += 1) {
      // The starts of the functions alternate, so that other load on the machine affects all of them equally.
      for (const bundle of bundles) {
        found.get(bundle.name)?.push(await measureStart(bundle, stage));
      }
      say(`cold starts: round ${round + 1} of ${starts}`);
    }
    return toSection(bundles, found, starts);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Rejects unless the handler refused the message. The refusal proves that the handler's code ran. */
async function measureStart(bundle: Bundle, { eventFile, environment }: ColdStartStage): Promise<Start> {
  const startedAt = performance.timeOrigin + performance.now();
  const child = spawn(process.execPath, [starter, bundle.file, eventFile], {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const report = child.stdio[3] as Readable; // True: descriptor 3 is a pipe to which only the child writes.
  const errors: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  const [answer] = await Promise.all([json(report).catch(() => undefined), once(child, 'close')]);
  const { loadedAt, answeredAt, refused } = (answer ?? {}) as Partial<Report>; // True: first-answer.mjs wrote it, or it is absent.
  if (loadedAt === undefined || answeredAt === undefined || refused?.[0] !== messageId) {
    throw new Error(`Function "${bundle.name}" did not refuse the bench's message: ${errors.join('').trim()}`);
  }
  return { answeredMs: answeredAt - startedAt, loadedMs: loadedAt - startedAt };
}

interface Report {
  readonly loadedAt: number;
  readonly answeredAt: number;
  readonly refused: readonly string[];
}

function toSection(bundles: readonly Bundle[], found: ReadonlyMap<string, readonly Start[]>, starts: number): Section {
  const [empty, ...functions] = bundles;
  const rows = functions.flatMap((bundle): readonly Row[] => {
    const row = (what: string, of: (start: Start) => number): Row => ({
      figure: `${bundle.name}: ${what}`,
      unit: 'ms',
      values: [bundle, empty].map(each => median((found.get(each?.name ?? '') ?? []).map(of))),
    });
    return [
      row('process start → first answer', start => start.answeredMs),
      row('  of that until loaded', start => start.loadedMs),
      { figure: `${bundle.name}: read at start`, unit: 'KiB', values: [bundle.startBytes / 1024, null] },
    ];
  });
  return {
    name: 'cold-start',
    title: `Cold start, median of ${starts}`,
    subjects: ['function', 'empty handler'],
    rows,
    skipped: [],
  };
}
