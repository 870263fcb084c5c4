// The commands in the section "Deploy" of the README. Tests the parts that do not need AWS.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseFunctionsKubeconfigOptions } from '../../cli/kubeconfig/functions-kubeconfig.ts';
import { parseDeployments, readDeployments } from '../../infra/aws/deployment.ts';
import type { Deployment } from '../../infra/aws/deployment-schema.ts';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { functionsAccount } from '../../infra/kubernetes/identities.ts';
import { parseManifests } from '../../local/manifests.ts';
import { argumentsOf, deployCommands } from '../support/page-commands.ts';
import { makeBundles, type Synthesised, synthesise } from '../support/synthesised.ts';

const made = makeBundles();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'capi-readme-'));
});

afterAll(() => {
  made.remove();
  rmSync(folder, { recursive: true });
});

const eks = deployCommands('eks');
const selfManaged = deployCommands('self-managed');
const both = [
  { where: 'EKS', commands: eks },
  { where: 'a self-managed control plane', commands: selfManaged },
];

/** A response of `aws eks describe-cluster` with the fields that the query reads. */
const described: Readonly<Record<string, string>> = {
  'cluster.name': 'mgmt',
  'cluster.endpoint': 'https://0123456789ABCDEF.gr7.eu-central-1.eks.amazonaws.com',
  'cluster.certificateAuthority.data': 'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t',
};

/** Evaluates a JMESPath multi-select whose expressions are only paths and literals in backticks. */
function evaluate(query: string): unknown {
  const literals: string[] = [];
  const keep = (text: string): string => `@${literals.push(text) - 1}@`;
  const text = query
    .replaceAll(/`([^`]*)`/g, (_, literal: string) => keep(literal))
    .replaceAll(/cluster(\.\w+)+/g, name => keep(JSON.stringify(described[name])))
    .replaceAll(/(\w+):/g, '"$1":')
    .replaceAll(/@(\d+)@/g, (_, at: string) => literals[Number(at)] ?? '');
  return JSON.parse(text);
}

function toEks(): readonly Deployment[] {
  const [asking = ''] = argumentsOf(eks, 'aws eks describe-cluster');
  const [, query = ''] = /--query '([^']+)' > deployments\.json$/.exec(asking) ?? [];
  return parseDeployments(evaluate(query));
}

/** Returns the value of an option in these commands. */
function optionOf(commands: readonly string[], pattern: RegExp): string {
  const [, value = ''] = commands.map(line => pattern.exec(line)).find(found => found !== null) ?? [];
  return value;
}

describe.each(both)('the way to a first Cluster on $where', ({ commands }) => {
  it('takes at most five commands', () => {
    expect(commands.length).toBeGreaterThan(3);
    expect(commands.length).toBeLessThanOrEqual(5);
    expect(commands[0]).toBe('npm ci');
  });

  it('names existing folders and files', () => {
    const named = argumentsOf(commands, 'kubectl apply').map(line => line.replace(/^-[kf] /, ''));
    expect(named).toHaveLength(2);
    for (const file of named) {
      expect(existsSync(path.join(projectRoot, file)), file).toBe(true);
    }
  });

  it('applies a kustomization whose resources all exist and hold objects', () => {
    const [kustomization = ''] = argumentsOf(commands, 'kubectl apply -k');
    expect(resourcesOf(path.join(projectRoot, kustomization)).length).toBeGreaterThan(5);
  });

  it('applies one Cluster without any provider', () => {
    const [file = ''] = argumentsOf(commands, 'kubectl apply -f');
    const [definition, cluster, ...others] = parseManifests(readFileSync(path.join(projectRoot, file), 'utf8'), file);
    expect(others).toEqual([]);
    const { kind } = NoInfrastructure;
    expect(definition).toMatchObject({ kind: 'CustomResourceDefinition', spec: { names: { kind } } });
    expect(cluster).toMatchObject({
      kind: 'Cluster',
      metadata: { name: 'first' },
      spec: { infrastructureRef: NoInfrastructure },
    });
  });
});

/**
 * The infrastructure of the first Cluster. Its kind has no reconciler. The webhook of Cluster API requires a reference.
 */
const NoInfrastructure = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'NoInfrastructure' };

/** Resolves paths as kubectl does. */
function resourcesOf(kustomization: string): readonly unknown[] {
  const { resources } = parse(readFileSync(path.join(kustomization, 'kustomization.yaml'), 'utf8'));
  return resources.flatMap((name: string) => {
    const file = path.join(kustomization, name);
    return name.endsWith('.yaml') ? parseManifests(readFileSync(file, 'utf8'), name) : resourcesOf(file);
  });
}

describe('on EKS', () => {
  it('the query turns the response of EKS into a deployment', () => {
    expect(toEks()).toMatchObject([
      {
        name: 'capi-mgmt',
        apiServer: { kind: 'eks', cluster: 'mgmt', endpoint: described['cluster.endpoint'], accessEntries: true },
        sources: { windowed: true },
      },
    ]);
    expect(optionOf(eks, /-c deployments=(\S+)/)).toBe('deployments.json');
  });

  it('its stack holds functions with access entries, and no secret without a value', () => {
    const [deployment] = toEks();
    const stack = synthesise(deployment ?? {}, made);
    expect(stack.all('AWS::EKS::AccessEntry').length).toBeGreaterThan(2);
    expect(stack.all('AWS::SecretsManager::Secret')).toEqual([]);
  });
});

describe('on a self-managed control plane', () => {
  const file = optionOf(selfManaged, /-c deployments=(\S+)/);

  it('the stack whose outputs are read has one secret for the kubeconfig', () => {
    const [deployment] = readDeployments(path.join(projectRoot, file));
    const stack: Synthesised = synthesise(deployment ?? {}, made);
    expect(optionOf(selfManaged, /--stack-name (\S+)/)).toBe(deployment?.name);
    const part = optionOf(selfManaged, /contains\(OutputKey, `"(\w+)"`\)/);
    const [key, ...others] = Object.keys(stack.outputs).filter(name => name.includes(part));
    expect(others).toEqual([]);
    const [secret] =
      Object.entries(stack.resources).find(([, { Type }]) => Type === 'AWS::SecretsManager::Secret') ?? [];
    expect(stack.outputs[key ?? '']?.['Value']).toEqual({ Ref: secret });
  });

  it('the kubeconfig command uses existing options', () => {
    const [, options = ''] = /capi-serverless kubeconfig (.*?) \|/.exec(selfManaged.join('\n')) ?? [];
    expect(parseFunctionsKubeconfigOptions(options.split(' '))).toEqual({
      kubeconfig: '~/.kube/config',
      days: 90,
      server: undefined,
      account: functionsAccount,
    });
  });
});

describe('a shell', () => {
  /** Programs that record their arguments. `aws cloudformation` prints the ARN of a secret. */
  function callsOf(commands: readonly string[]): readonly (readonly string[])[] {
    const home = mkdtempSync(path.join(folder, 'shell-'));
    const log = path.join(home, 'calls');
    // Each call makes one write, because both ends of a pipe run concurrently.
    const stub = `#!/bin/sh\ncall=$(printf '%s\\037' "\${0##*/}" "$@")\nprintf '%s\\n' "$call" >> ${log}\n[ "$1" = cloudformation ] && echo arn:of-the-secret\nexit 0\n`;
    for (const program of ['npm', 'npx', 'aws', 'kubectl']) {
      writeFileSync(path.join(home, program), stub, { mode: 0o755 });
    }
    const { status, stderr } = spawnSync('/bin/sh', ['-euc', commands.join('\n')], {
      cwd: home,
      encoding: 'utf8',
      env: { PATH: `${home}:/usr/bin:/bin`, HOME: home },
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
    return readFileSync(log, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map(line => line.split('\u001f').slice(0, -1));
  }

  it('passes the query on unchanged', () => {
    const asking = callsOf(eks).find(call => call.includes('describe-cluster'));
    const [query = ''] = asking?.slice(-1) ?? [];
    expect(parseDeployments(evaluate(query))).toEqual(toEks());
  });

  it('finds the secret by the outputs of the stack', () => {
    const calls = callsOf(selfManaged);
    expect(calls.find(call => call.includes('put-secret-value'))).toEqual([
      ...['aws', 'secretsmanager', 'put-secret-value', '--secret-string', 'file:///dev/stdin'],
      ...['--secret-id', 'arn:of-the-secret'],
    ]);
    expect(calls.find(call => call.includes('describe-stacks'))?.at(-1)).toBe(
      'Stacks[0].Outputs[?contains(OutputKey, `"KubeconfigSecret"`)].OutputValue',
    );
  });
});

it.each(readdirSync(path.join(projectRoot, 'examples/deployments')))('the example %s is a deployment', file => {
  expect(readDeployments(path.join(projectRoot, 'examples/deployments', file))).toHaveLength(1);
});
