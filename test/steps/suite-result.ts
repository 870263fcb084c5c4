// The JSON report of Vitest about the files of a suite.
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';

const schema = z.object({
  numPassedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
});

export type SuiteResult = Readonly<z.infer<typeof schema>>;

export interface FailedFile {
  /** The absolute path. */
  readonly file: string;
  /** Empty if the file could not be loaded, if a hook failed, or if its process ended. */
  readonly tests: readonly { readonly fullName: string; readonly message: string }[];
  /** The error of the file itself. */
  readonly message: string;
}

/** Throws if the file is not a complete report, for example because the test runner ended while it wrote the file. */
export function readSuiteResult(file: string): SuiteResult {
  return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
}

export function failedFiles({ testResults }: SuiteResult): readonly FailedFile[] {
  return testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name, message, assertionResults }) => ({
      file: name,
      message,
      tests: assertionResults
        .filter(test => test.status === 'failed')
        .map(({ fullName, failureMessages }) => ({ fullName, message: failureMessages.join('\n') })),
    }));
}

/** The first line of the first failure. */
export function firstLine({ tests: [test], message }: FailedFile): string {
  const text = test === undefined ? message : `${test.fullName}: ${test.message}`;
  return (text.split('\n').find(line => line.trim() !== '') ?? 'failed without a message').trim().slice(0, 300);
}
