// What the construct CapiServerless exposes to an app of its user: functions, queues, rights, metrics and connections.
import { type App, type CfnElement, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { type IVpc, Port, SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { afterAll, describe, expect, it } from 'vitest';
import { CapiServerless } from '../../infra/aws/capi-serverless.ts';
import type { CapiServerlessProps } from '../../infra/aws/capi-serverless-props.ts';
import {
  declarations,
  functions,
  list,
  makeApp,
  makeBundles,
  quickApp,
  Synthesised,
  toStatements,
} from '../support/synthesised.ts';

const made = makeBundles();
const parts = { declarations, functions, bundles: made.bundles };

afterAll(() => made.remove());

/** A stack whose warnings are not in the output of this test. */
function aStack(): Stack {
  const app: App = makeApp(made.folder, quickApp);
  app.node.setContext('@aws-cdk/core:annotationsInValidationReport', false);
  return new Stack(app, 'Platform');
}

function create(stack: Stack, props: CapiServerlessProps): CapiServerless {
  const quiet = { monitoring: { alarms: 'none' }, sources: { windowed: true } } as const;
  return new CapiServerless(stack, props.name, { ...quiet, parts, ...props });
}

const templateOf = (stack: Stack, name: string): Synthesised => new Synthesised(name, Template.fromStack(stack));

describe('what the construct exposes', () => {
  const stack = aStack();
  const key = new Key(stack, 'Key');
  const capi = create(stack, { name: 'capi-open', encryptionKey: key });
  const operator = new Role(stack, 'Operator', { assumedBy: new AccountRootPrincipal() });
  capi.functions['resync']?.grantInvoke(operator);
  capi.grantRedrive(operator);
  const template = templateOf(stack, 'capi-open');
  const statements = template
    .all('AWS::IAM::Policy')
    .filter(({ Properties }) =>
      JSON.stringify(Properties['Roles']).includes(stack.getLogicalId(operator.node.defaultChild as CfnElement)),
    ) // true: a role has one resource
    .flatMap(toStatements);
  const resourcesOf = (action: string) =>
    statements.filter(({ Action }) => list(Action).includes(action)).flatMap(({ Resource }) => list(Resource));

  it('are functions as triggers invoke them, for rights and metrics', () => {
    expect(Object.keys(capi.functions).toSorted()).toEqual(Object.keys(capi.roles).toSorted());
    expect(resourcesOf('lambda:InvokeFunction')).toEqual([template.liveOf('resync')]);
  });

  it('are queues, and the rights of capi-serverless redrive on all of them and their key', () => {
    const queues = template.all('AWS::SQS::Queue').length;
    expect(Object.keys(capi.queues)).toHaveLength(queues);
    expect(stack.resolve(capi.queues['work-cluster.fifo']?.queueArn)).toEqual(template.arnOf('work-cluster.fifo'));
    for (const action of ['ReceiveMessage', 'ChangeMessageVisibility', 'SendMessage', 'DeleteMessage']) {
      expect(resourcesOf(`sqs:${action}`)).toHaveLength(queues);
    }
    expect(resourcesOf('kms:Decrypt')).toEqual([stack.resolve(key.keyArn)]);
  });

  it('are metrics of this project over the deployment', () => {
    const { namespace, metricName, dimensions } =
      capi.metric('capi_serverless_dead_letters').toMetricConfig().metricStat ?? {};
    expect({ namespace, metricName, dimensions }).toEqual({
      namespace: 'capi-serverless',
      metricName: 'capi_serverless_dead_letters',
      dimensions: [{ name: 'deployment', value: 'capi-open' }],
    });
  });

  it('are connections of functions in a VPC, and only there', () => {
    expect(() => capi.connections).toThrow('Deployment capi-open: connections: require a VPC; set vpc as well');
    const user = aStack();
    const vpc = new Vpc(user, 'Vpc', { maxAzs: 2, natGateways: 1 }) as IVpc; // true: the class implements the interface; its optional members may also be undefined
    const within = create(user, { name: 'capi-within', vpc });
    const database = new SecurityGroup(user, 'Database', { vpc });
    database.connections.allowFrom(within, Port.tcp(6443));
    within.connections.allowTo(database, Port.tcp(6443));
    const opened = templateOf(user, 'capi-within').all('AWS::EC2::SecurityGroupIngress');
    expect(opened.map(({ Properties }) => Properties['FromPort'])).toEqual([6443]);
  });
});
