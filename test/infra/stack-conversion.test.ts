// The function of the conversion webhook, which a deployment has only if it asks for it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { parseDeployments } from '../../infra/aws/deployment.ts';
import { toRights } from '../../infra/aws/deployment-rights.ts';
import { declarations, eksDeployment, makeBundles, type Synthesised, synthesise } from '../support/synthesised.ts';

const made = makeBundles();
const { name, account, region, apiServer, vpc } = eksDeployment;
const place = { name, account, region, apiServer, vpc };
let stack: Synthesised;

beforeAll(() => {
  stack = synthesise({ ...place, conversion: { concurrency: 7 } }, made);
});

afterAll(() => made.remove());

const typed = (of: Synthesised, type: string) => of.all(type).map(({ Properties }) => Properties);

it('a deployment without conversion does not have the function', () => {
  const plain = synthesise({ ...place, admission: {} }, made);
  expect(() => plain.idOf('conversion')).toThrow();
});

describe('the conversion function', () => {
  it('is a Function URL without IAM, with a concurrency of its own', () => {
    expect(typed(stack, 'AWS::Lambda::Url')).toEqual([
      { AuthType: 'NONE', TargetFunctionArn: stack.arnOf('conversion'), Qualifier: 'live' },
    ]);
    expect(stack.resourceOf('conversion').Properties).toMatchObject({ ReservedConcurrentExecutions: 7, Timeout: 30 });
  });

  it('may write its log, join its network and read its token, and nothing else', () => {
    const actions = stack.statementsOf('conversion').flatMap(({ Action }) => [Action].flat());
    expect(actions.filter(action => !action.startsWith('ec2:')).toSorted()).toEqual([
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'secretsmanager:GetSecretValue',
    ]);
  });

  it('reads metadata of CRDs in the cluster, by a role of its own, and nothing else', () => {
    expect(stack.resourceOf('conversion').Properties).toHaveProperty('VpcConfig');
    const principals = typed(stack, 'AWS::EKS::AccessEntry').map(({ KubernetesGroups }) => KubernetesGroups);
    expect(principals).toContainEqual(['capi-serverless:conversion']);
    const rights = toRights(parseDeployments([{ ...place, conversion: {} }]), declarations).get(name) ?? '';
    const role = parseAllDocuments(rights)
      .map(document => document.toJS())
      .find(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === 'capi-serverless-conversion');
    expect(role.rules).toEqual([
      { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get'] },
    ]);
    const without = toRights(parseDeployments([{ ...place, admission: {} }]), declarations).get(name);
    expect(without).not.toContain('capi-serverless-conversion');
  });

  it('has a token of its own beside that of the admission function', () => {
    const both = synthesise({ ...place, admission: {}, conversion: { rotateTokenDays: 30 } }, made);
    const [one, other, ...more] = ['admission', 'conversion'].map(each =>
      JSON.stringify(both.mayDo(each, 'secretsmanager:GetSecretValue')),
    );
    expect(more).toEqual([]);
    expect(one).not.toBe(other);
    expect(typed(both, 'AWS::SecretsManager::RotationSchedule')).toMatchObject([
      { RotationRules: { AutomaticallyAfterDays: 30 } },
    ]);
  });

  it('can be behind an HTTP API', () => {
    const door = synthesise({ ...place, conversion: { door: 'http-api' } }, made);
    expect(typed(door, 'AWS::Lambda::Url')).toEqual([]);
    expect(typed(door, 'AWS::ApiGatewayV2::Api')).toHaveLength(1);
  });

  it('has alarms about errors, and about requests that fail because it is throttled', () => {
    const alarms = typed(stack, 'AWS::CloudWatch::Alarm');
    for (const alarm of ['function-errors', 'throttles']) {
      const found = alarms.filter(({ AlarmName }) => String(AlarmName).startsWith(`${name}/${alarm}`));
      expect(JSON.stringify(found)).toContain(`${name}-conversion`);
    }
  });

  it.each([
    {
      given: { region: 'eu-south-2', conversion: {} },
      problem: 'conversion.door: eu-south-2 has no Function URLs; set it to http-api',
    },
    {
      given: {
        region: 'eu-central-1',
        conversion: { kmsKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/12345678-1234-1234-1234-123456789012' },
      },
      problem: 'conversion: the KMS key is not in eu-central-1, the region of its secret',
    },
  ])('is refused: $problem', ({ given, problem }) => {
    expect(() => parseDeployments([{ name, ...given }])).toThrow(problem);
  });
});
