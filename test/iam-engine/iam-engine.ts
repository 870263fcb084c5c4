// moto, with a program that evaluates calls against policies.
import { spawnSync } from 'node:child_process';
import { findPythonProgram } from '../support/python-packages.ts';

export const iamEngine = { name: 'iam-engine', folder: import.meta.dirname, file: 'evaluate.py' } as const;

interface EvaluatedCall {
  readonly action: string;
  /** The ARN of the resource. */
  readonly resource: string;
  /** The condition keys of the request. */
  readonly context: Readonly<Record<string, string>>;
}

interface Evaluations {
  /** The policy documents of each role. */
  readonly roles: Readonly<Record<string, readonly unknown[]>>;
  readonly calls: readonly EvaluatedCall[];
}

export type Evaluate = (given: Evaluations) => readonly (readonly string[])[];

/** Returns the names of the roles that allow each call. Throws if the program fails. */
export function findIamEngine(): { readonly evaluate: Evaluate } | { readonly missing: string } {
  const found = findPythonProgram(iamEngine);
  if ('missing' in found) {
    return found;
  }
  return {
    evaluate: given => {
      const { status, stdout, stderr, error } = spawnSync('python3', [found.program], {
        encoding: 'utf8',
        input: JSON.stringify(given),
        env: { ...process.env, ...found.environment },
        maxBuffer: 64 * 1024 * 1024,
      });
      if (status !== 0) {
        throw new Error(`The IAM engine ended with ${error ?? status}:\n${stderr}`);
      }
      return JSON.parse(stdout);
    },
  };
}
