// The parity corpus: scenarios, and the state that the upstream controllers reached for each. It is no part of this
// project; where it is not there, the suites that need it say so in one line and are skipped.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import * as z from 'zod/mini';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import type { CustomResourceDefinition } from '../../shared/api/schema/definition.ts';

/** Its folder: CAPI_PARITY_CORPUS, or `shared/parity` beside this project. */
export const corpusFolder = process.env['CAPI_PARITY_CORPUS'] || path.resolve(projectRoot, '../shared/parity');

/** A suite that plays the corpus. Without one it is skipped with one line that says why. */
export function describeCorpus(name: string, declare: () => void): void {
  const needed = ['run.mjs', 'compare.mjs', 'crds.json'];
  const missing = needed.find(file => !existsSync(path.join(corpusFolder, file)));
  if (missing === undefined) {
    describe(name, declare);
    return;
  }
  // Written to the descriptor itself: the test runner would wrap a console line in three of its own.
  writeSync(2, `Skipped "${name}": ${corpusFolder} holds no ${missing}; CAPI_PARITY_CORPUS names another folder\n`);
  describe.skip(name, () => {
    it('needs the parity corpus', () => {});
  });
}

const scenarioSchema = z.object({ id: z.string(), kind: z.string(), title: z.string() });

export interface Scenario extends z.infer<typeof scenarioSchema> {
  /** Name of its folder. */
  readonly folder: string;
}

/** Plays only the scenarios whose folder this expression matches, such as `^k`. */
const wanted = new RegExp(process.env['CAPI_PARITY_SCENARIOS'] ?? '');

/** All scenarios that have a recorded result, in order. */
export function readScenarios(): readonly Scenario[] {
  return readdirSync(corpusFolder)
    .filter(folder => wanted.test(folder))
    .filter(folder => ['scenario.json', 'result.json'].every(file => existsSync(path.join(corpusFolder, folder, file))))
    .sort()
    .map(folder => ({ folder, ...scenarioSchema.parse(readJson(path.join(corpusFolder, folder, 'scenario.json'))) }));
}

/** What the upstream controllers reached. */
export function readResult({ folder }: Scenario): unknown {
  return readJson(path.join(corpusFolder, folder, 'result.json'));
}

/** The definitions of the kinds that scenarios use: the provider's, and Cluster API's where they lie beside the corpus. */
export function readCorpusCrds(): readonly CustomResourceDefinition[] {
  const beside = path.join(corpusFolder, '../crds');
  const files = existsSync(beside) ? readdirSync(beside).filter(file => file.endsWith('.yaml')) : [];
  const core = files.flatMap(file =>
    parseAllDocuments(readFileSync(path.join(beside, file), 'utf8')).map(document => document.toJS()),
  );
  const { items } = parse(readFileSync(path.join(corpusFolder, 'crds.json'), 'utf8'));
  return [...core, ...items] as readonly CustomResourceDefinition[]; // the API server checks them when they are created
}

export interface Playing {
  /** Of the recorder, which plays users and providers. */
  readonly kubeconfig: string;
  readonly scenarios: readonly Scenario[];
  /** The API server's audit log, and the user as whom our functions write. */
  readonly audit?: { readonly file: string; readonly user: string };
}

export interface Played {
  /** The differences to the recorded result, as text; empty when there are none. */
  differences(scenario: Scenario): Promise<string>;
  remove(): void;
}

/** Scenarios spend their time waiting; more at a time would keep each other from settling on a small machine. */
const parallelScenarios = 8;
/** How much longer than a quick machine needs a snapshot waits for quiet. */
const quietScale = 2;

/** Plays the scenarios with the corpus's own recorder. The recordings lie in a folder of their own until `remove`. */
export async function play({ kubeconfig, scenarios, audit }: Playing): Promise<Played> {
  const out = mkdtempSync(path.join(tmpdir(), 'capi-parity-'));
  const names = scenarios.map(({ folder }) => folder.replaceAll(/[^\w-]/g, '.'));
  const said = await runScript('run.mjs', [
    ...['--kubeconfig', kubeconfig, '--out', out],
    ...['--parallel', String(parallelScenarios), '--quiet-scale', String(quietScale)],
    ...['--only', `^(?:${names.join('|')})$`],
    ...(audit === undefined ? [] : ['--audit', audit.file, '--audit-user', audit.user]),
    corpusFolder,
  ]);
  return {
    differences: async ({ folder }) => {
      const recording = path.join(out, `${folder}.json`);
      if (!existsSync(recording)) {
        return `${folder} could not be played:\n${said.text}`;
      }
      const compared = await runScript('compare.mjs', [path.join(corpusFolder, folder, 'result.json'), recording]);
      return compared.code === 0 ? '' : compared.text;
    },
    remove: () => rmSync(out, { recursive: true }),
  };
}

async function runScript(script: string, args: readonly string[]) {
  const child = spawn(process.execPath, [path.join(corpusFolder, script), ...args], {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  process.off('exit', end);
  return { code, text: `${stdout}${stderr}` };
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
