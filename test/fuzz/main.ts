// `npm run test:fuzz -- [--seconds N | --total N] [--seed N] [--path PATH] [parser…]`: calls the parsers in
// test/fuzz/parsers with random input. A failure prints the command that repeats it.
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { commitSeed } from '../support/commit-seed.ts';
import { fc } from '../support/property.ts';
import type { FuzzedParser } from './parser.ts';

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    /** The time limit of each parser. */
    seconds: { type: 'string', default: '60' },
    /** The time limit of all parsers together, instead. */
    total: { type: 'string' },
    seed: { type: 'string' },
    /** The minimized input of a failure. */
    path: { type: 'string' },
  },
});

const seed = Number(options.seed ?? commitSeed());

const folder = new URL('./parsers/', import.meta.url);
const names = readdirSync(folder)
  .map(file => file.replace(/\.ts$/, ''))
  .filter(name => wanted.length === 0 || wanted.includes(name));
if (names.length === 0) {
  throw new RangeError(`no parser of that name; there are ${readdirSync(folder).join(', ')}`);
}
const parsers = await Promise.all(
  // True: every file of the folder exports a parser.
  names.map(
    async name => ((await import(new URL(`${name}.ts`, folder).href)) as { readonly parser: FuzzedParser }).parser,
  ),
);

const seconds = options.total === undefined ? Number(options.seconds) : Number(options.total) / parsers.length;
if (!Number.isSafeInteger(seed) || !(seconds > 0)) {
  throw new RangeError('--seed is a whole number, --seconds and --total are positive ones');
}

/** The number of inputs is limited only by time. */
const endless = 100_000_000;

let failures = 0;
for (const { name, property } of parsers) {
  const outcome = await fc.check(property, {
    seed,
    numRuns: endless,
    interruptAfterTimeLimit: seconds * 1000,
    markInterruptAsFailure: false,
    ...(options.path === undefined ? {} : { path: options.path }),
  });
  if (outcome.failed) {
    failures += 1;
    console.error(fc.defaultReportMessage(outcome));
    console.error(
      `${name} failed; again: npm run test:fuzz -- --seed ${seed} --path ${outcome.counterexamplePath ?? ''} ${name}`,
    );
  } else {
    console.log(`${name}: ${outcome.numRuns} inputs, seed ${seed}`);
  }
}
process.exitCode = failures === 0 ? 0 : 1;
