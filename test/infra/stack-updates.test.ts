// Updates of a deployment: triggers invoke an alias of a published version, and an update whose functions fail is taken
// back.
import { readFileSync, writeFileSync } from 'node:fs';
import { type JsonObject, toRecord } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managementCluster, topic } from '../support/monitored-stack.ts';
import { inEks, makeProviders } from '../support/provider-stack.ts';
import {
  eksDeployment,
  list,
  makeBundles,
  type Synthesised,
  synthesise,
  toStatements,
} from '../support/synthesised.ts';

const made = makeBundles();
const providers = makeProviders();
const webhooks = { admission: {}, conversion: { door: 'http-api' } };
const whole = { ...eksDeployment, ...webhooks, name: 'capi-whole', monitoring: { alarms: 'all', topic } };
let stack: Synthesised;

beforeAll(() => {
  stack = synthesise(whole, made);
});

afterAll(() => {
  made.remove();
  providers.remove();
});

/** The type of each kind of trigger, and what it invokes. */
const triggers: readonly (readonly [string, (properties: JsonObject) => unknown])[] = [
  ['AWS::Lambda::EventSourceMapping', ({ FunctionName }) => FunctionName],
  ['AWS::Lambda::Permission', ({ FunctionName }) => FunctionName],
  ['AWS::Lambda::EventInvokeConfig', ({ Qualifier }) => Qualifier],
  ['AWS::Scheduler::Schedule', ({ Target }) => toRecord(Target)['Arn']],
  ['AWS::Logs::SubscriptionFilter', ({ DestinationArn }) => DestinationArn],
  ['AWS::ApiGatewayV2::Integration', ({ IntegrationUri }) => IntegrationUri],
];

/** The ids of the resources to which a value refers. */
function idsIn(value: unknown): readonly string[] {
  return [...JSON.stringify(value).matchAll(/"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/g)].map(([, id = '']) => id);
}

const typesIn = (of: Synthesised, value: unknown): readonly unknown[] => [
  ...new Set(idsIn(value).map(id => of.resources[id]?.Type)),
];

function versionsOf(of: Synthesised): Readonly<Record<string, string>> {
  const versions = of.all('AWS::Lambda::Alias').map(({ Properties }) => {
    const [id = ''] = idsIn(Properties['FunctionName']);
    const [version = ''] = idsIn(Properties['FunctionVersion']);
    return [String(of.resources[id]?.Properties['FunctionName']).slice(of.deployment.length + 1), version] as const;
  });
  return Object.fromEntries(versions);
}

describe('a trigger', () => {
  it.each(triggers)('of type %s invokes the alias', (type, invoked) => {
    const isRotation = (value: unknown): boolean => idsIn(value).includes(stack.idOf('rotate-audit-token'));
    const all = stack.all(type).map(({ Properties }) => invoked(Properties));
    expect(all.length).toBeGreaterThan(0);
    for (const target of all.filter(value => !isRotation(value))) {
      expect(typesIn(stack, target)).toEqual(['AWS::Lambda::Alias']);
    }
    // Secrets Manager invokes its function without an alias.
    expect(all.filter(isRotation)).toHaveLength(type === 'AWS::Lambda::Permission' ? 1 : 0);
  });

  it('that is a schedule may invoke the alias only', () => {
    const rights = stack
      .all('AWS::IAM::Policy')
      .filter(({ Properties }) => JSON.stringify(Properties).includes('lambda:InvokeFunction'))
      .map(({ Properties }) => toRecord(Properties['PolicyDocument'])['Statement']);
    expect(typesIn(stack, rights)).toEqual(['AWS::Lambda::Alias']);
    expect(new Set(idsIn(rights))).toEqual(
      new Set(['resync', 'windowed-forwarder'].map(name => stack.liveOf(name).Ref)),
    );
  });
});

describe('an alias', () => {
  it('is of the version that the template publishes, and each function but the rotation has one', () => {
    const versions = versionsOf(stack);
    const names = stack.all('AWS::Lambda::Function').map(({ Properties }) => String(Properties['FunctionName']));
    expect(
      Object.keys(versions)
        .map(name => `capi-whole-${name}`)
        .toSorted(),
    ).toEqual(names.filter(name => name !== 'capi-whole-rotate-audit-token').toSorted());
    for (const version of Object.values(versions)) {
      expect(stack.resources[version]).toMatchObject({ Type: 'AWS::Lambda::Version' });
    }
  });

  it('has no provisioned concurrency, and former versions are deleted', () => {
    for (const { Properties } of [...stack.all('AWS::Lambda::Alias'), ...stack.all('AWS::Lambda::Version')]) {
      expect(Properties).not.toHaveProperty('ProvisionedConcurrencyConfig');
    }
    for (const version of stack.all('AWS::Lambda::Version')) {
      expect(JSON.stringify(version)).not.toContain('Retain');
    }
  });
});

describe('a version', () => {
  const given = { ...eksDeployment, name: 'capi-given' };
  const other = 'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0u';
  const key = 'arn:aws:kms:eu-central-1:123456789012:key/6f1a3c1e-8f0b-4d52-9c3a-0f6f8a1b2c3d';

  /** The functions whose version differs between two deployments. */
  function changedBetween(one: Synthesised, next: Synthesised): readonly string[] {
    const [before, after] = [versionsOf(one), versionsOf(next)];
    return Object.keys(before).filter(name => before[name] !== after[name]);
  }
  const changedBy = (change: JsonObject): readonly string[] =>
    changedBetween(base, synthesise({ ...given, ...change }, made));
  let base: Synthesised;

  beforeAll(() => {
    base = synthesise(given, made);
  });

  it('is new for each function whose code changed, and for no other', () => {
    const { file = '' } = made.bundles.find(({ name }) => name === 'timer') ?? {};
    const code = readFileSync(file, 'utf8');
    writeFileSync(file, 'export const handler = () => "the next release";\n');
    expect(changedBy({})).toEqual(['timer']);
    writeFileSync(file, code);
  });

  it.each([
    { change: { resyncPeriodMinutes: 20 }, reason: 'a setting' },
    { change: { architecture: 'x86_64' }, reason: 'the processors' },
    { change: { kmsKeyArn: key }, reason: 'the key of the environment' },
    { change: { monitoring: { tracing: true } }, reason: 'tracing' },
  ])('is new for every function after a change of $reason', ({ change }) => {
    expect(changedBy(change)).toEqual(Object.keys(versionsOf(base)));
  });

  it('is new for functions that reach the API server after a change of its certificate, also without CDK flags', () => {
    const apiServer = { ...given.apiServer, certificateAuthority: other };
    const changed = changedBy({ apiServer });
    expect(changed).toContain('cluster');
    expect(changed).not.toContain('timer');
    const racks = { ...inEks, name: 'racks' };
    const [before, after] = [racks, { ...racks, apiServer: { ...racks.apiServer, certificateAuthority: other } }].map(
      deployment => providers.deploy(deployment).made,
    );
    expect(before && after && changedBetween(before, after).toSorted()).toEqual([
      'old-cluster',
      'rack-cluster',
      'resync',
      'windowed-forwarder',
    ]);
  });

  it.each([
    { change: { concurrency: 30 }, reason: 'the concurrency' },
    { change: { tags: { team: 'platform' } }, reason: 'a tag' },
    { change: { logRetentionDays: 90 }, reason: 'the retention of logs' },
    { change: { sources: { ...given.sources, auditWebhook: { concurrency: 7 } } }, reason: 'reserved concurrency' },
  ])('stays after a change of $reason, which is no part of it', ({ change }) => {
    expect(changedBy(change)).toEqual([]);
  });
});

describe('an update', () => {
  const groupsOf = (of: Synthesised) => of.all('AWS::CodeDeploy::DeploymentGroup');

  it('of each alias is a deployment that all error alarms of the stack stop, and that is then taken back', () => {
    const alarms = Object.entries(stack.resources)
      .filter(
        ([, { Type, Properties }]) =>
          Type === 'AWS::CloudWatch::Alarm' && /function-errors/.test(String(Properties['AlarmName'])),
      )
      .map(([id]) => ({ Name: { Ref: id } }));
    expect(alarms.length).toBeGreaterThan(1);
    for (const alias of stack.all('AWS::Lambda::Alias')) {
      const policy = toRecord(toRecord(alias.UpdatePolicy)['CodeDeployLambdaAliasUpdate']);
      const [group = ''] = idsIn(policy['DeploymentGroupName']);
      expect(stack.resources[group]?.Properties).toMatchObject({
        ApplicationName: policy['ApplicationName'],
        AlarmConfiguration: { Enabled: true, Alarms: alarms },
        AutoRollbackConfiguration: { Enabled: true, Events: expect.arrayContaining(['DEPLOYMENT_STOP_ON_ALARM']) },
        DeploymentStyle: { DeploymentType: 'BLUE_GREEN', DeploymentOption: 'WITH_TRAFFIC_CONTROL' },
      });
    }
    expect(groupsOf(stack)).toHaveLength(stack.all('AWS::Lambda::Alias').length);
  });

  it('shifts nearly all invocations at once, and is watched for longer than the period of the resync', () => {
    const [config, ...others] = stack.all('AWS::CodeDeploy::DeploymentConfig');
    expect(others).toEqual([]);
    expect(config?.Properties['TrafficRoutingConfig']).toEqual({
      Type: 'TimeBasedCanary',
      TimeBasedCanary: { CanaryPercentage: 99, CanaryInterval: 10 },
    });
  });

  it('is made with the rights to switch the aliases of this stack, to read alarms, and no others', () => {
    const [role, ...others] = stack
      .all('AWS::IAM::Role')
      .filter(({ Properties }) => JSON.stringify(Properties).includes('codedeploy.amazonaws.com'));
    expect(others).toEqual([]);
    expect(role?.Properties).not.toHaveProperty('ManagedPolicyArns');
    const [policy, ...morePolicies] = stack
      .all('AWS::IAM::Policy')
      .filter(({ Properties }) => JSON.stringify(Properties).includes('lambda:UpdateAlias'));
    expect(morePolicies).toEqual([]);
    const statements = policy === undefined ? [] : toStatements(policy);
    expect(statements.map(({ Action }) => list(Action))).toEqual([
      ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
      ['cloudwatch:DescribeAlarms'],
    ]);
    const [switched, read] = statements.map(({ Resource }) => list(Resource).map(each => JSON.stringify(each)));
    expect(read).toEqual(['"*"']);
    const aliases = Object.keys(versionsOf(stack)).map(name => `function:capi-whole-${name}`);
    expect(switched).toHaveLength(2 * aliases.length);
    for (const alias of aliases) {
      expect(switched?.filter(arn => arn.includes(`${alias}"`) || arn.includes(`${alias}:*"`))).toHaveLength(2);
    }
  });

  it.each([
    { monitoring: { alarms: 'errors' }, groups: true, reason: 'the errors of functions are all that it needs' },
    { monitoring: {}, groups: true, reason: 'by default' },
    { monitoring: { rollback: false }, groups: false, reason: 'it is off' },
    { monitoring: { alarms: 'none' }, groups: false, reason: 'no alarm could stop it' },
  ])('is watched: $groups, because $reason', ({ monitoring, groups }) => {
    const of = synthesise({ name: 'capi-watched', sources: { auditWebhook: {} }, managementCluster, monitoring }, made);
    expect(groupsOf(of).length > 0).toBe(groups);
    expect(JSON.stringify(of.all('AWS::Lambda::Alias')).includes('UpdatePolicy')).toBe(groups);
    expect(JSON.stringify(of.all('AWS::IAM::Role')).includes('codedeploy')).toBe(groups);
  });

  it('of a provider is taken back as well', () => {
    const { made: racks } = providers.deploy({ name: 'racks' });
    expect(groupsOf(racks)).toHaveLength(providers.deploy({ name: 'racks' }).made.all('AWS::Lambda::Function').length);
  });
});
