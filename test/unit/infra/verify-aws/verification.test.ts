import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseVerifyOptions } from '../../../../infra/verify-aws/options.ts';
import { verifySteps } from '../../../../infra/verify-aws/steps.ts';
import { readTarget, toPlan, verify } from '../../../../infra/verify-aws/verification.ts';
import { Account } from './account.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'capi-verify-'));

afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(deployments: readonly object[]): string {
  const file = path.join(mkdtempSync(path.join(folder, 'given-')), 'deployments.json');
  writeFileSync(file, JSON.stringify(deployments));
  return file;
}

const lab = { name: 'capi-lab', sources: { windowed: true } };
const args = ['--account', '123456789012', '--region', 'eu-central-1', '--kubeconfig', 'admin.yaml'];

function optionsFor(deployments: readonly object[] = [lab], ...more: readonly string[]) {
  const options = parseVerifyOptions([...args, '--deployments', fileWith(deployments), ...more]);
  if (options === 'help') {
    throw new Error('Help was not requested');
  }
  return options;
}

const target = readTarget(optionsFor());

async function runWith(account: Account) {
  const said: string[] = [];
  const code = await verify({ run: account.run, say: line => void said.push(line), sleep: async () => {} }, target);
  return { code, said, text: said.join('\n') };
}

describe('the arguments', () => {
  const complete = [...args, '--deployments', 'a.yaml'];

  it.each([
    { reason: 'no account', given: complete.slice(2), problem: '--account "" is not twelve digits' },
    {
      reason: 'a short account',
      given: [...complete, '--account', '123'],
      problem: '--account "123" is not twelve digits',
    },
    { reason: 'no region', given: [...complete, '--region', 'here'], problem: '--region "here" is not a region' },
    { reason: 'no deployments', given: args, problem: '--deployments FILE is missing' },
    { reason: 'no kubeconfig', given: [...complete, '--kubeconfig', ''], problem: '--kubeconfig FILE is missing' },
    { reason: 'an unknown option', given: [...complete, '--force'], problem: "Unknown option '--force'" },
  ])('are refused with $reason', ({ given, problem }) => {
    expect(() => parseVerifyOptions(given)).toThrow(problem);
  });

  it('are accepted complete, and --help alone', () => {
    expect(parseVerifyOptions([...complete, '--plan'])).toEqual({
      account: '123456789012',
      region: 'eu-central-1',
      deployments: 'a.yaml',
      kubeconfig: 'admin.yaml',
      isPlan: true,
    });
    expect(parseVerifyOptions(['--help'])).toBe('help');
  });
});

describe('the deployment', () => {
  it.each([
    { reason: 'two deployments', given: [lab, { name: 'capi-other' }], problem: 'has 2 deployments' },
    { reason: 'another account', given: [{ ...lab, account: '999999999999' }], problem: 'is for account 999999999999' },
    { reason: 'another region', given: [{ ...lab, region: 'us-east-1' }], problem: 'is for region us-east-1' },
    { reason: 'no windowed forwarder', given: [{ name: 'capi-lab' }], problem: 'needs sources.windowed' },
    { reason: 'a wrong field', given: [{ ...lab, concurrency: 1 }], problem: 'concurrency' },
  ])('is refused with $reason', ({ given, problem }) => {
    expect(() => readTarget(optionsFor(given))).toThrow(problem);
  });
});

it('plans each step with its proof', () => {
  const [title, ...lines] = toPlan(target);
  expect(title).toBe('Deployment capi-lab in account 123456789012, region eu-central-1:');
  expect(lines).toHaveLength(verifySteps.length);
  expect(lines).toEqual(verifySteps.map(({ proves }) => expect.stringContaining(proves)));
});

describe('a verification', () => {
  it('proves each step and removes everything', async () => {
    const account = new Account();
    const { code, said } = await runWith(account);
    expect(said).toEqual(expect.arrayContaining(verifySteps.map(({ proves }) => `  proved: ${proves}`)));
    expect(code).toBe(0);
    expect(account.state).toEqual({});
  });

  it.each([
    {
      reason: 'credentials of another account',
      options: { account: '999999999999' },
      problem: 'are of account 999999999999',
    },
    { reason: 'an existing stack', options: { state: { stack: 'CREATE_COMPLETE' } }, problem: 'Stack capi-lab exists' },
    { reason: 'existing roles', options: { state: { roles: true } }, problem: 'already has clusterrole/cluster' },
    {
      reason: 'an existing Cluster',
      options: { state: { cluster: { isFinalized: true, polls: 0 } } },
      problem: 'already has cluster/first',
    },
  ] as const)('is refused with $reason, before any change', async ({ options, problem }) => {
    const account = new Account(options);
    const { code, text } = await runWith(account);
    expect(code).toBe(2);
    expect(text).toContain(problem);
    expect(account.commands.filter(line => / (deploy|apply|delete\S*|destroy|patch|put-\S+) /.test(line))).toEqual([]);
    expect(account.state).toEqual('state' in options ? options.state : {});
  });

  it.each([
    { reason: 'a change set that failed', options: { changeSet: 'FAILED' }, problem: 'status FAILED' },
    {
      reason: 'a security warning',
      options: { findings: [{ findingType: 'SECURITY_WARNING', issueCode: 'PASS_ROLE', findingDetails: 'broad' }] },
      problem: 'role: SECURITY_WARNING PASS_ROLE: broad',
    },
    {
      reason: 'a Cluster without reconcile',
      options: { reconciles: false },
      problem: 'not reconciled within 5 minutes',
    },
  ])('fails with $reason, and removes everything', async ({ options, problem }) => {
    const account = new Account(options);
    const { code, text } = await runWith(account);
    expect(code).toBe(1);
    expect(text).toContain(problem);
    expect(account.state).toEqual({});
  });

  it('prints suggestions and continues', async () => {
    const findings = [{ findingType: 'SUGGESTION', issueCode: 'SHORTER', findingDetails: 'possible' }];
    const { code, said } = await runWith(new Account({ findings }));
    expect(code).toBe(0);
    expect(said).toContain('  role: SUGGESTION SHORTER: possible');
  });

  it('removes everything if any one command fails, before or after its effect', async () => {
    const whole = new Account();
    await runWith(whole);
    expect(whole.commands.length).toBeGreaterThan(20);
    const firstChange = whole.commands.findIndex(line => line.startsWith('npx cdk deploy')) + 1;
    for (let at = 1; at <= whole.commands.length; at += 1) {
      for (const when of ['before', 'after'] as const) {
        const account = new Account({ fails: { at, when } });
        const { code, text } = await runWith(account);
        const failed = `command ${at}, ${when}: ${whole.commands[at - 1]}`;
        expect({ failed, state: account.state, code }).toEqual({ failed, state: {}, code: at < firstChange ? 2 : 1 });
        expect(text).toContain(`Interrupted ${when}`);
      }
    }
  });

  it('names what could not be removed', async () => {
    const account = new Account({ changeSet: 'FAILED' });
    const run: typeof account.run = async command =>
      command.args.includes('delete-stack') ? Promise.reject(new Error('no rights')) : account.run(command);
    const said: string[] = [];
    expect(await verify({ run, say: line => void said.push(line), sleep: async () => {} }, target)).toBe(1);
    expect(said.at(-1)).toBe(
      'Not everything was removed: no rights. Check stack capi-lab in eu-central-1 and the Cluster default/first',
    );
  });
});
