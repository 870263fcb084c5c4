// The template of a deployment whose reconcilers share one work queue and one function: what it has does not depend on
// the number of reconcilers.

import type { JsonObject } from '@capi-serverless/apimachinery';
import type { Declaration } from '@capi-serverless/reconciler';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedFunction, toReconcilerFunctions } from '../../infra/function-plans.ts';
import { parseConfig } from '../../shared/config/env.ts';
import { visibilityBeyondTimeoutSeconds } from '../../shared/workqueue/queue-specs.ts';
import { resolveIntrinsics } from '../support/intrinsics.ts';
import {
  declarations,
  eksDeployment,
  everyGate,
  functions,
  list,
  makeBundles,
  type Synthesised,
  synthesise,
} from '../support/synthesised.ts';

const certificate = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:extension-client-AbCdEf';
const layout = 'compact';
const shared = sharedFunction.name;
const made = makeBundles();
let stack: Synthesised;
let eks: Synthesised;

beforeAll(() => {
  const settings = { featureGates: everyGate, extensionClientCertificateSecret: certificate };
  stack = synthesise({ name: 'capi-lean', layout, sources: { windowed: true }, settings }, made);
  eks = synthesise({ ...eksDeployment, layout, monitoring: { alarms: 'all' } }, made);
});

afterAll(() => made.remove());

const queuesOf = (of: Synthesised): readonly string[] =>
  of
    .all('AWS::SQS::Queue')
    .map(({ Properties }) => String(Properties['QueueName']).slice(of.deployment.length + 1))
    .toSorted();
const functionsOf = (of: Synthesised): readonly string[] =>
  of
    .all('AWS::Lambda::Function')
    .map(({ Properties }) => String(Properties['FunctionName']).slice(of.deployment.length + 1))
    .toSorted();

function urlsOf(of: Synthesised, functionName: string): readonly string[] {
  const place = { partition: 'aws', region: 'eu-central-1', account: '123456789012' };
  const value = of.variablesOf(functionName)['CAPI_QUEUE_URLS'];
  const text = String(resolveIntrinsics(value, { ref: id => id, attribute: id => id }, place));
  return Object.keys(parseConfig({ CAPI_QUEUE_URLS: text }).queueUrls).toSorted();
}

describe('reconcilers that share a work queue', () => {
  it('have one queue and one function', () => {
    expect(queuesOf(stack)).toEqual(['delay', 'delay-dlq', 'expand', 'expand-dlq', 'work-dlq.fifo', 'work.fifo']);
    expect(functionsOf(stack)).toEqual(['all-reconcilers', 'resync', 'timer', 'windowed-forwarder']);
    expect(stack.all('AWS::Lambda::EventSourceMapping')).toHaveLength(3);
  });

  it('have the same resources when there are more of them', () => {
    const more = Array.from({ length: 20 }, (_, index): Declaration => {
      const [first] = declarations;
      if (first === undefined) {
        throw new Error('There are no declarations');
      }
      return { ...first, name: `another-${index}` };
    });
    const parts = {
      declarations: [...declarations, ...more],
      functions: [...functions, ...toReconcilerFunctions(more, 'functions')],
    };
    const grown = synthesise({ name: 'capi-lean', layout, sources: { windowed: true } }, made, parts);
    expect(queuesOf(grown)).toEqual(queuesOf(stack));
    expect(functionsOf(grown)).toEqual(functionsOf(stack));
  });

  it('follow the longest timeout and visibility, with ten messages at a time and partial failures', () => {
    const longest = Math.max(...declarations.map(({ timeoutSeconds }) => timeoutSeconds));
    expect(stack.resourceOf(shared).Properties).toMatchObject({ Timeout: longest, MemorySize: 512 });
    expect(stack.resourceOf('work.fifo').Properties).toMatchObject({
      VisibilityTimeout: longest + visibilityBeyondTimeoutSeconds,
      FifoQueue: true,
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
      RedrivePolicy: { deadLetterTargetArn: stack.arnOf('work-dlq.fifo'), maxReceiveCount: 5 },
    });
    expect(stack.mappingsOf(shared).map(({ Properties }) => Properties)).toEqual([
      {
        FunctionName: stack.liveNameOf(shared),
        EventSourceArn: stack.arnOf('work.fifo'),
        BatchSize: 1,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 20 },
      },
    ]);
  });

  it('have the rights of all of them on AWS, and no others', () => {
    const arns = (names: readonly string[]): readonly JsonObject[] => names.map(name => stack.arnOf(name));
    const sends = stack.mayDo(shared, 'sqs:SendMessage');
    expect(sends).toEqual(expect.arrayContaining([...arns(['work.fifo', 'delay'])]));
    expect(sends).toHaveLength(2);
    expect(stack.mayDo(shared, 'sqs:ReceiveMessage')).toEqual(arns(['work.fifo']));
    expect(stack.mayDo(shared, 'secretsmanager:GetSecretValue')).toContain(certificate);
    expect(stack.mayDo(shared, 'secretsmanager:GetSecretValue')).toHaveLength(2);
    expect(stack.mayDo('timer', 'secretsmanager:GetSecretValue')).toEqual([]);
  });

  it('are the target of timer, resync and event sources', () => {
    expect(urlsOf(stack, shared)).toEqual(['delay', 'work.fifo']);
    expect(urlsOf(stack, 'timer')).toEqual(['delay', 'work.fifo']);
    expect(urlsOf(stack, 'windowed-forwarder')).toEqual(['expand', 'work.fifo']);
    expect(urlsOf(stack, 'resync')).toEqual(queuesOf(stack));
    for (const name of ['timer', 'resync', 'windowed-forwarder']) {
      expect(stack.mayDo(name, 'sqs:SendMessage')).toContainEqual(stack.arnOf('work.fifo'));
    }
  });

  it('have the groups of all of them in the management cluster', () => {
    const role = JSON.stringify({ 'Fn::GetAtt': [eks.roleOf(shared), 'Arn'] });
    const entries = eks
      .all('AWS::EKS::AccessEntry')
      .filter(({ Properties }) => JSON.stringify(Properties['PrincipalArn']) === role);
    expect(entries.map(({ Properties }) => Properties['KubernetesGroups'])).toEqual([
      declarations.map(({ name }) => `capi-serverless:${name}`),
    ]);
    const others = eks.all('AWS::EKS::AccessEntry').filter(entry => !entries.includes(entry));
    expect(others.flatMap(({ Properties }) => list(Properties['KubernetesGroups'])).toSorted()).toEqual([
      'capi-serverless:audit-webhook',
      'capi-serverless:resync',
      'capi-serverless:windowed-forwarder',
    ]);
  });

  it('join the VPC with the other functions that reach an API server', () => {
    expect(eks.resourceOf(shared).Properties).toHaveProperty('VpcConfig');
    expect(eks.resourceOf('timer').Properties).not.toHaveProperty('VpcConfig');
  });

  it('are monitored: alarms and dashboard name the shared queue, its dead letters and the function', () => {
    const alarms = JSON.stringify(eks.all('AWS::CloudWatch::Alarm'));
    const [dashboard] = eks.all('AWS::CloudWatch::Dashboard');
    const widgets = JSON.stringify(dashboard);
    for (const text of [alarms, widgets]) {
      expect(text).toContain('capi-eks-work.fifo');
      expect(text).toContain('capi-eks-work-dlq.fifo');
      expect(text).toContain('capi-eks-all-reconcilers');
      expect(text).not.toContain('work-cluster');
    }
    expect(widgets).toContain("SOURCE '/aws/lambda/capi-eks-all-reconcilers'");
  });
});
