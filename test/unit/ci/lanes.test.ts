import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LaneStep, processorSecondsIn, runLanes } from '../../steps/lanes.ts';
import { testLanes } from '../../steps/quick.ts';
import { parseLine } from '../../steps/result.ts';

const projectRoot = path.resolve(import.meta.dirname, '../../..');

let folder: string;
let reported: string[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'capi-lanes-'));
  reported = [];
});

afterEach(() => rmSync(folder, { recursive: true }));

const shell = (name: string, script: string, more: Partial<LaneStep> = {}): LaneStep => ({
  name,
  command: ['sh', '-c', script],
  ...more,
});

function run(lanes: readonly (readonly LaneStep[])[], isVerbose = false) {
  return runLanes(lanes, { results: folder, isVerbose, report: text => reported.push(text) });
}

describe('lanes of steps', () => {
  it('run the steps of a lane in order, and a step after those of other lanes that it names', async () => {
    const file = path.join(folder, 'order');
    const results = await run([
      [shell('one', `echo one >>${file}`, { after: ['four'] }), shell('two', `echo two >>${file}`)],
      [shell('three', `echo three >>${file}`), shell('four', `echo four >>${file}`)],
    ]);
    expect(results.map(({ name, passed }) => [name, passed])).toEqual([
      ['one', true],
      ['two', true],
      ['three', true],
      ['four', true],
    ]);
    expect(readFileSync(file, 'utf8')).toBe('three\nfour\none\ntwo\n');
  });

  it('continue after a failed step, and record each step', async () => {
    const results = await run([[shell('bad', 'echo reason >&2; exit 3'), shell('good', 'exit 0', { after: ['bad'] })]]);
    const lines = readFileSync(path.join(folder, 'steps'), 'utf8').trimEnd().split('\n');
    expect(lines.map(parseLine)).toEqual(results);
    expect(results.map(({ passed }) => passed)).toEqual([false, true]);
    expect(readFileSync(path.join(folder, 'bad.log'), 'utf8')).toBe('reason\n');
    expect(reported).toContain('reason');
  });

  it('pass variables to a step, and print of a passed step only totals and what was skipped', async () => {
    const script = 'echo "$WHAT"; echo "Skipped \\"a suite\\": no server"; echo "      Tests  5 passed (5)"';
    await run([[shell('quiet', script, { env: { WHAT: 'much more' } })]]);
    expect(reported).toContain('Skipped "a suite": no server\n      Tests  5 passed (5)');
    await run([[shell('quiet', script, { env: { WHAT: 'much more' } })]], true);
    expect(reported).toContain('much more\nSkipped "a suite": no server\n      Tests  5 passed (5)');
  });

  it('end although a step leaves a process behind that keeps its output open', async () => {
    const pid = path.join(folder, 'pid');
    await run([[shell('leaving', `sleep 600 & echo $! >${pid}`)]]);
    process.kill(Number(readFileSync(pid, 'utf8')));
    expect(existsSync(path.join(folder, 'leaving.log'))).toBe(true);
  });

  it('refuse a step after one that does not exist', async () => {
    await expect(run([[shell('one', 'true', { after: ['none'] })]])).rejects.toThrow('There is no step none');
  });
});

it('processor time is that of the children: user and system', () => {
  expect(processorSecondsIn('0m0.00s 0m0.00s\n1m12.50s 0m3.60s\n')).toBe(76);
  expect(processorSecondsIn('')).toBe(0);
});

describe('the steps of CI', () => {
  const ci = readFileSync(path.join(projectRoot, '.ci/steps.ts'), 'utf8');
  const { scripts } = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8'));

  const namesOf = (isFull: boolean) =>
    testLanes({ isFull })
      .flat()
      .map(({ name }) => name);

  it('include npm test with the full extent, which has the same suites', () => {
    expect(namesOf(true).length).toBeGreaterThan(4);
    expect(namesOf(true).toSorted()).toEqual(namesOf(false).toSorted());
    expect(new Set(namesOf(true)).size).toBe(namesOf(true).length);
    expect(ci).toContain("command: ['npm', 'test']");
    expect(ci).toContain("CAPI_TEST_EXTENT: 'full'");
  });

  it('run no suite of npm test again', () => {
    expect(namesOf(true).filter(name => ci.includes(`suite('${name}'`))).toEqual([]);
  });

  it('include every script that tests or checks', () => {
    // The coverage is measured by the unit tests of the full extent. The stories beside upstream's providers take as much
    // processor time as all suites of a lane, so they run by their own command only.
    const parts = [
      'test',
      'test:times',
      'test:coverage',
      'test:providers',
      ...namesOf(true).map(name => `test:${name}`),
    ];
    const checks = Object.keys(scripts).filter(name =>
      /^test|^(lint|typecheck|generate:check|supply-chain|synth)$/.test(name),
    );
    const missing = checks
      .filter(name => !parts.includes(name))
      .filter(name => !ci.includes(`'${name}'`) && !ci.includes(`suite('${name.replace('test:', '')}'`));
    expect(missing).toEqual([]);
  });
});
