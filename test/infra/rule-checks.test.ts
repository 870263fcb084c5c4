// The rule checks of cdk-nag on all possible resources of a deployment.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Annotations, Stack, Validations } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { afterAll, describe, expect, it } from 'vitest';
import { parseDeployments } from '../../infra/aws/deployment.ts';
import { explanations } from '../../infra/aws/findings.ts';
import { CapiServerlessStack } from '../../infra/aws/stack.ts';
import { topic } from '../support/monitored-stack.ts';
import { declarations, eksDeployment, functions, makeApp, makeBundles } from '../support/synthesised.ts';

const made = makeBundles();
const other = { ...eksDeployment.apiServer, endpoint: 'https://other.example.com' };

afterAll(() => made.remove());

function checkedApp() {
  const app = makeApp(made.folder);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return app;
}

describe('the rule checks', () => {
  it('have no unexplained findings for a deployment', () => {
    const app = checkedApp();
    for (const deployment of parseDeployments([
      { ...eksDeployment, monitoring: { tracing: true, topic } },
      {
        ...eksDeployment,
        name: 'capi-door',
        apiServer: other,
        sources: { auditWebhook: { door: 'http-api' } },
        monitoring: { topic },
      },
      { name: 'capi-plain', sources: { windowed: true }, monitoring: { topic } },
    ])) {
      const stack = new CapiServerlessStack(app, { deployment, declarations, functions, bundles: made.bundles });
      Annotations.of(stack).acknowledgeWarning('capi-serverless:reserved-concurrency', 'The account of a test');
    }
    const { directory } = app.synth();
    const report = JSON.parse(readFileSync(path.join(directory, 'validation-report.json'), 'utf8'));
    expect(report.pluginReports).toEqual([]);
  });

  it('stop a synthesis without encryption in transit', () => {
    const app = checkedApp();
    new Queue(new Stack(app, 'Careless'), 'Queue');
    expect(() => app.synth()).toThrow('The SQS queue does not require requests to use SSL');
  });

  it('have a sentence of explanation for each finding', () => {
    for (const { id, reason } of Object.values(explanations).flat()) {
      expect(id).toMatch(/^AwsSolutions-[A-Z0-9]+(\[.+\])?$/);
      expect(reason.split(' ').length).toBeGreaterThan(8);
    }
  });
});
