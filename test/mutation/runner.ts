// A StrykerJS test runner: imports the tests of one set once, then runs them in this process for every mutant.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { MutantCoverage, StrykerOptions } from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestResult,
  type TestRunner,
  type TestRunnerCapabilities,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { type Collected, takeCollected } from './collect.ts';
import { isInSample, type Sample } from './sample.ts';

/** The common state of instrumented code and its runner. StrykerJS defines the names. */
interface Switchboard {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: MutantCoverage;
}

interface Loaded extends Collected {
  readonly id: string;
}

const words = new URL('./collect.ts', import.meta.url).href;

/**
 * The number of loads of the set. It is part of each module's URL, so that a mutant of module scope gets new modules.
 */
let generation = 0;

/**
 * Returns the sandbox file for the name of a workspace package. Node resolves the name through node_modules to the
 * original sources, which contain no mutants.
 */
function entryIn(sandbox: string, specifier: string): string | undefined {
  const [, name, entry] = /^@capi-serverless\/([^/]+)(\/.+)?$/.exec(specifier) ?? [];
  if (name === undefined) {
    return undefined;
  }
  const folder = new URL(`packages/${name}/`, sandbox);
  const manifest = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'));
  // A path instead of a URL, because `require` also resolves names.
  return fileURLToPath(new URL(manifest.exports[`.${entry ?? ''}`], folder));
}

function serveModulesOf(sandbox: string): void {
  registerHooks({
    resolve(specifier, context, next) {
      const ours = context.parentURL?.startsWith(sandbox) === true;
      if (ours && specifier === 'vitest') {
        return { url: words, shortCircuit: true };
      }
      const inSandbox = ours ? entryIn(sandbox, specifier) : undefined;
      const found = next(inSandbox ?? specifier, context);
      return found.url.startsWith(sandbox) ? { ...found, url: `${found.url}?load=${generation}` } : found;
    },
  });
}

class SetRunner implements TestRunner {
  static readonly inject = tokens(commonTokens.options);
  readonly #files: readonly string[];
  readonly #sample: Sample;
  readonly #switchboard: Switchboard = {};
  #tests: readonly Loaded[] = [];
  /** The milliseconds of each test in its last passed run. */
  readonly #costs = new Map<string, number>();
  #stray: unknown;

  constructor(options: StrykerOptions) {
    // The schema below ensures a list of strings and a sample.
    this.#files = options['setTests'] as readonly string[];
    this.#sample = options['setSample'] as Sample;
    Object.assign(globalThis, { __stryker__: this.#switchboard });
    process.on('unhandledRejection', reason => {
      this.#stray = reason;
    });
    serveModulesOf(`${pathToFileURL(process.cwd()).href}/`);
  }

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: true };
  }

  async dryRun(): Promise<DryRunResult> {
    await this.#load();
    const tests = await this.#run(this.#tests, false);
    const coverage = this.#switchboard.mutantCoverage;
    return { status: DryRunStatus.Complete, tests, ...(coverage === undefined ? {} : { mutantCoverage: coverage }) };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    if (!isInSample(options.activeMutant.id, this.#sample)) {
      return { status: MutantRunStatus.Error, errorMessage: 'not in the sample' };
    }
    const shared = this.#switchboard;
    Object.assign(shared, { hitCount: 0, hitLimit: options.hitLimit, activeMutant: undefined });
    if (options.reloadEnvironment) {
      this.#tests = [];
    }
    const isFresh = this.#tests.length === 0;
    const tests = await this.#runMutant(options);
    const limit = determineHitLimitReached(shared.hitCount, shared.hitLimit);
    const suspect = tests.find(({ status }) => status === TestStatus.Failed);
    if (isFresh || limit !== undefined || suspect === undefined || (await this.#holdsWithoutMutant(suspect.id))) {
      return toMutantRunResult(limit ?? { status: DryRunStatus.Complete, tests });
    }
    this.#tests = [];
    return toMutantRunResult({ status: DryRunStatus.Complete, tests: await this.#runMutant(options) });
  }

  async #runMutant(options: MutantRunOptions): Promise<TestResult[]> {
    const { id } = options.activeMutant;
    try {
      if (options.mutantActivation === 'static') {
        this.#switchboard.activeMutant = id;
      }
      if (this.#tests.length === 0) {
        await this.#load();
      }
    } catch (error) {
      return [failed('import', String(error))];
    }
    this.#switchboard.activeMutant = id;
    const { testFilter } = options;
    const wanted = this.#tests.filter(test => testFilter?.includes(test.id) ?? true);
    return this.#run(wanted, !options.disableBail);
  }

  /** False: the failure may come from module state of an earlier mutant. Therefore it is not a result for this mutant. */
  async #holdsWithoutMutant(suspect: string): Promise<boolean> {
    this.#switchboard.activeMutant = undefined;
    const results = await this.#run(
      this.#tests.filter(({ id }) => id === suspect),
      true,
    );
    return results.every(({ status }) => status === TestStatus.Success);
  }

  async #load(): Promise<void> {
    generation += 1;
    this.#tests = [];
    const tests: Loaded[] = [];
    const seen = new Map<string, number>();
    for (const file of this.#files) {
      takeCollected();
      await import(pathToFileURL(path.resolve(file)).href);
      for (const { title, run } of takeCollected()) {
        const name = `${path.basename(file)} > ${title}`;
        const nth = (seen.get(name) ?? 0) + 1;
        seen.set(name, nth);
        tests.push({ id: `${name} #${nth}`, title, run });
      }
    }
    this.#tests = tests;
  }

  async #run(tests: readonly Loaded[], bail: boolean): Promise<TestResult[]> {
    const results: TestResult[] = [];
    const cost = ({ id }: Loaded): number => this.#costs.get(id) ?? 0;
    // Slow tests run only if no fast test detects the mutant.
    for (const test of tests.toSorted((a, b) => cost(a) - cost(b))) {
      const result = await this.#runOne(test);
      results.push(result);
      if (bail && result.status === TestStatus.Failed) {
        break;
      }
    }
    return results;
  }

  async #runOne({ id, run }: Loaded): Promise<TestResult> {
    const shared = this.#switchboard;
    const started = performance.now();
    this.#stray = undefined;
    if (shared.activeMutant === undefined) {
      shared.currentTestId = id;
    }
    try {
      await unlessIdle(run());
      if (this.#stray !== undefined) {
        return failed(id, String(this.#stray));
      }
      const timeSpentMs = performance.now() - started;
      this.#costs.set(id, timeSpentMs);
      return { id, name: id, timeSpentMs, status: TestStatus.Success };
    } catch (error) {
      return failed(id, error instanceof Error ? error.message : String(error));
    } finally {
      shared.currentTestId = undefined;
    }
  }
}

/** A time limit much higher than that of any test, for tests whose clock never advances. */
const mostIdleMs = 2000;
const lookEveryMs = 100;

/** Fails if the process was idle for too long. Unlike time, idleness does not depend on the machine's load. */
async function unlessIdle(work: Promise<void>): Promise<void> {
  const before = performance.eventLoopUtilization();
  let looking: NodeJS.Timeout | undefined;
  const idle = new Promise<never>((_resolve, reject) => {
    looking = setInterval(() => {
      if (performance.eventLoopUtilization(before).idle > mostIdleMs) {
        reject(new Error('It waits in vain'));
      }
    }, lookEveryMs);
  });
  try {
    await Promise.race([work, idle]);
  } finally {
    clearInterval(looking);
  }
}

function failed(id: string, failureMessage: string): TestResult {
  return { id, name: id, timeSpentMs: 0, status: TestStatus.Failed, failureMessage };
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'set', SetRunner)];

export const strykerValidationSchema = {
  properties: {
    setTests: { type: 'array', items: { type: 'string' }, description: 'test files of the set' },
    setSample: {
      type: 'object',
      properties: { share: { type: 'number' }, of: { type: 'string' } },
      description: 'which mutants are tested',
    },
  },
};
