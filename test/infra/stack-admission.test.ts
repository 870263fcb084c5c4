// The function of the admission webhooks, which a deployment has only if it asks for it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseDeployments } from '../../infra/aws/deployment.ts';
import { toRights } from '../../infra/aws/deployment-rights.ts';
import { declarations, eksDeployment, makeBundles, type Synthesised, synthesise } from '../support/synthesised.ts';

const made = makeBundles();
const { name, account, region, apiServer, vpc } = eksDeployment;
const place = { name, account, region, apiServer, vpc };
let stack: Synthesised;

beforeAll(() => {
  stack = synthesise({ ...place, admission: { concurrency: 7 } }, made);
});

afterAll(() => made.remove());

const secretOf = (of: Synthesised) =>
  Object.entries(of.resources).filter(([, { Type }]) => Type === 'AWS::SecretsManager::Secret');
const typed = (of: Synthesised, type: string) => of.all(type).map(({ Properties }) => Properties);

describe('a deployment without admission', () => {
  it('has neither the function nor its role in the cluster', () => {
    const plain = synthesise(place, made);
    expect(() => plain.idOf('admission')).toThrow();
    expect(typed(plain, 'AWS::Lambda::Url')).toEqual([]);
    const deployments = parseDeployments([place]);
    expect(toRights(deployments, declarations).get(name)).not.toContain('capi-serverless-admission');
  });
});

describe('the admission function', () => {
  it('is a Function URL without IAM, with a concurrency of its own', () => {
    expect(typed(stack, 'AWS::Lambda::Url')).toEqual([
      { AuthType: 'NONE', TargetFunctionArn: stack.arnOf('admission'), Qualifier: 'live' },
    ]);
    const { Properties } = stack.resourceOf('admission');
    expect(Properties).toMatchObject({ ReservedConcurrentExecutions: 7, Timeout: 30 });
  });

  it('reads its token from a secret that no other function may read, and sends nothing', () => {
    const [[id = '', secret] = [], ...others] = secretOf(stack);
    expect(others).toEqual([]);
    expect(secret?.Properties['GenerateSecretString']).toEqual({ ExcludePunctuation: true, PasswordLength: 43 });
    expect(stack.variablesOf('admission')['CAPI_ADMISSION_TOKENS_SECRET']).toEqual({ Ref: id });
    expect(stack.mayDo('admission', 'secretsmanager:GetSecretValue')).toEqual([{ Ref: id }]);
    expect(stack.mayDo('cluster', 'secretsmanager:GetSecretValue')).toEqual([]);
    expect(stack.mayDo('admission', 'sqs:SendMessage')).toEqual([]);
  });

  it('keeps its token by default, because the URLs of webhooks change by hand only', () => {
    expect(typed(stack, 'AWS::SecretsManager::RotationSchedule')).toEqual([]);
    expect(() => stack.idOf('rotate-audit-token')).toThrow();
  });

  it('shares the function that rotates tokens with the audit webhook', () => {
    const managementCluster = '6f1a3c1e-8f0b-4d52-9c3a-0f6f8a1b2c3d';
    const sources = { auditWebhook: {} };
    const both = synthesise({ ...place, managementCluster, sources, admission: { rotateTokenDays: 30 } }, made);
    const rules = typed(both, 'AWS::SecretsManager::RotationSchedule');
    expect(rules.map(({ RotationLambdaARN, RotationRules }) => ({ RotationLambdaARN, RotationRules }))).toEqual([
      { RotationLambdaARN: both.arnOf('rotate-audit-token'), RotationRules: { AutomaticallyAfterDays: 90 } },
      { RotationLambdaARN: both.arnOf('rotate-audit-token'), RotationRules: { AutomaticallyAfterDays: 30 } },
    ]);
    expect(both.mayDo('rotate-audit-token', 'secretsmanager:PutSecretValue')).toHaveLength(2);
  });

  it('can be behind an HTTP API, which logs no path because it contains the token', () => {
    const door = synthesise({ ...place, admission: { door: 'http-api' } }, made);
    expect(typed(door, 'AWS::Lambda::Url')).toEqual([]);
    const [stage = {}] = typed(door, 'AWS::ApiGatewayV2::Stage');
    expect(stage).toMatchObject({ DefaultRouteSettings: { ThrottlingRateLimit: 1000 } });
    expect(JSON.stringify(stage['AccessLogSettings'])).not.toMatch(/path|uri/i);
  });

  it('has an alarm about writes that fail because it is throttled', () => {
    const alarms = typed(stack, 'AWS::CloudWatch::Alarm').map(({ AlarmName }) => AlarmName);
    expect(alarms).toContain(`${name}/throttles`);
  });

  it('may read in the cluster, and write nothing', () => {
    const [deployment] = parseDeployments([
      { ...place, admission: {}, settings: { featureGates: 'ClusterTopology=true' } },
    ]);
    const text = toRights(deployment === undefined ? [] : [deployment], declarations).get(name) ?? '';
    expect(text).toContain('name: capi-serverless-admission');
    const role = text
      .split('---')
      .find(part => /kind: ClusterRole\n[\s\S]*name: capi-serverless-admission\n/.test(part));
    expect(role).toContain('ipaddressclaims');
    expect(role).toContain('clusterclasses');
    expect(role).not.toMatch(/secrets|create|patch|update|delete/);
  });

  it('is refused in a region without Function URLs', () => {
    expect(() => parseDeployments([{ name, region: 'eu-south-2', admission: {} }])).toThrow(
      'admission.door: eu-south-2 has no Function URLs; set it to http-api',
    );
  });
});
