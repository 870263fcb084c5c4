// Runs the machine's kubectl with a separate home folder and kubeconfig, and without other environment variables.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';

interface KubectlAnswer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const oldestMinor = 32;
const runTimeoutMs = 300_000;

/** Returns the reason in one line why kubectl cannot be used, or undefined if it can. */
export function kubectlProblem(): string | undefined {
  try {
    const answer = execFileSync('kubectl', ['version', '--client', '--output=json'], {
      stdio: 'pipe',
      encoding: 'utf8',
    });
    const minor = Number.parseInt(/"minor": *"(\d+)/.exec(answer)?.[1] ?? '', 10);
    return minor >= oldestMinor ? undefined : `kubectl is older than 1.${oldestMinor} (its minor version is ${minor})`;
  } catch (error) {
    return `kubectl cannot be run: ${error instanceof Error ? error.message.split('\n')[0] : error}`;
  }
}

export type Kubectl = (
  args: readonly string[],
  input?: string,
  env?: Readonly<Record<string, string>>,
) => Promise<KubectlAnswer>;

/** Returns a function that runs a line in the namespace, which must succeed, and returns its output. */
export function createRun(kubectl: Kubectl, { namespace }: { readonly namespace: string }) {
  return async (line: string, input?: string): Promise<string> => {
    const answer = await kubectl([...line.split(' '), `--namespace=${namespace}`], input);
    expect(answer, `kubectl ${line}: ${answer.stderr}`).toMatchObject({ exitCode: 0 });
    return answer.stdout;
  };
}

/** Calls `use` with a kubectl that keeps its files in a temporary folder, which is removed afterwards. */
export async function withKubectl(kubeconfigPath: string, use: (kubectl: Kubectl) => Promise<void>): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'capi-kubectl-'));
  try {
    await use((args, input, env) => run({ args, input, env: { ...env, HOME: home, KUBECONFIG: kubeconfigPath } }));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function run(call: {
  readonly args: readonly string[];
  readonly input: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}): Promise<KubectlAnswer> {
  const env = { ...call.env, PATH: process.env['PATH'] ?? '' };
  return new Promise(resolve => {
    const child = execFile('kubectl', call.args, { env, timeout: runTimeoutMs }, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ exitCode, stdout, stderr });
    });
    child.stdin?.end(call.input ?? '');
  });
}
