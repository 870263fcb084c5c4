// `npx cdk synth` without an AWS account and without network access, including the options in the section "Deploy" of
// the README.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { argumentsOf, deployCommands } from '../support/page-commands.ts';

let home: string;

beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), 'capi-synth-'));
});

afterAll(() => rmSync(home, { recursive: true }));

/** An address that is reserved for documentation, so it never answers. */
const nowhere = 'http://192.0.2.1:9';

function synthOf(deployments: string) {
  const file = path.join(home, 'deployments.yaml');
  writeFileSync(file, deployments);
  return synth('--context', `deployments=${file}`);
}

function synth(...options: readonly string[]) {
  const output = mkdtempSync(path.join(home, 'out-'));
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      path.join(projectRoot, 'node_modules/aws-cdk/bin/cdk'),
      ...['synth', '--quiet', '--no-notices', '--output', output, ...options],
    ],
    {
      cwd: projectRoot,
      encoding: 'utf8',
      env: {
        PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`,
        HOME: home,
        CDK_DISABLE_CLI_TELEMETRY: 'true',
        CDK_DISABLE_VERSION_CHECK: 'true',
        AWS_EC2_METADATA_DISABLED: 'true',
        ...Object.fromEntries(['http', 'https', 'HTTP', 'HTTPS'].map(scheme => [toVariable(scheme), nowhere])),
      },
    },
  );
  return { status, stderr, output };
}

function toVariable(scheme: string): string {
  return scheme === scheme.toLowerCase() ? `${scheme}_proxy` : `${scheme}_PROXY`;
}

describe('the synthesis', () => {
  it('writes a template per deployment, offline', () => {
    const { status, stderr, output } = synthOf(
      '- name: capi-blue\n- name: capi-green\n  managementCluster: 6f1a3c1e-8f0b-4d52-9c3a-0f6f8a1b2c3d\n  sources: { auditWebhook: {} }\n',
    );
    expect(stderr).not.toMatch(/error/i);
    expect(status).toBe(0);
    const templates = readdirSync(output).filter(file => file.endsWith('.template.json'));
    expect(templates).toEqual(['capi-blue.template.json', 'capi-green.template.json']);
    const report = JSON.parse(readFileSync(path.join(output, 'validation-report.json'), 'utf8'));
    const violations: readonly { readonly ruleName: string }[] = report.pluginReports.flatMap(
      (plugin: { readonly violations: readonly unknown[] }) => plugin.violations,
    );
    expect(violations.map(({ ruleName }) => ruleName)).toEqual([
      'Annotation::capi-serverless:no-event-source',
      'Annotation::capi-serverless:no-topic',
      'Annotation::capi-serverless:reserved-concurrency',
      'Annotation::capi-serverless:no-topic',
    ]);
  });

  it('takes the options of cdk deploy for a self-managed control plane', () => {
    const [options = ''] = argumentsOf(deployCommands('self-managed'), 'npx cdk deploy');
    const { status, stderr, output } = synth(...options.split(' '));
    expect(stderr).not.toMatch(/error/i);
    expect(status).toBe(0);
    expect(readdirSync(output)).toContain('capi-lab.template.json');
  });

  it('ends with one line about the error', () => {
    const { status, stderr } = synthOf('- name: capi-blue\n  concurrency: 1\n');
    expect(status).not.toBe(0);
    expect(stderr.split('\n')[0]).toBe('Deployment capi-blue: concurrency: Too small: expected number to be >=2');
  });
});
