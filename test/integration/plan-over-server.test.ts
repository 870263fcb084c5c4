// `plan --files … --kubeconfig …` on the embedded API server with a settled topology, and the workflows of examples/ci.
import { execFile, execFileSync } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startApiServer, writeKubeconfig } from '@capi-serverless/apiserver';
import { StatusError } from '@capi-serverless/apiserver/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { planCommand } from '../../cli/plan/command.ts';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { UsageError } from '../../local/usage-error.ts';
import { type RequestFact, requests } from '../../shared/diagnostics/channels.ts';
import { settledExample } from '../support/example-topology.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'capi-plan-over-server-'));
const kubeconfig = path.join(folder, 'kubeconfig');
const refusal = 'User "plan" cannot patch this resource';
const example = (file: string): string => readFileSync(path.join(projectRoot, 'examples/topology', file), 'utf8');

/** Writes a changed manifest of the example. Returns its path. */
function changed(file: string, name: string, from: string | RegExp, to: string): string {
  const target = path.join(folder, name);
  const text = example(file).replaceAll(from, to);
  expect(text).not.toBe(example(file));
  writeFileSync(target, text);
  return target;
}

let server: Awaited<ReturnType<typeof startApiServer>>;
let mayDryRun = true;
const facts: RequestFact[] = [];
const record = (fact: unknown): unknown => facts.push(fact as RequestFact); // True: the channel has these facts only.

beforeAll(async () => {
  const world = await settledExample();
  server = await startApiServer({
    snapshot: world.api.core.snapshot(),
    // The answer of RBAC to a user who may only read.
    admit: ({ dryRun }) => {
      if (dryRun && !mayDryRun) {
        throw new StatusError(403, 'Forbidden', refusal);
      }
    },
  });
  writeKubeconfig(kubeconfig, server.kubeconfig);
  subscribe(requests.name, record);
});

afterAll(async () => {
  unsubscribe(requests.name, record);
  await server.stop();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  mayDryRun = true;
  facts.length = 0;
});

/** Also checks that nothing was written, and that no Secret was requested. */
async function plan(...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  const before = server.core.snapshot().resourceVersion;
  let text = '';
  const code = await planCommand.run([...args, '--kubeconfig', kubeconfig], printed => {
    text += printed;
  });
  expect(server.core.snapshot().resourceVersion).toBe(before);
  expect(facts.filter(({ verb, dryRun }) => !['get', 'list'].includes(verb) && !dryRun)).toEqual([]);
  expect(facts.filter(({ resource }) => resource === 'secrets')).toEqual([]);
  return { code, text };
}

describe('files over an API server', () => {
  it('show the rollout that another version in a file starts, and fail on it', async () => {
    const upgraded = changed('cluster.yaml', 'upgraded.yaml', 'v1.35.0', 'v1.36.0');
    const { code, text } = await plan('topology', '--files', upgraded, '--fail-on', 'delete,replace');
    expect(code).toBe(4);
    expect(text).toContain('Files: Cluster default/managed changed\n');
    expect(text).toContain('spec.version\n         - "v1.35.0"\n         + "v1.36.0"\n');
    expect(text).toMatch(/^Replaces Machines of SimulatedControlPlane default\/managed-\w+: spec\.version/m);
    expect(text.match(/^Replaces Machines of Machine(Deployment|Pool) .*follows later$/gm)).toHaveLength(3);
    expect(facts.filter(({ dryRun }) => dryRun)).not.toEqual([]);
    expect(await plan('topology', '--files', upgraded, '--fail-on', 'create,delete')).toMatchObject({ code: 0 });
    expect(await plan('topology', 'default/managed', '--files', upgraded)).toEqual({
      code: 0,
      text: expect.any(String),
    });
  });

  it('plan the Clusters of a class whose template a file changes, and show the new templates', async () => {
    const rebuilt = changed('cluster-class.yaml', 'class.yaml', 'image: simulated-linux', 'image: simulated-bsd');
    const { code, text } = await plan('topology', '--files', rebuilt, '--json', '--fail-on', 'replace');
    expect(code).toBe(4);
    const [report] = JSON.parse(text);
    expect(report).toMatchObject({ object: 'Cluster default/managed' });
    expect(report.files.filter(({ outcome }: { readonly outcome: string }) => outcome === 'changed')).toHaveLength(3);
    expect(report.replacements).toEqual(
      expect.arrayContaining([
        {
          object: expect.stringMatching(/^MachineDeployment default\/managed-front-/),
          why: 'SimulatedMachine is not up-to-date',
        },
      ]),
    );
  });

  it('compute the same without the right to dry runs, and say so', async () => {
    const upgraded = changed('cluster.yaml', 'upgraded.yaml', 'v1.35.0', 'v1.36.0');
    const actionsOf = (text: string): unknown => JSON.parse(text)[0].passes[0].actions;
    const allowed = await plan('topology', '--files', upgraded, '--json');
    mayDryRun = false;
    const computed = await plan('topology', '--files', upgraded, '--json');
    expect(actionsOf(computed.text)).toEqual(actionsOf(allowed.text));
    expect(JSON.parse(allowed.text)[0].notes).toEqual([]);
    expect(JSON.parse(computed.text)[0].notes[0]).toMatch(
      /^the API server does not allow dry runs for this user.*cannot/,
    );
  });

  it('plan a new Cluster of a class that only the server has, in the given namespace', async () => {
    const fresh = changed('cluster.yaml', 'fresh.yaml', 'name: managed', 'name: fresh');
    const before = server.core.snapshot().resourceVersion;
    const texts: string[] = [];
    const args = ['topology', '--files', fresh, '-n', 'default', '--kubeconfig', kubeconfig, '--fail-on', 'create'];
    expect(await planCommand.run(args, text => texts.push(text))).toBe(4);
    expect(texts.join('')).toContain('Files: Cluster default/fresh new\n');
    expect(texts.join('')).toContain('the Cluster has no uid in the files');
    expect(server.core.snapshot().resourceVersion).toBe(before);
  });

  it('change nothing if they are what the server has', async () => {
    const same = path.join(projectRoot, 'examples/topology/cluster.yaml');
    const fail = ['--fail-on', 'create,change,replace,delete'];
    const nothing = 'The files change nothing that reconciler topology reads.\n';
    expect(await plan('topology', '--files', same, ...fail)).toEqual({ code: 0, text: nothing });
    expect(await plan('topology', '--files', same, '--json')).toEqual({ code: 0, text: '[]\n' });
    const { text } = await plan('topology', '--files', same, '-o', 'markdown');
    expect(text).toContain('**0 made, 0 changed, 0 replaced, 0 deleted**');
  });

  it.each([true, false])('are refused as the API server refuses them: dry runs %s', async isAllowed => {
    mayDryRun = isAllowed;
    const wrong = changed('cluster.yaml', 'wrong.yaml', 'replicas: 3', 'replicas: "3"');
    const planned = plan('topology', '--files', wrong);
    await expect(planned).rejects.toThrow(UsageError);
    await expect(planned).rejects.toThrow(/would refuse Cluster default\/managed of the files: .*spec\.topology/);
  });
});

interface Step {
  readonly name?: string;
  readonly run?: string;
}

const workflowText = (name: string): string => readFileSync(path.join(projectRoot, 'examples/ci', name), 'utf8');
const github: { readonly jobs: { readonly plan: { readonly steps: readonly Step[] } } } = parse(
  workflowText('github-actions.yaml'),
);
const gitlab: { readonly plan: { readonly script: readonly string[] } } = parse(workflowText('gitlab-ci.yaml'));

/** A repository with a branch that changes a Cluster, and one that changes no manifest. */
function aRepository(): { readonly root: string; readonly base: string } {
  const root = mkdtempSync(path.join(folder, 'repository-'));
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      cwd: root,
      encoding: 'utf8',
    });
  git('init', '--quiet');
  mkdirSync(path.join(root, 'clusters'));
  copyFileSync(path.join(projectRoot, 'examples/topology/cluster.yaml'), path.join(root, 'clusters/managed.yaml'));
  git('add', '.');
  git('commit', '--quiet', '-m', 'base');
  return { root, base: git('rev-parse', 'HEAD').trim() };
}

function commit(root: string, file: string, text: string): void {
  writeFileSync(path.join(root, file), text);
  execFileSync('git', ['add', '.'], { cwd: root });
  const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
  execFileSync('git', [...author, 'commit', '--quiet', '-m', 'change'], { cwd: root });
}

/** Runs the script as the CI system does. Returns its exit code and the comment. */
function runScript(
  script: string,
  root: string,
  base: string,
): Promise<{ readonly code: number; readonly comment: string }> {
  const temporary = mkdtempSync(path.join(folder, 'temporary-'));
  const env = {
    ...process.env,
    PATH: `${path.join(projectRoot, 'node_modules/.bin')}:${process.env['PATH']}`,
    RUNNER_TEMP: temporary,
    BASE: base,
    CI_MERGE_REQUEST_DIFF_BASE_SHA: base,
  };
  return new Promise(resolve => {
    execFile('bash', ['-eo', 'pipefail', '-c', script], { cwd: root, env }, (error, _, stderr) => {
      expect(stderr).toBe('');
      const code = error === null ? 0 : Number(error.code);
      resolve({ code, comment: readFileSync(path.join(root, 'plan.md'), 'utf8') });
    });
  });
}

describe('the workflows for pull requests', () => {
  const githubScript = github.jobs.plan.steps.find(({ name }) => name === 'Plan')?.run ?? '';
  const systems = [
    // The secret of GitHub is the text of the kubeconfig, and the variable of GitLab is a file.
    { system: 'GitHub', script: `PLAN_KUBECONFIG="$(cat '${kubeconfig}')"\n${githubScript}` },
    { system: 'GitLab', script: [`PLAN_KUBECONFIG='${kubeconfig}'`, ...gitlab.plan.script].join('\n') },
  ];

  it.each(systems)('of $system plans the changed files as a comment, and fails on a rollout', async ({ script }) => {
    const { root, base } = aRepository();
    const before = server.core.snapshot().resourceVersion;
    commit(root, 'clusters/managed.yaml', example('cluster.yaml').replace('v1.35.0', 'v1.36.0'));
    commit(root, 'clusters/kustomization.yaml', 'resources: [managed.yaml]\n');
    const { code, comment } = await runScript(script, root, base);
    expect(code).toBe(4);
    expect(comment).toMatch(/^## Plan of reconciler topology\n\n\*\*0 made, 2 changed, 4 replaced, 0 deleted\*\*/);
    expect(server.core.snapshot().resourceVersion).toBe(before);
  });

  it.each(systems)('of $system has nothing to plan without a changed manifest', async ({ script }) => {
    const { root, base } = aRepository();
    commit(root, 'README.md', 'text');
    expect(await runScript(script, root, base)).toEqual({ code: 0, comment: 'No manifest was added or changed.\n' });
  });
});
