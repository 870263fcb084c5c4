// Runs each failed test file again, alone, after all other steps. A file that passes then is flaky: its failure depends
// on other processes or on chance. The verdict of a run must depend on the code only.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod/mini';
import { wholeSuites } from './failure.ts';
import { type LaneStep, runLanes } from './lanes.ts';
import { failedFiles, firstLine, readSuiteResult } from './suite-result.ts';

/** More failed files than this have a common cause, which a second run would not remove. */
const mostRetries = 5;

const retriesFile = 'retries';

const schema = z.array(
  z.object({
    suite: z.string(),
    /** The path below the project. */
    file: z.string(),
    /** The first line of the first failure. */
    message: z.string(),
    passed: z.boolean(),
  }),
);

export type Retry = Readonly<z.infer<typeof schema>[number]>;

interface RetryOptions {
  /** The folder with the results of the steps. */
  readonly results: string;
  readonly report: (text: string) => unknown;
  /** Returns the command that runs one file of a suite. */
  readonly commandOf?: (suite: string, file: string) => readonly string[];
}

/** Returns the command that runs one file of a suite. */
export const toRetryCommand = (suite: string, file: string): readonly string[] =>
  wholeSuites[suite] ?? ['npx', 'vitest', 'run', '--project', suite, file];

/** Writes the retries to the folder of the results. `readRetries` returns them. */
export async function retryFailedFiles(
  steps: readonly LaneStep[],
  { results, report, commandOf = toRetryCommand }: RetryOptions,
): Promise<void> {
  const failed = steps.flatMap(step => failuresOf(step, results));
  if (failed.length > mostRetries) {
    report(`${failed.length} test files failed. Only ${mostRetries} or fewer run again`);
    return;
  }
  const retries: Retry[] = [];
  for (const { step, file, message } of failed) {
    const again: LaneStep = {
      name: `${step.name} again: ${path.basename(file)}`,
      command: commandOf(step.name, file),
      // Without the folder of the results, the runner does not replace the report of the suite.
      env: { ...step.env, CAPI_TEST_RESULTS: '' },
    };
    const [result] = await runLanes([[again]], { results, report, isVerbose: false, isUnrecorded: true });
    retries.push({ suite: step.name, file, message, passed: result?.passed === true });
  }
  writeFileSync(path.join(results, retriesFile), JSON.stringify(retries));
}

/** Returns an empty list if no test file failed. */
export function readRetries(results: string): readonly Retry[] {
  const file = path.join(results, retriesFile);
  return existsSync(file) ? schema.parse(JSON.parse(readFileSync(file, 'utf8'))) : [];
}

interface Failure {
  readonly step: LaneStep;
  readonly file: string;
  readonly message: string;
}

/** A suite without a complete report does not run again, because its failed files are unknown. */
function failuresOf(step: LaneStep, results: string): readonly Failure[] {
  const report = path.join(results, `${step.name}.json`);
  if (!existsSync(report)) {
    return [];
  }
  try {
    return failedFiles(readSuiteResult(report)).map(failed => ({
      step,
      file: path.relative(process.cwd(), failed.file),
      message: firstLine(failed),
    }));
  } catch {
    return [];
  }
}
