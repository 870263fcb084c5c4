// What a template must hold so that the first deployment works, and that no schema of CloudFormation can know.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { type JsonObject, toRecord } from '@capi-serverless/apimachinery';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseDeployments, readDeployments } from '../../infra/aws/deployment.ts';
import { toEnvironmentBytes } from '../../infra/aws/environment-size.ts';
import { CapiServerlessStack } from '../../infra/aws/stack.ts';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { plumbingFunctions, toReconcilerFunctions } from '../../infra/function-plans.ts';
import { resolveIntrinsics } from '../support/intrinsics.ts';
import { type Alarm, alarmsOf, managementCluster, topic } from '../support/monitored-stack.ts';
import {
  declarations,
  eksDeployment,
  everyGate,
  functions,
  makeApp,
  makeBundles,
  type Synthesised,
  synthesise,
} from '../support/synthesised.ts';

const made = makeBundles();
const folder = path.join(projectRoot, 'examples/deployments');
const examples = readdirSync(folder).flatMap(file => readDeployments(path.join(folder, file)));
const audited = { sources: { windowed: true, auditWebhook: {} }, managementCluster };
const given: readonly JsonObject[] = [
  ...examples,
  eksDeployment,
  { name: 'capi-audited', ...audited },
  { name: 'capi-all', ...audited, monitoring: { alarms: 'all', topic } },
];
let stacks: readonly Synthesised[];

beforeAll(() => {
  stacks = given.map(deployment => synthesise(deployment, made));
});

afterAll(() => made.remove());

const hasErrorsOnly = (alarms: readonly Alarm[]): boolean =>
  alarms.length > 0 && alarms.every(({ name }) => name === 'function-errors');
const refOf = (group: unknown): string => (group as { readonly Ref: string }).Ref; // true: groups are resources of the stack

describe('every schedule', () => {
  it('has an alarm that goes off if it invokes nothing, unless the deployment has alarms for errors only', () => {
    for (const stack of stacks) {
      const alarms = alarmsOf(stack);
      const schedules = stack.all('AWS::Scheduler::Schedule');
      expect(schedules.length, stack.deployment).toBeGreaterThan(0);
      for (const { Properties } of hasErrorsOnly(alarms) ? [] : schedules) {
        const group = stack.resources[refOf(Properties['GroupName'])]?.Properties['Name'];
        const watching = alarms.filter(
          ({ fields, metrics }) =>
            fields['TreatMissingData'] === 'breaching' &&
            metrics.some(({ dimension }) => [group, Properties['Name']].includes(dimension.value)),
        );
        expect(watching, `${stack.deployment} ${String(Properties['Name'])}`).toHaveLength(1);
      }
    }
    expect(stacks.filter(stack => hasErrorsOnly(alarmsOf(stack))).map(({ deployment }) => deployment)).toEqual([
      'capi-lean',
    ]);
  });

  it('has a group of its own, whose metric counts no other schedule', () => {
    for (const stack of stacks) {
      const groups = stack.all('AWS::Scheduler::Schedule').map(({ Properties }) => refOf(Properties['GroupName']));
      expect(new Set(groups).size, stack.deployment).toBe(groups.length);
      const [role] = stack.all('AWS::IAM::Role').filter(each => JSON.stringify(each).includes('scheduler.amazonaws'));
      for (const group of groups) {
        expect(JSON.stringify(role)).toContain(
          `:schedule-group/${String(stack.resources[group]?.Properties['Name'])}"`,
        );
      }
    }
  });

  it('invokes a function that Lambda does not retry, and that drops an event after the period', () => {
    for (const stack of stacks) {
      const targets = stack.all('AWS::Scheduler::Schedule').map(({ Properties }) => Properties['Target'] as JsonObject); // true: by the type of the resource
      const configs = stack.all('AWS::Lambda::EventInvokeConfig').map(({ Properties }) => Properties);
      // The configuration of a function does not apply to its aliases.
      const qualifiers = configs.map(({ Qualifier }) => JSON.stringify(Qualifier));
      const wanted = targets.map(({ Arn }) => JSON.stringify({ 'Fn::Select': [7, { 'Fn::Split': [':', Arn] }] }));
      expect(qualifiers.toSorted()).toEqual(wanted.toSorted());
      expect(targets.every(({ Arn }) => stack.resources[refOf(Arn)]?.Type === 'AWS::Lambda::Alias')).toBe(true);
      for (const { MaximumRetryAttempts, MaximumEventAgeInSeconds } of configs) {
        expect(MaximumRetryAttempts).toBe(0);
        expect(MaximumEventAgeInSeconds).toBeGreaterThanOrEqual(60);
        expect(MaximumEventAgeInSeconds).toBeLessThanOrEqual(21_600);
      }
    }
  });
});

describe('the environment of a function', () => {
  const place = { partition: 'aws-us-gov', region: 'us-gov-west-1', account: '123456789012' };
  const arn = (id: string): string =>
    `arn:aws-us-gov:secretsmanager:us-gov-west-1:123456789012:secret:${id}-0123456789ab-AbCdEf`;
  const variablesOf = (stack: Synthesised) =>
    stack.all('AWS::Lambda::Function').map(({ Properties }) => ({
      name: String(Properties['FunctionName']),
      variables: toRecord(toRecord(Properties['Environment'])['Variables']),
    }));

  /** The bytes that Lambda counts, after CloudFormation resolved all references. */
  function bytesOf(variables: JsonObject): number {
    const resolved = resolveIntrinsics(variables, { ref: arn, attribute: id => arn(id) }, place);
    return Object.entries(toRecord(resolved)).reduce(
      (sum, [name, value]) => sum + Buffer.byteLength(`${name}${value}`),
      0,
    );
  }

  /** Every setting, with long values and the longest name. */
  const long: JsonObject = {
    name: 'capi-thirty-characters-of-name',
    managementCluster,
    resyncPeriodMinutes: 1440,
    apiServer: {
      ...eksDeployment.apiServer,
      cluster: 'c'.repeat(100),
      certificateAuthority: `LS0tLS1CRUdJTi${'A'.repeat(1_500)}`,
    },
    vpc: eksDeployment.vpc,
    sources: { windowed: true, auditWebhook: {}, forwarder: { kind: 'pod-identity', cluster: 'mgmt' } },
    monitoring: { tracing: true, topic },
    settings: {
      watchFilter: 'f'.repeat(63),
      remoteProbe: 'on-reconcile',
      remoteConnectionGracePeriodSeconds: 299,
      remoteAddresses: 'routable',
      classNamespaces: 'n'.repeat(63),
      stateNamespace: 's'.repeat(63),
      providerGroups: [
        'infrastructure.cluster.x-k8s.io',
        'controlplane.cluster.x-k8s.io',
        'racks.infrastructure.example.com',
      ],
      extensionServices: 'dns',
      extensionClientCertificateSecret:
        'arn:aws:secretsmanager:eu-central-1:123456789012:secret:extensions/client-AbCdEf',
      logLevel: 'debug',
    },
  };

  it('has less than 3.5 KB in every example, and with every setting', () => {
    const all = [...stacks, synthesise(long, made)].flatMap(variablesOf);
    expect(all.length).toBeGreaterThan(30);
    for (const { name, variables } of all) {
      expect(bytesOf(variables), name).toBeLessThan(3_584);
      // The synthesis counts references by their longest values.
      expect(toEnvironmentBytes(variables), name).toBeGreaterThanOrEqual(bytesOf(variables));
    }
  });

  it('has less than 3.5 KB with 20 reconcilers whose names have 30 characters', () => {
    const [toy] = declarations;
    const [bundle] = made.bundles;
    const many = Array.from({ length: 20 }, (_, index) => ({
      ...toy,
      name: `reconciler-of-long-name-${String(index).padStart(6, '0')}`,
      featureGate: undefined,
    }));
    const plans = [...toReconcilerFunctions(many as unknown as typeof declarations, 'functions'), ...plumbingFunctions]; // true: only the names differ
    const bundles = [...made.bundles, ...many.map(({ name }) => ({ name, file: bundle?.file ?? '' }))];
    const stack = synthesise(
      long,
      { folder: made.folder, bundles },
      { declarations: many as unknown as typeof declarations, functions: plans },
    ); // true: as above
    const sizes = variablesOf(stack).map(({ name, variables }) => ({ name, bytes: bytesOf(variables) }));
    expect(sizes).toHaveLength(20 + 5);
    expect(sizes.filter(({ bytes }) => bytes >= 3_584)).toEqual([]);
  });

  it('fails the synthesis above 3.5 KB, with its longest values', () => {
    const settings = {
      classNamespaces: Array.from({ length: 60 }, (_, index) => `${'n'.repeat(60)}${index}`).join(','),
    };
    expect(() => synthesise({ ...long, settings }, made)).toThrow(
      /The environment of function capi-thirty-characters-of-name-cluster has \d+ bytes, more than 3584; the longest values are CAPI_CLASS_NAMESPACES \(3769\), /,
    );
  });
});

describe('reserved concurrency', () => {
  it('is used only for a function that any caller can invoke, because it takes from the quota of the account', () => {
    for (const stack of stacks) {
      const reserving = stack
        .all('AWS::Lambda::Function')
        .filter(({ Properties }) => 'ReservedConcurrentExecutions' in Properties)
        .map(({ Properties }) => [Properties['FunctionName'], Properties['ReservedConcurrentExecutions']]);
      const isPublic = stack.all('AWS::Lambda::Url').length > 0;
      expect(reserving).toEqual(isPublic ? [[`${stack.deployment}-audit-webhook`, expect.any(Number)]] : []);
    }
  });
});

describe('the synthesis', () => {
  function warningsOf(deployment: JsonObject): readonly string[] {
    const [parsed] = parseDeployments([{ ...deployment, settings: { featureGates: everyGate } }]);
    if (parsed === undefined) {
      throw new Error('No deployment');
    }
    const props = { deployment: parsed, declarations, functions, bundles: made.bundles };
    const app = makeApp(made.folder);
    // Otherwise, the report of the warnings would be in the output of this test.
    app.node.setContext('@aws-cdk/core:annotationsInValidationReport', false);
    const stack = new CapiServerlessStack(app, props);
    return Annotations.fromStack(stack)
      .findWarning('*', Match.anyValue())
      .map(({ entry }) => String(entry.data));
  }

  it.each([
    {
      deployment: { name: 'capi-plain' },
      says: [
        /^Deployment capi-plain has no event source: .*10 minutes late/,
        /^Deployment capi-plain has alarms that notify/,
      ],
      reason: 'the default deployment',
    },
    {
      deployment: { name: 'capi-quiet', sources: { windowed: true } },
      says: [/set monitoring\.topic/],
      reason: 'alarms without a topic',
    },
    {
      deployment: { name: 'capi-deaf', resyncPeriodMinutes: 30, monitoring: { topic } },
      says: [/30 minutes late; set sources/],
      reason: 'no event source',
    },
    {
      deployment: {
        name: 'capi-reserving',
        managementCluster,
        sources: { auditWebhook: {} },
        admission: { concurrency: 0 },
        conversion: {},
        monitoring: { topic },
      },
      says: [
        /^Deployment capi-reserving reserves 25 .* below 125, .*: sources\.auditWebhook\.concurrency, conversion\.concurrency /,
      ],
      reason: 'a new account may not reserve concurrency',
    },
    {
      deployment: {
        name: 'capi-modest',
        managementCluster,
        sources: { auditWebhook: { concurrency: 0 } },
        monitoring: { topic },
      },
      says: [],
      reason: 'a deployment that reserves none',
    },
    {
      deployment: { name: 'capi-bare', sources: { auditLogOf: 'mgmt' }, monitoring: { alarms: 'none' } },
      says: [],
      reason: 'an audit log is an event source, and no alarm needs a topic',
    },
  ])('warns of what the first deployment would lack: $reason', ({ deployment, says }) => {
    const warnings = warningsOf(deployment);
    expect(warnings).toHaveLength(says.length);
    for (const text of says) {
      expect(warnings.filter(warning => text.test(warning))).toHaveLength(1);
    }
  });
});
