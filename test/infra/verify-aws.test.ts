// `npm run verify:aws` as a process, with a program in place of the AWS CLI.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'capi-verify-process-'));
const log = path.join(folder, 'calls');

afterAll(() => rmSync(folder, { recursive: true }));

/** Each program records its arguments and region. `aws` prints an account. */
function verifyAs(account: string, ...more: readonly string[]) {
  writeFileSync(log, '');
  const stub = `#!/bin/sh\necho "\${0##*/} $* in $AWS_REGION" >> ${log}\necho '{"Account":"999999999999"}'\n`;
  for (const program of ['aws', 'npx', 'kubectl']) {
    writeFileSync(path.join(folder, program), stub, { mode: 0o755 });
  }
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      'infra/verify-aws/main.ts',
      ...['--account', account, '--region', 'eu-central-1', '--kubeconfig', 'admin.yaml'],
      ...['--deployments', 'examples/deployments/self-managed.yaml', ...more],
    ],
    { cwd: projectRoot, encoding: 'utf8', env: { PATH: `${folder}:/usr/bin:/bin` } },
  );
  return { status, stdout, stderr, calls: readFileSync(log, 'utf8').split('\n').filter(Boolean) };
}

it('ends before the first change if the credentials are of another account', () => {
  const { status, stdout, calls } = verifyAs('123456789012');
  expect(stdout).toContain('Failed: The credentials are of account 999999999999, not of 123456789012');
  expect(status).toBe(2);
  expect(calls).toEqual(['aws sts get-caller-identity --output json in eu-central-1']);
});

it('prints the plan without a call', () => {
  const { status, stdout, calls } = verifyAs('123456789012', '--plan');
  expect(stdout).toContain('Deployment capi-lab in account 123456789012, region eu-central-1:');
  expect(stdout).toContain('6/6 Removal.');
  expect(status).toBe(0);
  expect(calls).toEqual([]);
});

it('refuses wrong arguments in one line', () => {
  const { status, stdout, stderr, calls } = verifyAs('mine');
  expect([status, stdout, calls]).toEqual([2, '', []]);
  expect(stderr).toBe('--account "mine" is not twelve digits\n');
});
