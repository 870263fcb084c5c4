// `npm run test:times`: runs the suites of `npm test`, or the named suites, and writes their times to docs/testing.md.
// With --from FOLDER, it reads the records of another run, for example of `CAPI_TEST_TIMES=FOLDER npm test`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { testLanes } from '../steps/quick.ts';
import { parseDurations, parseProcessor } from './record.ts';
import { join, toFileTable, toSuiteTable, withTables } from './table.ts';

const projectRoot = path.resolve(import.meta.dirname, '../..');
const page = path.join(projectRoot, 'docs/testing.md');

/** Runs the suites sequentially. They write records to the folder. */
function run(suites: readonly string[], folder: string): void {
  for (const suite of suites) {
    const args = ['vitest', 'run', '--project', suite];
    spawnSync('npx', args, { cwd: projectRoot, stdio: 'inherit', env: { ...process.env, CAPI_TEST_TIMES: folder } });
  }
}

function tablesOf(folder: string): readonly string[] {
  const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
  const files = join(parseDurations(read('durations.jsonl')), parseProcessor(read('processor.jsonl')));
  const day = new Date().toISOString().slice(0, 10);
  const [, , load = 0] = loadavg();
  const machine = `Node ${process.versions.node}, ${availableParallelism()} cores, load ${load.toFixed(0)}`;
  return [
    `Measured on ${day} (${machine}):`,
    '',
    ...toSuiteTable(files),
    '',
    'The files that cost most processor time:',
    '',
    ...toFileTable(files),
    '',
  ];
}

const { values, positionals } = parseArgs({ options: { from: { type: 'string' } }, allowPositionals: true });
const folder = values.from ?? mkdtempSync(path.join(tmpdir(), 'capi-times-'));
if (values.from === undefined) {
  run(
    positionals.length > 0
      ? positionals
      : testLanes({ isFull: false })
          .flat()
          .map(({ name }) => name),
    folder,
  );
}
const lines = tablesOf(folder);
console.log(lines.join('\n'));
if (positionals.length === 0) {
  writeFileSync(page, withTables(readFileSync(page, 'utf8'), lines));
}
if (values.from === undefined) {
  rmSync(folder, { recursive: true });
}
