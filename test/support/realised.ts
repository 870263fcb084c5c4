// A synthesized template in its deployed form: references are resolved, and every resource has its ARN. Generated names
// begin with the stack's name, as in CloudFormation.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cfn-whatis-concepts.html
import type { JsonObject } from '@capi-serverless/apimachinery';
import { type ResolvedStatement, toList } from './iam.ts';
import { type Place, resolveIntrinsics } from './intrinsics.ts';
import type { CloudFormationResource, Synthesised } from './synthesised.ts';

export interface Realised {
  readonly resources: ReadonlyMap<string, CloudFormationResource>;
  /** The ARNs of resources that IAM statements can contain. */
  readonly arns: readonly string[];
  /** The statements of each role's policies. Keys are ARNs of roles. */
  readonly roles: ReadonlyMap<string, readonly ResolvedStatement[]>;
  /** The trust policy of each role. Keys are ARNs of roles. */
  readonly trust: ReadonlyMap<string, readonly ResolvedStatement[]>;
  /** The values of the outputs. Keys are logical ids. */
  readonly outputs: ReadonlyMap<string, unknown>;
}

/** `place` contains the account and region of the deployment. Default: fixed values. */
export function realise(stack: Synthesised, place: Place): Realised {
  const toArn = (id: string): string | undefined => arnOf({ id, stack, place });
  const made = {
    ref: (of: string) => refOf({ id: of, stack, place }),
    attribute: (of: string, name: string) => attributeOf({ id: of, stack, place }, name),
  };
  const resources = new Map(
    Object.entries(stack.resources).map(
      ([id, { Type, Properties = {} }]) =>
        [id, { Type, Properties: resolveIntrinsics(Properties, made, place) as JsonObject }] as const, // true: the type does not change
    ),
  );
  const roles = [...resources].filter(([, { Type }]) => Type === 'AWS::IAM::Role');
  return {
    resources,
    arns: [...resources.keys()].flatMap(id => toArn(id) ?? []),
    roles: new Map(roles.map(([id]) => [toArn(id) ?? '', policiesOf(refOf({ id, stack, place }), resources)])),
    trust: new Map(
      roles.map(([id, role]) => [toArn(id) ?? '', statementsOf(role.Properties['AssumeRolePolicyDocument'])]),
    ),
    outputs: new Map(
      Object.entries(stack.outputs).map(([id, output]) => [id, resolveIntrinsics(output['Value'], made, place)]),
    ),
  };
}

/**
 * Throws on inline policies of the role itself. The constructs create none, and this function does not include them.
 */
function policiesOf(
  role: string,
  resources: ReadonlyMap<string, CloudFormationResource>,
): readonly ResolvedStatement[] {
  return [...resources.values()].flatMap(({ Type, Properties }) => {
    if (Type === 'AWS::IAM::Role' && (Properties['Policies'] ?? Properties['ManagedPolicyArns']) !== undefined) {
      throw new Error(`A role has policies that are not evaluated: ${JSON.stringify(Properties)}`);
    }
    const isOurs = Type === 'AWS::IAM::Policy' && toList(Properties['Roles'] as readonly string[]).includes(role); // True: the type of its input.
    return isOurs ? statementsOf(Properties['PolicyDocument']) : [];
  });
}

export function statementsOf(document: unknown): readonly ResolvedStatement[] {
  return toList((document as { readonly Statement: readonly ResolvedStatement[] }).Statement); // true: this is the form of a policy
}

interface Located {
  readonly id: string;
  readonly stack: Synthesised;
  readonly place: Place;
}

/** Returns `undefined` if a resource has no ARN, or none that a policy in these tests can contain. */
function arnOf({ id, stack, place }: Located): string | undefined {
  const { Type = '', Properties = {} } = stack.resources[id] ?? {};
  const { partition, region, account } = place;
  const own = `${stack.deployment}-${id}`;
  const named = (service: string, rest: string): string => `arn:${partition}:${service}:${region}:${account}:${rest}`;
  switch (Type) {
    case 'AWS::SQS::Queue':
      return named('sqs', String(Properties['QueueName']));
    case 'AWS::Lambda::Function':
      return named('lambda', `function:${Properties['FunctionName']}`);
    case 'AWS::Lambda::Alias':
      return named('lambda', `function:${functionOf(Properties, stack)}:${Properties['Name']}`);
    case 'AWS::Logs::LogGroup':
      return named('logs', `log-group:${Properties['LogGroupName']}:*`);
    case 'AWS::SecretsManager::Secret':
      return named('secretsmanager', `secret:${own}-AbCdEf`);
    case 'AWS::Scheduler::ScheduleGroup':
      return named('scheduler', `schedule-group/${Properties['Name']}`);
    case 'AWS::SNS::Topic':
      return named('sns', String(Properties['TopicName'] ?? own));
    case 'AWS::IAM::Role':
      return `arn:${partition}:iam::${account}:role/${Properties['RoleName'] ?? own}`;
    default:
      return undefined;
  }
}

/** An alias refers to its function. */
function functionOf({ FunctionName }: JsonObject, { resources }: Synthesised): unknown {
  const { Ref } = FunctionName as { readonly Ref: string }; // true: aliases are of functions of the stack
  return resources[Ref]?.Properties['FunctionName'];
}

function refOf(located: Located): string {
  const { id, stack, place } = located;
  const { Type, Properties = {} } = stack.resources[id] ?? {};
  const name = Properties['FunctionName'] ?? Properties['LogGroupName'] ?? Properties['Name'] ?? Properties['RoleName'];
  switch (Type) {
    case 'AWS::SQS::Queue':
      return `https://sqs.${place.region}.amazonaws.com/${place.account}/${Properties['QueueName']}`;
    case 'AWS::Lambda::Alias':
    case 'AWS::SecretsManager::Secret':
    case 'AWS::SNS::Topic':
      return arnOf(located) ?? '';
    case 'AWS::Lambda::Function':
    case 'AWS::Logs::LogGroup':
    case 'AWS::Scheduler::ScheduleGroup':
      return String(name);
    default:
      return String(name ?? `${stack.deployment}-${id}`);
  }
}

function attributeOf(located: Located, name: string): string {
  const arn = name === 'Arn' ? arnOf(located) : undefined;
  return arn ?? `${located.stack.deployment}-${located.id}.${name}`;
}
