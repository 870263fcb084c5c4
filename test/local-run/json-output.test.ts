// Every command with --json, as a separate process. Standard output contains only JSON.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commands } from '../../cli/commands.ts';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { embeddedKubeconfigPath } from '../../local/embedded.ts';
import { type FaultServer, reply, startFaultServer } from '../support/fault-server.ts';
import { type LocalRun, startLocalRun } from '../support/local-run.ts';
import { clusterRef } from '../support/static-provider.ts';
import { raisedLimits } from '../support/time-limits.ts';
import { connectWorldClient, phaseOf } from '../support/world-client.ts';

const plain = 'examples/plain-cluster.yaml';
const folder = mkdtempSync(path.join(tmpdir(), 'capi-json-'));
const tokenKubeconfig = path.join(folder, 'kubeconfig');

/** The arguments of the commands, and members of the document that they print. */
const calls: Readonly<Record<string, { readonly args: readonly string[]; readonly members: readonly string[] }>> = {
  plan: { args: ['cluster', 'default/plain'], members: ['passes', 'result'] },
  why: { args: ['default/plain'], members: ['object', 'waits', 'tree'] },
  reconcile: { args: ['cluster', 'default/plain'], members: ['result', 'requests'] },
  check: { args: ['examples/topology'], members: ['findings'] },
  'check-contract': { args: ['--kubeconfig', embeddedKubeconfigPath], members: ['findings'] },
  queues: { args: [], members: ['queues'] },
  redrive: { args: ['cluster', '--dry-run'], members: ['letters'] },
  kubeconfig: { args: ['--kubeconfig', tokenKubeconfig], members: ['users'] },
  cost: { args: [], members: ['total'] },
  install: {
    args: ['--kubeconfig', embeddedKubeconfigPath, '--without-rbac'],
    members: ['problems', 'objects', 'next'],
  },
  webhooks: { args: ['--url', 'https://a.test/token'], members: ['items'] },
};

let run: LocalRun;
let tokens: FaultServer;

beforeAll(async () => {
  tokens = await startFaultServer((_, response) =>
    reply(response, 201, { status: { token: 't', expirationTimestamp: '2030-01-01T00:00:00Z' } }),
  );
  const cluster = { server: tokens.url, 'certificate-authority-data': Buffer.from(tokens.ca).toString('base64') };
  const contexts = [{ name: 'x', context: { cluster: 'x', user: 'x' } }];
  const users = [{ name: 'x', user: { token: 'x' } }];
  writeFileSync(
    tokenKubeconfig,
    JSON.stringify({ 'current-context': 'x', clusters: [{ name: 'x', cluster }], users, contexts }),
  );
  run = startLocalRun({ args: ['--json', '--apply', plain] });
  await run.line(({ event }) => event === 'started');
  const client = await connectWorldClient(embeddedKubeconfigPath);
  await client.until(clusterRef('default', 'plain'), object => phaseOf(object) === 'Provisioned');
});

afterAll(async () => {
  run.interrupt();
  await Promise.all([run.ended, tokens.close()]);
  rmSync(folder, { recursive: true, force: true });
});

function startCommand(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, ['cli/bin.js', ...args], {
    cwd: projectRoot,
    env: { ...process.env, NODE_OPTIONS: '', ...raisedLimits },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function outputOf(args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return readOutput(startCommand(args));
}

async function readOutput(child: ChildProcess): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) {
    throw new Error('The process has no pipes');
  }
  const [out, err] = await Promise.all([text(stdout), text(stderr), once(child, 'close')]);
  return { stdout: out, stderr: err };
}

const others: Readonly<Record<string, string>> = {
  start: 'prints JSON lines, see below',
  ui: 'runs until it is interrupted, see below',
  'new-provider': 'takes long, see test/packaging/new-provider.test.ts',
  completion: 'prints the script of a shell',
};

it('is an option of every command but completion', async () => {
  expect([...Object.keys(calls), ...Object.keys(others)].toSorted()).toEqual(
    commands.map(({ name }) => name).toSorted(),
  );
  const loaded = await Promise.all(commands.map(async ({ name, load }) => ({ name, ...(await load()) })));
  const without = loaded.filter(({ options }) => options['json'] === undefined).map(({ name }) => name);
  expect(without).toEqual(['completion']);
});

it.each(Object.entries(calls))('%s prints one JSON document', async (name, { args, members }) => {
  const { stdout, stderr } = await outputOf([name, ...args, '--json']);
  expect(stdout, stderr).toMatch(/^\{/);
  expect(Object.keys(JSON.parse(stdout))).toEqual(expect.arrayContaining([...members]));
});

it('start prints JSON lines', () => {
  expect(run.lines.length).toBeGreaterThan(3);
  expect(run.lines.filter(({ event }) => event === 'text')).toEqual([]);
});

it('ui prints the address in one JSON document, and ends when it is interrupted', async () => {
  const child = startCommand(['ui', '--kubeconfig', embeddedKubeconfigPath, '--json']);
  child.stdout?.once('data', () => child.kill('SIGINT'));
  const { stdout, stderr } = await readOutput(child);
  expect(JSON.parse(stdout), stderr).toEqual({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/) });
  expect(child.exitCode).toBe(0);
});
