import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { chooseLanes, toUsage } from '../../steps/arguments.ts';
import type { LaneStep } from '../../steps/lanes.ts';
import { testLanes } from '../../steps/quick.ts';

const step = (name: string): LaneStep => ({ name, command: [] });
const suites = {
  lanes: [[step('unit'), step('ports')], [step('infra')]],
  scripts: ['lint', 'test', 'test:unit', 'test:ports', 'test:infra', 'test:parity'],
};

function chosen(...args: readonly string[]): unknown {
  const lanes = chooseLanes(args, suites);
  return lanes === 'help' ? lanes : lanes.map(lane => lane.map(({ name }) => name));
}

describe('the arguments of npm test', () => {
  it.each([
    { args: [], lanes: [['unit', 'ports'], ['infra']], reason: 'no name means all suites' },
    { args: ['ports'], lanes: [['ports']], reason: 'one suite, without an empty lane' },
    { args: ['infra', 'unit'], lanes: [['unit'], ['infra']], reason: 'the order of the lanes stays' },
    { args: ['--help'], lanes: 'help', reason: 'nothing runs' },
    { args: ['unit', '-h'], lanes: 'help', reason: 'nothing runs, not even a named suite' },
  ])('$args: $reason', ({ args, lanes }) => {
    expect(chosen(...args)).toEqual(lanes);
  });

  it.each([
    { arg: '--watch', message: 'npm test has no option --watch' },
    { arg: 'units', message: 'There is no suite units' },
    { arg: 'lint', message: 'There is no suite lint' },
    { arg: 'parity', message: 'The suite parity is not part of npm test: npm run test:parity' },
    { arg: 'test/unit/a.test.ts', message: 'npm test runs suites. For a file: npx vitest run test/unit/a.test.ts' },
  ])('$arg is refused, also beside the name of a suite', ({ arg, message }) => {
    expect(() => chosen('unit', arg)).toThrow(message);
  });

  it('are listed by --help, with the scripts of all other suites', () => {
    const lines = toUsage(suites).split('\n');
    expect(lines).toContain('  unit ports infra');
    expect(lines.filter(line => line.includes('npm run'))).toEqual(['  npm run test:parity']);
  });
});

describe('npm test as a process', () => {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['test/steps/main.ts', ...args], {
      cwd: path.resolve(import.meta.dirname, '../../..'),
      encoding: 'utf8',
      env: { ...process.env, CAPI_TEST_EXTENT: '' },
    });

  it('prints the suites with --help, and starts none', () => {
    const { status, stdout, stderr } = run('--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(
      testLanes({ isFull: false })
        .flat()
        .map(({ name }) => name)
        .join(' '),
    );
    expect(stdout).not.toContain('== ');
  });

  it('refuses an unknown option with exit code 2, and starts no suite', () => {
    const { status, stdout, stderr } = run('--hlep');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^npm test has no option --hlep\n\nUsage: npm test/);
  });
});
