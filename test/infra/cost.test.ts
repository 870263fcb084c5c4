// Compares the assumptions of the cost estimate with a synthesized stack and the forwarder's manifest.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { deployed, profiles } from '../../cli/cost/items.ts';
import { toShape } from '../../cli/cost/shape.ts';
import { toAlarmMetrics, toUnits } from '../../cli/cost/units.ts';
import { heartbeatMs } from '../../functions/watch-forwarder/heartbeat.ts';
import { countBillableUnits } from '../../infra/billable-units.ts';
import { publishedMetrics } from '../../shared/telemetry/published-metrics.ts';
import { declarations, eksDeployment, makeBundles, type Synthesised, synthesise } from '../support/synthesised.ts';

const made = makeBundles();
let stack: Synthesised;

let lean: Synthesised;
let withForwarder: Synthesised;

beforeAll(() => {
  stack = synthesise({ name: 'capi-cost' }, made);
  const forwarder = { kind: 'pod-identity', cluster: 'mgmt' };
  withForwarder = synthesise({ name: 'capi-pods', sources: { forwarder } }, made);
  lean = synthesise(
    {
      name: 'capi-lean',
      sources: { windowed: profiles.lean.windowed },
      resyncPeriodMinutes: profiles.lean.resyncMinutes,
      fullResyncPeriodMinutes: profiles.lean.fullResyncMinutes,
      plumbing: profiles.lean.plumbing,
      layout: profiles.lean.layout,
      monitoring: { alarms: profiles.lean.alarms },
    },
    made,
  );
});

const memoriesOf = (of: Synthesised, name?: string): readonly unknown[] => [
  ...new Set(
    (name === undefined ? of.all('AWS::Lambda::Function') : [of.resourceOf(name)]).map(
      ({ Properties }) => Properties['MemorySize'],
    ),
  ),
];
const ratesOf = (of: Synthesised): readonly unknown[] =>
  of
    .all('AWS::Scheduler::Schedule')
    .map(({ Properties }) => Properties['ScheduleExpression'])
    .toSorted();

afterAll(() => made.remove());

describe('the estimate', () => {
  it('counts the queues that are polled continuously: each mapping has a maximum concurrency', () => {
    const { reconcilers, standardQueues } = toShape(declarations);
    const mappings = stack.all('AWS::Lambda::EventSourceMapping');
    expect(mappings).toHaveLength(reconcilers + standardQueues);
    for (const { Properties } of mappings) {
      expect(Properties).toHaveProperty('ScalingConfig.MaximumConcurrency');
    }
  });

  it('counts fewer pollers only for the delay and expand queues if a deployment leaves their limit out', () => {
    const unlimited = lean
      .all('AWS::Lambda::EventSourceMapping')
      .filter(({ Properties }) => Properties['ScalingConfig'] === undefined)
      .map(({ Properties }) => Properties['EventSourceArn']);
    expect(unlimited).toEqual(expect.arrayContaining(['delay', 'expand'].map(name => lean.arnOf(name))));
    expect(unlimited).toHaveLength(toShape(declarations).standardQueues);
  });

  it('counts memory, secrets, alarms and schedules', () => {
    expect(memoriesOf(stack)).toEqual([deployed.memoryGb * 1024]);
    expect(memoriesOf(lean, 'all-reconcilers')).toEqual([deployed.memoryGb * 1024]);
    expect(memoriesOf(lean, 'windowed-forwarder')).toEqual([deployed.windowedMemoryGb * 1024]);
    expect(stack.all('AWS::SecretsManager::Secret')).toHaveLength(deployed.secrets.kubeconfig);
    expect(ratesOf(stack)).toEqual([`rate(${profiles.default.resyncMinutes} minutes)`]);
    expect(ratesOf(lean)).toEqual(['rate(1 minute)', `rate(${profiles.lean.resyncMinutes} minutes)`]);
    expect(deployed.windowedPeriodMinutes).toBe(1);
  });

  it.each([
    { name: 'default', of: () => withForwarder, profile: profiles.default },
    { name: 'lean', of: () => lean, profile: profiles.lean },
  ])('has the units of the template, $name', ({ of, profile }) => {
    const { dashboards, ...units } = countBillableUnits({ Resources: of().resources });
    const { dashboards: most, ...assumed } = toUnits(profile, toShape(declarations));
    expect(units).toEqual(assumed);
    expect(dashboards).toHaveLength(most.length);
    expect(dashboards[0]).toBeGreaterThan(20);
    expect(dashboards[0]).toBeLessThanOrEqual(deployed.dashboardMetrics);
  });

  it('counts one work queue where reconcilers share it', () => {
    const { standardQueues } = toShape(declarations);
    expect(lean.all('AWS::Lambda::EventSourceMapping')).toHaveLength(1 + standardQueues);
  });

  it('counts the deployment of the README: no secret, a windowed forwarder, and the defaults otherwise', () => {
    const { vpc: _vpc, sources: _sources, ...given } = eksDeployment;
    const { securityGroup: _group, ...apiServer } = given.apiServer;
    const readme = synthesise({ ...given, name: 'capi-mgmt', apiServer, sources: { windowed: true } }, made);
    const { reconcilers, standardQueues } = toShape(declarations);
    expect(readme.all('AWS::SecretsManager::Secret')).toHaveLength(deployed.secrets.eks);
    expect(readme.all('AWS::Lambda::EventSourceMapping')).toHaveLength(reconcilers + standardQueues);
    expect(ratesOf(readme)).toEqual(['rate(1 minute)', `rate(${profiles.default.resyncMinutes} minutes)`]);
  });

  it.each([
    { sources: { windowed: true }, windowed: true },
    { sources: { forwarder: { kind: 'pod-identity', cluster: 'mgmt' } }, windowed: false },
  ])('counts the metrics of alarms, windowed: $windowed', ({ sources, windowed }) => {
    const alarms = synthesise({ name: 'capi-alarms', sources }, made).all('AWS::CloudWatch::Alarm');
    const metrics = alarms.flatMap(({ Properties }) => Properties['Metrics'] as readonly object[]); // true: every alarm consists of queries
    const count = metrics.filter(metric => 'MetricStat' in metric).length;
    const profile = { windowed, layout: 'per-kind', alarms: 'essential' } as const;
    expect(toAlarmMetrics(profile, toShape(declarations))).toBe(count);
  });

  it.each(['admission', 'conversion'] as const)('counts the secret and the metrics of alarms of %s', webhook => {
    const metricsOf = (of: Synthesised): number =>
      of
        .all('AWS::CloudWatch::Alarm')
        .flatMap(({ Properties }) => Properties['Metrics'] as readonly object[]) // true: every alarm consists of queries
        .filter(metric => 'MetricStat' in metric).length;
    const answering = synthesise({ name: 'capi-answering', [webhook]: {} }, made);
    const more = (type: string): number => answering.all(type).length - stack.all(type).length;
    expect(more('AWS::SecretsManager::Secret')).toBe(deployed[webhook].secrets);
    expect(metricsOf(answering) - metricsOf(stack)).toBe(deployed[webhook].alarmMetrics);
    expect(memoriesOf(answering, webhook)).toEqual([deployed.memoryGb * 1024]);
  });

  it('counts our own metrics that cost only when they are published', () => {
    expect(publishedMetrics.filter(({ level }) => level === 'few')).toHaveLength(deployed.rareMetrics);
    expect(heartbeatMs).toBe(deployed.forwarder.heartbeatSeconds * 1000);
  });

  it('counts the resources that the pods of the watch-forwarder request', () => {
    const file = path.resolve(import.meta.dirname, '../../infra/kubernetes/forwarder/deployment.yaml');
    const found = parseAllDocuments(readFileSync(file, 'utf8'))
      .map(document => document.toJS())
      .find(({ kind }) => kind === 'Deployment');
    const { replicas, memoryMiB } = deployed.forwarder;
    expect(found.spec.replicas).toBe(replicas);
    expect(found.spec.template.spec.containers[0].resources.requests.memory).toBe(`${memoryMiB}Mi`);
  });
});
