// A function with its own role and log group, and the alias that its triggers invoke. The code that wires the function
// grants its rights one by one.

import path from 'node:path';
import { withoutUndefined } from '@capi-serverless/apimachinery';
import { Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  Alias,
  Architecture,
  CfnFunction,
  Code,
  type IFunction,
  type IVersion,
  Function as LambdaFunction,
  RecursiveLoop,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { defaultMemoryMiB } from '../function-plans.ts';
import type { Deployment } from './deployment-schema.ts';
import { checkEnvironment } from './environment-size.ts';
import { acknowledge } from './findings.ts';
import { toConstructId, toPhysicalName } from './physical-names.ts';
import { hasLambdaExtras } from './regions.ts';
import { toRemovalPolicy } from './removal.ts';
import type { WorkQueues } from './work-queues.ts';

interface ScopedFunctionProps {
  readonly deployment: Deployment;
  readonly name: string;
  readonly timeoutSeconds: number;
  readonly memoryMiB?: number;
  /** The module that exports `handler`. Its folder is deployed. */
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
  /**
   * The concurrency of functions that any caller may invoke. For queue functions, the event source mapping limits the
   * concurrency.
   */
  readonly reservedConcurrency?: number;
  /** The key of the log group and of the environment. */
  readonly encryptionKey?: IKey | undefined;
}

/** By operator and condition key. */
type Conditions = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export class ScopedFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly role: Role;
  readonly memoryMiB: number;
  /** The name of the function on AWS, also in statements of its own role. */
  readonly physicalName: string;
  #live: Alias | undefined;

  constructor(scope: Construct, props: ScopedFunctionProps) {
    super(scope, toConstructId(props.name));
    const { deployment, name, reservedConcurrency, memoryMiB = defaultMemoryMiB } = props;
    this.memoryMiB = memoryMiB;
    const functionName = toPhysicalName(deployment.name, name);
    this.physicalName = functionName;
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: deployment.logRetentionDays,
      removalPolicy: toRemovalPolicy(deployment),
      ...withoutUndefined({ encryptionKey: props.encryptionKey }),
    });
    // The function has its own role, because the managed policy allows writes to all log groups of the account.
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(this.role);
    this.lambda = new LambdaFunction(this, 'Function', {
      functionName,
      code: Code.fromAsset(path.dirname(props.file)),
      handler: 'handler.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: deployment.architecture === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
      memorySize: memoryMiB,
      timeout: Duration.seconds(props.timeoutSeconds),
      logGroup,
      role: this.role,
      environment: props.environment,
      ...withoutUndefined({ environmentEncryption: props.encryptionKey }),
      // Requests of objects that requeue circulate between queues. After 16 rounds, Lambda's loop detection would stop
      // them: https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
      ...(hasLambdaExtras(deployment.region ?? '') ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
      ...withoutUndefined({ reservedConcurrentExecutions: reservedConcurrency }),
      ...(deployment.monitoring.tracing ? { tracing: Tracing.ACTIVE } : {}),
    });
    this.node.addValidation({ validate: () => checkEnvironment(functionName, this.#toVariables()) });
    if (deployment.monitoring.tracing) {
      acknowledge(this, 'spans');
    }
  }

  /**
   * The alias that triggers invoke. It refers to a version with the code and the settings of the template, so that both
   * change at once. CloudFormation deletes the former version at the end of an update.
   */
  get live(): Alias {
    // true: the class implements the interface; its optional members may also be undefined
    const version = this.lambda.currentVersion as IVersion;
    this.#live ??= new Alias(this, 'Live', { aliasName: 'live', version });
    return this.#live;
  }

  /** Undefined if no trigger invokes the alias. */
  get liveIfUsed(): Alias | undefined {
    return this.#live;
  }

  /** What triggers invoke. */
  get invoked(): IFunction {
    return (this.#live ?? this.lambda) as IFunction; // true: as for the version
  }

  /** The variables as in the template. */
  #toVariables(): Readonly<Record<string, unknown>> {
    const child = this.lambda.node.defaultChild;
    const environment = child instanceof CfnFunction ? Stack.of(this).resolve(child.environment) : undefined;
    return environment?.variables ?? {};
  }

  /**
   * Allows the function to send to `targets` only, and passes it the URLs of these queues and of those it serves. It may
   * read the attributes of the queues in `reads`, and also take messages from those in `takes`. No queue is named twice,
   * because the rights of a role have a limited length: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
   */
  letSend(
    queues: WorkQueues,
    targets: readonly string[],
    { served = [], reads = [], takes = [] }: Partial<Record<'served' | 'reads' | 'takes', readonly string[]>> = {},
  ): void {
    const isRead = (name: string): boolean => reads.includes(name);
    const groups = [
      { actions: ['sqs:SendMessage'], names: targets.filter(name => !isRead(name)) },
      { actions: ['sqs:SendMessage', 'sqs:GetQueueAttributes'], names: targets.filter(isRead) },
      {
        actions: ['sqs:GetQueueAttributes'],
        names: reads.filter(name => !targets.includes(name) && !takes.includes(name)),
      },
      { actions: ['sqs:GetQueueAttributes', 'sqs:ReceiveMessage', 'sqs:DeleteMessage'], names: takes },
    ];
    for (const { actions, names } of groups.filter(group => group.names.length > 0)) {
      this.allow(
        actions,
        names.map(name => queues.get(name).queueArn),
      );
    }
    for (const statement of queues.toKeyStatements()) {
      this.lambda.addToRolePolicy(statement);
    }
    this.lambda.addEnvironment('CAPI_QUEUE_URLS', queues.toUrls([...new Set([...targets, ...served])]));
  }

  allow(actions: string[], resources: string[], conditions: Conditions = {}): void {
    this.lambda.addToRolePolicy(new PolicyStatement({ actions, resources, conditions }));
  }
}
