// What the steps of `npm run verify:aws` work with: commands, output and time.
import type { Deployment } from '../aws/deployment-schema.ts';
import type { VerifyOptions } from './options.ts';

export interface VerifyCommand {
  readonly program: 'aws' | 'npx' | 'kubectl';
  readonly args: readonly string[];
  /** The standard input. */
  readonly input?: string;
}

/** Runs a command. Rejects with CommandError if its exit code is not 0. Resolves with its standard output. */
export type RunCommand = (command: VerifyCommand) => Promise<string>;

export interface VerifyWorld {
  readonly run: RunCommand;
  readonly say: (line: string) => void;
  readonly sleep: (ms: number) => Promise<void>;
}

export interface VerifyTarget extends VerifyOptions {
  readonly deployment: Deployment;
}
