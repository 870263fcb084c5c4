// What the cost estimate takes a deployment to be made of, compared with a synthesised stack and the forwarder's manifest.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { deployed, profiles } from '../../infra/cost/prices.ts';
import { toShape } from '../../infra/cost/shape.ts';
import { declarations, makeBundles, type Synthesised, synthesise } from '../support/synthesised.ts';

const made = makeBundles();
let stack: Synthesised;

beforeAll(() => {
  stack = synthesise({ name: 'capi-cost', sources: { windowed: true } }, made);
}, 120_000);

afterAll(() => made.remove());

describe('the estimate', () => {
  it('counts the queues that pollers ask for ever: each mapping has a maximum concurrency', () => {
    const { workQueues, standardQueues } = toShape(declarations);
    const mappings = stack.all('AWS::Lambda::EventSourceMapping');
    expect(mappings).toHaveLength(workQueues + standardQueues);
    for (const { Properties } of mappings) {
      expect(Properties).toHaveProperty('ScalingConfig.MaximumConcurrency');
    }
  });

  it('knows memory, secrets, alarms and schedules', () => {
    const functions = stack.all('AWS::Lambda::Function');
    expect(new Set(functions.map(({ Properties }) => Properties['MemorySize']))).toEqual(
      new Set([deployed.memoryGb * 1024]),
    );
    expect(stack.all('AWS::SecretsManager::Secret')).toHaveLength(deployed.secrets);
    expect(stack.all('AWS::CloudWatch::Alarm')).toHaveLength(deployed.alarms);
    const rates = stack.all('AWS::Scheduler::Schedule').map(({ Properties }) => Properties['ScheduleExpression']);
    expect(rates.toSorted()).toEqual(['rate(1 minute)', `rate(${profiles.default.resyncMinutes} minutes)`]);
    expect(deployed.windowedPeriodMinutes).toBe(1);
  });

  it('knows what the pods of the watch-forwarder request', () => {
    const file = path.resolve(import.meta.dirname, '../../infra/kubernetes/forwarder/deployment.yaml');
    const found = parseAllDocuments(readFileSync(file, 'utf8'))
      .map(document => document.toJS())
      .find(({ kind }) => kind === 'Deployment');
    const { replicas, memoryMiB } = deployed.forwarder;
    expect(found.spec.replicas).toBe(replicas);
    expect(found.spec.template.spec.containers[0].resources.requests.memory).toBe(`${memoryMiB}Mi`);
  });
});
