// `npm run ci:changed [-- --since COMMIT] [--most-files N] [SUITE…]`: checks what a change can affect, in at most five
// minutes: lint, types, generated files, and the test files that import a changed file. Without names, the suites are
// those of `npm test` that do not simulate. Only tests that finish in this time are judged.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { findBase, type Git } from '../test/mutation/changes.ts';

const longestMs = 290_000;
const usualSuites = ['unit', 'unit-uncovered', 'virtual', 'ports', 'infra', 'local-run'];
const checks = ['lint', 'typecheck', 'generate:check'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    since: { type: 'string' },
    /** With more affected files, no test runs: a whole suite takes too long. */
    'most-files': { type: 'string', default: '100000' },
    /** Runs tests only. */
    tests: { type: 'boolean', default: false },
  },
});

const git: Git = (...args) => {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
};

const over = AbortSignal.timeout(longestMs);

/** Returns the exit code. `undefined`: the time was over. */
async function run(command: string, args: readonly string[]): Promise<number | undefined> {
  console.log(`== ${command} ${args.join(' ')}`);
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  const end = (): void => {
    if (child.pid !== undefined) {
      process.kill(-child.pid);
    }
  };
  over.addEventListener('abort', end);
  const [code] = await once(child, 'exit');
  over.removeEventListener('abort', end);
  return over.aborted ? undefined : (code ?? 1);
}

function affectedFiles(base: string, suites: readonly string[]): readonly string[] {
  const projects = suites.flatMap(suite => ['--project', suite]);
  const args = ['vitest', 'list', '--changed', base, '--filesOnly', '--json', ...projects];
  const text = execFileSync('npx', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const found: readonly { readonly file: string }[] = JSON.parse(text.slice(text.indexOf('['))); // true: the option --json
  return [...new Set(found.map(({ file }) => path.relative(process.cwd(), file)))];
}

async function testChanges(suites: readonly string[]): Promise<number | undefined> {
  const base = findBase(git, { since: values.since, configured: process.env['CAPI_BASE'] });
  if (base === undefined) {
    console.log('The base commit is unknown (a shallow clone?). No test runs');
    return 0;
  }
  const files = affectedFiles(base.commit, suites);
  console.log(
    `${files.length} test files are affected by the changes since ${base.commit.slice(0, 10)} (${base.from})`,
  );
  if (files.length === 0 || files.length > Number(values['most-files'])) {
    return 0;
  }
  const projects = suites.flatMap(suite => ['--project', suite]);
  return run('npx', ['vitest', 'run', ...projects, ...files]);
}

async function main(): Promise<number> {
  const steps = [
    ...(values.tests ? [] : checks.map(name => () => run('npm', ['run', '--silent', name]))),
    () => testChanges(positionals.length === 0 ? usualSuites : positionals),
  ];
  for (const step of steps) {
    const code = await step();
    if (code === undefined) {
      console.log('Five minutes are over. The rest was not checked: npm test');
      return 0;
    }
    if (code !== 0) {
      return code;
    }
  }
  return 0;
}

process.exitCode = await main();
